// SPDX-License-Identifier: Apache-2.0
// Reports orders to ThreadSanitizer that it cannot see: it knows nothing of what happens inside
// this library, and would take two accesses that a stream has ordered for a race.
//
// An order is reported at an address: what a thread did before release_at(p) happens before what
// another does after acquire_at(p). Without ThreadSanitizer in the process each costs a test of a
// pointer.
//
// Threads: any.
#pragma once

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace cuvette {

inline void acquire_at(const void* address) {
  if (__tsan_acquire) [[unlikely]]
    __tsan_acquire(const_cast<void*>(address));
}

inline void release_at(const void* address) {
  if (__tsan_release) [[unlikely]]
    __tsan_release(const_cast<void*>(address));
}

}  // namespace cuvette
