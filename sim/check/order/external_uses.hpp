// SPDX-License-Identifier: Apache-2.0
// ExternalUses: reports commands that use memory of others which they have been given back, with
// CUVETTE_CHECK=api: a buffer or an array of an external memory object that is destroyed, and
// memory of another process that this process has freed.
//
// "Any existing buffers and CUDA mipmapped arrays mapped onto this object must no longer be used
// and must be explicitly freed": the memory is its exporter's alone again. And "calling cuMemFree
// on an exported memory region before calling cuIpcCloseMemHandle in the importing context will
// result in undefined behavior": the exporter marks the memory that it has named as long as it
// lives (sim/os/range_mark), and commands look for the mark when they begin. Kernels count where
// another check wants their footprints.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

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

  // The current call has opened another process's memory at this address.
  void opened(memory::DevicePtr address) EXCLUDES(mutex_);

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override EXCLUDES(mutex_);
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override EXCLUDES(mutex_);
  void freed(const memory::Allocation& memory) override EXCLUDES(mutex_);

 private:
  // Look at a use of the memory; none: pageable memory.
  void look(const MemoryUser& user, const Ref<const memory::Allocation>& memory) EXCLUDES(mutex_);
  void look_for_mark(const MemoryUser& user, const Ref<const memory::Allocation>& memory)
      EXCLUDES(mutex_);
  bool any_destroyed() EXCLUDES(mutex_);
  bool any_opened() EXCLUDES(mutex_);

  Mutex mutex_;
  // Where the objects of living buffers were destroyed, by buffer_id.
  std::unordered_map<uint64_t, const void*> destroyed_ GUARDED_BY(mutex_);
  // Memory of others, by buffer_id. Memory without a mark when it was opened is left out: its
  // exporter sets none.
  std::unordered_set<uint64_t> opened_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
