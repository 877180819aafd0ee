// SPDX-License-Identifier: Apache-2.0
#include "api/driver/texture/array_handles.hpp"

namespace cuvette::driver {

device::ArrayDescriptor descriptor_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  return {d.Width,       d.Height, d.Depth, static_cast<device::ArrayFormat>(d.Format),
          d.NumChannels, d.Flags};
}

namespace {

template <typename Object>
Result<Ref<Object>> find_of(HandleOf<Object> handle, const device::Context& context) {
  Ref<Object> object = TRY(find_as<Object>(handle));
  if (object->owner() == context.generation()) return object;
  return refuse(Error::invalid_value, "0x%llx is a %s that belongs to another context.", handle,
                HandleType<Object>::errors.words);
}

}  // namespace

Result<Ref<device::Array>> find_usable(CUarray handle) {
  Ref<device::Array> array = TRY(find(handle));
  TRY(array->storage().exists());
  return array;
}

Result<Ref<device::MipmappedArray>> find_usable(CUmipmappedArray handle) {
  Ref<device::MipmappedArray> array = TRY(find(handle));
  TRY(array->storage().exists());
  return array;
}

Result<Ref<device::Texture>> find_texture(CUtexObject handle, const device::Context& context) {
  return find_of<device::Texture>(handle, context);
}

Result<Ref<device::Surface>> find_surface(CUsurfObject handle, const device::Context& context) {
  return find_of<device::Surface>(handle, context);
}

void forget_handles_of(device::Array& array) {
  forget_handle_of(array);
  for (const Ref<device::Array>& plane : array.planes()) forget_handle_of(*plane);
}

void forget_handles_of(device::MipmappedArray& array) {
  forget_handle_of(array);
  for (const Ref<device::Array>& view : array.views()) forget_handle_of(*view);
}

void forget_array_handles_of(uint64_t generation) {
  const auto of_context = [&](const auto& array) {
    return array.storage().memory()->owner == generation;
  };
  forget_handles_if<device::MipmappedArray>(of_context);
  forget_handles_if<device::Array>(of_context);
  forget_handles_if<device::Texture>(
      [&](const auto& texture) { return texture.owner() == generation; });
  forget_handles_if<device::Surface>(
      [&](const auto& surface) { return surface.owner() == generation; });
}

}  // namespace cuvette::driver
