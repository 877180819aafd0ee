// SPDX-License-Identifier: Apache-2.0
#include "api/driver/array_handles.hpp"

#include "api/driver/kept_handles.hpp"

namespace cuvette::driver {

constinit HandleTable<memory::Array> array_handles(8);
constinit HandleTable<memory::MipmappedArray> mipmapped_array_handles(9);
constinit HandleTable<memory::Texture> texture_handles(10);
constinit HandleTable<memory::Surface> surface_handles(11);

namespace {

template <typename Object>
Result<Ref<Object>> find_of(const HandleTable<Object>& table, uint64_t handle,
                            const device::Context& context, const char* what) {
  Ref<Object> object = table.find(handle);
  if (object && object->owner() == context.generation()) return object;
  return refuse(Error::invalid_value, "0x%llx is not a live %s of this context.",
                static_cast<unsigned long long>(handle), what);
}

}  // namespace

Result<Ref<memory::Array>> find(CUarray handle) { return find_in(array_handles, handle, "array"); }

Result<Ref<memory::MipmappedArray>> find(CUmipmappedArray handle) {
  return find_in(mipmapped_array_handles, handle, "mip-mapped array");
}

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
  return find_of(texture_handles, handle, context, "texture object");
}

Result<Ref<memory::Surface>> find_surface(CUsurfObject handle, const device::Context& context) {
  return find_of(surface_handles, handle, context, "surface object");
}

Result<CUarray> give_handle(memory::Array& array) {
  return keep_handle<CUarray>(array_handles, array);
}

Result<CUmipmappedArray> give_handle(memory::MipmappedArray& array) {
  return keep_handle<CUmipmappedArray>(mipmapped_array_handles, array);
}

void forget_handles_of(memory::Array& array) {
  forget_handle(array_handles, array);
  for (const Ref<memory::Array>& plane : array.planes()) forget_handle(array_handles, *plane);
}

void forget_handles_of(memory::MipmappedArray& array) {
  forget_handle(mipmapped_array_handles, array);
  for (const Ref<memory::Array>& view : array.views()) forget_handle(array_handles, *view);
}

void forget_array_handles_of(uint64_t generation) {
  const auto of_context = [&](const auto& array) {
    return array.storage().memory()->owner == generation;
  };
  mipmapped_array_handles.remove_if(of_context);
  array_handles.remove_if(of_context);
  texture_handles.remove_if([&](const auto& texture) { return texture.owner() == generation; });
  surface_handles.remove_if([&](const auto& surface) { return surface.owner() == generation; });
}

}  // namespace cuvette::driver
