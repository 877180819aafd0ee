// SPDX-License-Identifier: Apache-2.0
// ExternalUses: reports commands that use a buffer or an array of external memory whose object is
// destroyed, with CUVETTE_CHECK=api.
//
// "Any existing buffers and CUDA mipmapped arrays mapped onto this object must no longer be used
// and must be explicitly freed": the memory is its exporter's alone again. Kernels count where
// another check wants their footprints.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/order/memory_use.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::check {

class ExternalUses final : public device::Observer, public watch::KernelObserver {
 public:
  // The process's; null without CUVETTE_CHECK=api.
  static ExternalUses* get();

  // The current call destroys the object that keeps `segment`.
  void destroyed(const os::Segment& segment) EXCLUDES(mutex_);

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override EXCLUDES(mutex_);
  void freed(const memory::Allocation& memory) override EXCLUDES(mutex_);

 private:
  // Looks at a use of the memory; none: pageable memory.
  void look(const MemoryUser& user, const Ref<const memory::Allocation>& memory) EXCLUDES(mutex_);

  Mutex mutex_;
  // Where the objects of living buffers were destroyed, by buffer_id.
  std::unordered_map<uint64_t, const void*> destroyed_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
