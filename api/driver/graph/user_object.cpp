// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graph/graph_handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::UserObject;

namespace {

// These need no device: they may be called before cuInit.
template <typename Body>
[[gnu::always_inline]] inline CUresult always(Body&& body) {
  return static_cast<CUresult>(driver::detail::guarded(body));
}

Result<> check_count(unsigned count) {
  if (count == 0 || count > INT_MAX)
    return refuse(Error::invalid_value, "The number of references is %u; it must be 1 to %d.",
                  count, INT_MAX);
  return {};
}

// Ends the handle of an object that has lost its last reference.
void forget(UserObject& object) { forget_handle_of(object); }

}  // namespace

extern "C" {

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags) {
  return always([&]() -> Result<> {
    if (!object_out)
      return refuse(Error::invalid_value, "The output pointer for the object is null.");
    if (!destroy) return refuse(Error::invalid_value, "The destructor is null.");
    TRY(check_count(initialRefcount));
    // "CU_USER_OBJECT_NO_DESTRUCTOR_SYNC: Indicates the destructor execution is not synchronized by
    // any CUDA handle": CUDA has no other kind, and the flag must be given.
    if (flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return refuse(Error::invalid_value,
                    "Flags are 0x%x; they must be CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.", flags);
    const auto object = make_ref<UserObject>(ptr, destroy, initialRefcount, forget);
    *object_out = TRY(give_handle(*object));
    return {};
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return always([&]() -> Result<> {
    const auto found = TRY(find(object));
    TRY(check_count(count));
    if (!found->retain_references(count))
      return refuse(Error::invalid_value, "The object cannot count %u more references.", count);
    return {};
  });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return always([&]() -> Result<> {
    const auto found = TRY(find(object));
    TRY(check_count(count));
    if (!found->release_references(count))
      return refuse(Error::invalid_value, "The object has fewer than %u references.", count);
    return {};
  });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto target = TRY(find(graph));
    const auto found = TRY(find(object));
    TRY(check_count(count));
    if (flags & ~static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE))
      return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_GRAPH_USER_OBJECT_MOVE.",
                    flags);
    // "Transfer references from the caller rather than creating new references."
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE) && !found->retain_references(count))
      return refuse(Error::invalid_value, "The object cannot count %u more references.", count);
    MutexLock lock(device::graph_mutex);
    target->hold(found, count);
    return {};
  });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  return call<CUresult>([&]() -> Result<> {
    const auto target = TRY(find(graph));
    const auto found = TRY(find(object));
    TRY(check_count(count));
    {
      MutexLock lock(device::graph_mutex);
      TRY(target->let_go(*found, count));
    }
    // The destructor runs without the lock.
    if (!found->release_references(count))
      return refuse(Error::invalid_value, "The object has fewer than %u references.", count);
    return {};
  });
}

}  // extern "C"
