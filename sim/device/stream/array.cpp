// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/array.hpp"

#include <algorithm>

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/freed.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::device {
namespace {

memory::Requester requester(const Context& context, const void* call_site) {
  return {context.generation(), static_cast<uint8_t>(context.device().ordinal()), call_site};
}

}  // namespace

ArrayLimits array_limits(const Profile& profile) {
  using enum Attribute;
  using Extents = ArrayLimits::Extents;
  const auto extents = [&](auto... attributes) {
    return Extents{static_cast<size_t>(profile.value(attributes))...};
  };
  const auto layers = [&](Attribute width, Attribute most) {
    return Extents{extents(width).width, 0, extents(most).width};
  };
  const auto faces = [&](Attribute edge, size_t most) {
    return Extents{extents(edge).width, extents(edge).width, most};
  };
  ArrayLimits limits;
  limits.textures = {
      extents(MAXIMUM_TEXTURE1D_WIDTH),
      extents(MAXIMUM_TEXTURE2D_WIDTH, MAXIMUM_TEXTURE2D_HEIGHT),
      extents(MAXIMUM_TEXTURE3D_WIDTH, MAXIMUM_TEXTURE3D_HEIGHT, MAXIMUM_TEXTURE3D_DEPTH),
      layers(MAXIMUM_TEXTURE1D_LAYERED_WIDTH, MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
      extents(MAXIMUM_TEXTURE2D_LAYERED_WIDTH, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
              MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
      faces(MAXIMUM_TEXTURECUBEMAP_WIDTH, 6),
      faces(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
            extents(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS).width)};
  limits.tall_volume =
      extents(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
              MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE);
  limits.surfaces = {
      extents(MAXIMUM_SURFACE1D_WIDTH),
      extents(MAXIMUM_SURFACE2D_WIDTH, MAXIMUM_SURFACE2D_HEIGHT),
      extents(MAXIMUM_SURFACE3D_WIDTH, MAXIMUM_SURFACE3D_HEIGHT, MAXIMUM_SURFACE3D_DEPTH),
      layers(MAXIMUM_SURFACE1D_LAYERED_WIDTH, MAXIMUM_SURFACE1D_LAYERED_LAYERS),
      extents(MAXIMUM_SURFACE2D_LAYERED_WIDTH, MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
              MAXIMUM_SURFACE2D_LAYERED_LAYERS),
      faces(MAXIMUM_SURFACECUBEMAP_WIDTH, 6),
      faces(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
            extents(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS).width)};
  limits.gathered_plane = extents(MAXIMUM_TEXTURE2D_GATHER_WIDTH, MAXIMUM_TEXTURE2D_GATHER_HEIGHT);
  limits.mipmapped_line = extents(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
  limits.mipmapped_plane =
      extents(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT);
  return limits;
}

TextureLimits texture_limits(const Profile& profile) {
  using enum Attribute;
  const auto value = [&](Attribute attribute) {
    return static_cast<size_t>(profile.value(attribute));
  };
  return {value(TEXTURE_ALIGNMENT), value(TEXTURE_PITCH_ALIGNMENT),
          value(MAXIMUM_TEXTURE2D_LINEAR_WIDTH), value(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
          value(MAXIMUM_TEXTURE2D_LINEAR_PITCH)};
}

memory::DevicePtr aligned_from(memory::DevicePtr address) {
  const Ref<memory::Allocation> allocation = Machine::get().memory().find(address);
  const bool lent = allocation && allocation->kind == memory::AllocationKind::graphics;
  return lent ? allocation->address : 0;
}

Result<Ref<Array>> create_array(const Context& context, const ArrayDescriptor& descriptor,
                                const void* call_site) {
  TRY(check_array(descriptor, array_limits(context.device().profile()), false));
  return Array::create(Machine::get().memory(), descriptor, requester(context, call_site));
}

Result<Ref<MipmappedArray>> create_mipmapped_array(const Context& context,
                                                   const ArrayDescriptor& descriptor,
                                                   unsigned levels, const void* call_site) {
  TRY(check_array(descriptor, array_limits(context.device().profile()), true));
  // "This value is clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]."
  return MipmappedArray::create(Machine::get().memory(), descriptor,
                                std::clamp(levels, 1u, descriptor.most_levels()),
                                requester(context, call_site));
}

Result<> end_memory(ArrayStorage& storage) {
  const Ref<memory::Allocation>& memory = storage.memory();
  if (storage.owner() == ArrayStorage::Owner::somebody)
    return refuse(Error::array_is_mapped,
                  "The array is mapped: it is destroyed with its resource.");
  // Like cuMemFree (measured): what the owning and the current context have under way may use the
  // array and ends first. Work that other threads submit before revoke() is waited for, and later
  // work is refused.
  Machine& machine = Machine::get();
  const auto wait_for_contexts = [&] {
    if (const Ref<Context> owner = Context::of_generation(memory->owner))
      owner->wait_for_submitted();
    Context* const current = Thread::current().context();
    if (current && current->alive() && current->generation() != memory->owner)
      current->wait_for_submitted();
  };
  wait_for_contexts();
  storage.revoke(Error::invalid_handle, "The array was destroyed.");
  wait_for_contexts();
  Context::wait_for_users(*memory);
  note_freed(*memory);
  if (!machine.memory().free(memory).ok())
    return refuse(Error::invalid_handle, "The array was already destroyed.");
  return {};
}

}  // namespace cuvette::device
