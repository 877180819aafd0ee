// SPDX-License-Identifier: Apache-2.0
#include "api/driver/texture/array_handles.hpp"

namespace cuvette::driver {

memory::ArrayDescriptor descriptor_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  return {d.Width,       d.Height, d.Depth, static_cast<memory::ArrayFormat>(d.Format),
          d.NumChannels, d.Flags};
}

namespace {

template <typename Object>
Result<Ref<Object>> find_of(HandleOf<Object> handle, const device::Context& context) {
  Ref<Object> object = TRY(find_as<Object>(handle));
  if (object->owner() == context.generation()) return object;
  return refuse(Error::invalid_value, "0x%llx is a %s of another context.", handle,
                HandleType<Object>::errors.words);
}

}  // namespace

Result<Ref<memory::Array>> find_usable(CUarray handle) {
  Ref<memory::Array> array = TRY(find(handle));
  TRY(array->storage().exists());
  return array;
}

Result<Ref<memory::MipmappedArray>> find_usable(CUmipmappedArray handle) {
  Ref<memory::MipmappedArray> array = TRY(find(handle));
  TRY(array->storage().exists());
  return array;
}

Result<Ref<memory::Texture>> find_texture(CUtexObject handle, const device::Context& context) {
  return find_of<memory::Texture>(handle, context);
}

Result<Ref<memory::Surface>> find_surface(CUsurfObject handle, const device::Context& context) {
  return find_of<memory::Surface>(handle, context);
}

void forget_handles_of(memory::Array& array) {
  forget_handle_of(array);
  for (const Ref<memory::Array>& plane : array.planes()) forget_handle_of(*plane);
}

void forget_handles_of(memory::MipmappedArray& array) {
  forget_handle_of(array);
  for (const Ref<memory::Array>& view : array.views()) forget_handle_of(*view);
}

void forget_array_handles_of(uint64_t generation) {
  const auto of_context = [&](const auto& array) {
    return array.storage().memory()->owner == generation;
  };
  forget_handles_if<memory::MipmappedArray>(of_context);
  forget_handles_if<memory::Array>(of_context);
  forget_handles_if<memory::Texture>(
      [&](const auto& texture) { return texture.owner() == generation; });
  forget_handles_if<memory::Surface>(
      [&](const auto& surface) { return surface.owner() == generation; });
}

}  // namespace cuvette::driver
