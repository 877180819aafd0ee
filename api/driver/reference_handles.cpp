// SPDX-License-Identifier: Apache-2.0
#include "api/driver/reference_handles.hpp"

#include "api/driver/handle_table.hpp"

namespace cuvette::driver {
namespace {

constinit HandleTable<device::TextureReference> texture_reference_handles(30);
constinit HandleTable<device::SurfaceReference> surface_reference_handles(31);

// Guards the handles that references keep of themselves.
constinit Mutex handles_mutex;

template <typename Object>
Result<Ref<Object>> find_in(const HandleTable<Object>& table, const void* handle,
                            const char* what) {
  if (Ref<Object> object = table.find(reinterpret_cast<uintptr_t>(handle))) return object;
  return refuse(Error::invalid_handle, "%p is not a live %s reference.", handle, what);
}

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

}  // namespace

Result<Ref<device::TextureReference>> find(CUtexref handle) {
  return find_in(texture_reference_handles, handle, "texture");
}

Result<Ref<device::SurfaceReference>> find(CUsurfref handle) {
  return find_in(surface_reference_handles, handle, "surface");
}

Result<CUtexref> give_handle(device::TextureReference& reference) {
  return give<CUtexref>(texture_reference_handles, reference);
}

Result<CUsurfref> give_handle(device::SurfaceReference& reference) {
  return give<CUsurfref>(surface_reference_handles, reference);
}

void forget_handle_of(device::TextureReference& reference) {
  forget(texture_reference_handles, reference);
}

void forget_reference_handles_of(const device::Module& module) {
  for (const auto& reference : module.texture_references())
    forget(texture_reference_handles, *reference);
  for (const auto& reference : module.surface_references())
    forget(surface_reference_handles, *reference);
}

}  // namespace cuvette::driver
