// SPDX-License-Identifier: Apache-2.0
// The registry of handles: one table for each row of handle_types.def, and the only way to find an
// object, to give it a handle and to end the handle. handles.hpp and similar headers add further
// checks, such as for a usable context.
//
// Threads: any.
#pragma once

#include <type_traits>

#include "api/driver/handle_types.hpp"
#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"

namespace cuvette::driver {

namespace detail {

template <typename Object>
inline constinit typename HandleType<Object>::Table handle_table{};

template <typename Handle>
uintptr_t number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<uintptr_t>(handle);
  else
    return static_cast<uintptr_t>(handle);
}
template <typename Handle>
Handle handle_with(uintptr_t number) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(number);
  else
    return static_cast<Handle>(number);
}

// Notifies the API check, if it is on, that the running call ends a handle.
void note_ended(uintptr_t handle);

// `ending`: whether, and how, a handle of this type ended.
Error refuse_handle(uintptr_t handle, const HandleErrors& errors, Ending ending);
template <typename Object>
[[gnu::cold]] [[gnu::noinline]] Error refuse_handle(uintptr_t handle) {
  return refuse_handle(handle, HandleType<Object>::errors, handle_table<Object>.ending(handle));
}

}  // namespace detail

// Returns the object, or null if the handle is not live.
template <typename Object>
Ref<Object> find_live(HandleOf<Object> handle) {
  return detail::handle_table<Object>.find(detail::number_of(handle));
}

// Calls `use` with the object, without counting a reference to it; false if the handle is not live.
// Whoever ends the handle waits for `use`: see HandleTable::visit().
template <typename Object, typename Use>
bool visit(HandleOf<Object> handle, const Use& use) {
  return detail::handle_table<Object>.visit(detail::number_of(handle), use);
}

// Return the object. Errors: those in the type's row.
template <typename Object>
Result<Ref<Object>> find_as(HandleOf<Object> handle) {
  if (Ref<Object> object = find_live<Object>(handle)) [[likely]]
    return object;
  return detail::refuse_handle<Object>(detail::number_of(handle));
}
template <typename Handle>
Result<Ref<ObjectOf<Handle>>> find(Handle handle) {
  return find_as<ObjectOf<Handle>>(handle);
}

// Returns the handle of an object; the first call creates it. Errors: out_of_memory.
template <typename Object>
Result<HandleOf<Object>> give_handle(Object& object) {
  return detail::handle_with<HandleOf<Object>>(TRY(detail::handle_table<Object>.add(object)));
}
// Returns the object's handle, or null if it has none.
template <typename Object>
HandleOf<Object> handle_of(const Object& object) {
  return detail::handle_with<HandleOf<Object>>(object.api_name());
}

// Ends a handle and returns its object; null if the handle is not live. If several threads end a
// handle, one of them gets the object.
template <typename Object>
Ref<Object> forget_handle(HandleOf<Object> handle) {
  Ref<Object> object =
      detail::handle_table<Object>.remove(detail::number_of(handle), Ending::alone);
  if (object) detail::note_ended(detail::number_of(handle));
  return object;
}
// Does the same for the object's handle, if it has one.
template <typename Object>
Ref<Object> forget_handle_of(const Object& object) {
  return forget_handle<Object>(handle_of(object));
}
// Ends the handles of all objects that satisfy `predicate`: as a rule, the objects of a context
// that ends.
template <typename Object, typename Predicate>
void forget_handles_if(const Predicate& predicate, Ending how = Ending::with_its_context) {
  detail::handle_table<Object>.remove_if(predicate, how);
}

}  // namespace cuvette::driver
