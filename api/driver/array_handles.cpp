// SPDX-License-Identifier: Apache-2.0
#include "api/driver/array_handles.hpp"

namespace cuvette::driver {

constinit HandleTable<memory::Array> array_handles(8);
constinit HandleTable<memory::MipmappedArray> mipmapped_array_handles(9);
constinit HandleTable<memory::Texture> texture_handles(10);
constinit HandleTable<memory::Surface> surface_handles(11);

namespace {

// Guards the handles that arrays keep of themselves.
constinit Mutex handles_mutex;

template <typename Handle, typename Object>
Result<Handle> give(HandleTable<Object>& table, Object& object) {
  MutexLock lock(handles_mutex);
  uintptr_t handle = object.handle.load(std::memory_order_relaxed);
  if (!handle) {
    handle = TRY(table.insert(Ref<Object>(&object)));
    object.handle.store(handle, std::memory_order_release);
  }
  return reinterpret_cast<Handle>(handle);
}

template <typename Object>
void forget(HandleTable<Object>& table, Object& object) {
  MutexLock lock(handles_mutex);
  if (const uintptr_t handle = object.handle.exchange(0)) table.remove(handle);
}

template <typename Object>
Result<Ref<Object>> find_of(const HandleTable<Object>& table, uint64_t handle,
                            const device::Context& context, const char* what) {
  Ref<Object> object = table.find(handle);
  if (object && object->owner() == context.generation()) return object;
  return refuse(Error::invalid_value, "0x%llx is not a live %s of this context.",
                static_cast<unsigned long long>(handle), what);
}

}  // namespace

Result<Ref<memory::Array>> find(CUarray handle) {
  if (Ref<memory::Array> array = array_handles.find(reinterpret_cast<uintptr_t>(handle)))
    return array;
  return refuse(Error::invalid_handle, "%p is not a live array.", static_cast<void*>(handle));
}

Result<Ref<memory::MipmappedArray>> find(CUmipmappedArray handle) {
  if (Ref<memory::MipmappedArray> array =
          mipmapped_array_handles.find(reinterpret_cast<uintptr_t>(handle)))
    return array;
  return refuse(Error::invalid_handle, "%p is not a live mip-mapped array.",
                static_cast<void*>(handle));
}

Result<Ref<memory::Array>> find_usable(CUarray handle) {
  Ref<memory::Array> array = TRY(find(handle));
  TRY(array->storage().usable());
  return array;
}

Result<Ref<memory::MipmappedArray>> find_usable(CUmipmappedArray handle) {
  Ref<memory::MipmappedArray> array = TRY(find(handle));
  TRY(array->storage().usable());
  return array;
}

Result<Ref<memory::Texture>> find_texture(CUtexObject handle, const device::Context& context) {
  return find_of(texture_handles, handle, context, "texture object");
}

Result<Ref<memory::Surface>> find_surface(CUsurfObject handle, const device::Context& context) {
  return find_of(surface_handles, handle, context, "surface object");
}

Result<CUarray> give_handle(memory::Array& array) { return give<CUarray>(array_handles, array); }

Result<CUmipmappedArray> give_handle(memory::MipmappedArray& array) {
  return give<CUmipmappedArray>(mipmapped_array_handles, array);
}

void forget_handles_of(memory::Array& array) {
  forget(array_handles, array);
  for (const Ref<memory::Array>& plane : array.planes()) forget(array_handles, *plane);
}

void forget_handles_of(memory::MipmappedArray& array) {
  forget(mipmapped_array_handles, array);
  for (const Ref<memory::Array>& view : array.views()) forget(array_handles, *view);
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
