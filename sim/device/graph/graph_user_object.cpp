// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_user_object.hpp"

#include "sim/device/stream/thread.hpp"

namespace cuvette::device {

bool UserObject::retain_references(unsigned count) {
  uint64_t now = references_.load(std::memory_order_relaxed);
  do {
    if (now == 0 || now + count > INT32_MAX) return false;
  } while (!references_.compare_exchange_weak(now, now + count, std::memory_order_relaxed));
  return true;
}

bool UserObject::release_references(unsigned count) {
  uint64_t now = references_.load(std::memory_order_relaxed);
  release_at(&references_);
  do {
    if (now < count) return false;
  } while (!references_.compare_exchange_weak(now, now - count, std::memory_order_acq_rel));
  if (now != count) return true;
  acquire_at(&references_);
  // The handle's reference to this may be the last one.
  const Ref<UserObject> self(this);
  ended_(*this);
  const Thread::HostFunctionScope scope(Thread::Barred::in_destructor);
  destroy_(object_);
  return true;
}

}  // namespace cuvette::device
