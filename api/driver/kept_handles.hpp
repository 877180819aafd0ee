// SPDX-License-Identifier: Apache-2.0
// Looks handles up, and lets objects keep their own: an object has one from the first time that
// somebody asks for it until it is forgotten.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "api/driver/handle_table.hpp"
#include "sim/error.hpp"
#include "sim/mutex.hpp"
#include "sim/ref.hpp"

namespace cuvette::driver {

// Finds a handle's object. Errors: invalid_handle; `what` names what it should be, such as "event".
template <typename Object>
Result<Ref<Object>> find_in(const HandleTable<Object>& table, const void* handle,
                            const char* what) {
  if (Ref<Object> object = table.find(reinterpret_cast<uintptr_t>(handle))) return object;
  return refuse(Error::invalid_handle, "%p is not a live %s.", handle, what);
}

inline constinit Mutex kept_handles_mutex;

// Returns the handle that `object` keeps in its member `handle`; makes one if there is none.
// Errors: out_of_memory.
template <typename Handle, typename Object>
Result<Handle> keep_handle(HandleTable<Object>& table, Object& object) {
  MutexLock lock(kept_handles_mutex);
  uintptr_t handle = object.handle.load(std::memory_order_relaxed);
  if (!handle) {
    handle = TRY(table.insert(Ref<Object>(&object)));
    object.handle.store(handle, std::memory_order_release);
  }
  return reinterpret_cast<Handle>(handle);
}

template <typename Object>
void forget_handle(HandleTable<Object>& table, Object& object) {
  MutexLock lock(kept_handles_mutex);
  if (const uintptr_t handle = object.handle.exchange(0)) table.remove(handle);
}

}  // namespace cuvette::driver
