// SPDX-License-Identifier: Apache-2.0
// OverlappingMappings: hints about buffers of one external memory that overlap, with
// CUVETTE_CHECK=aliases.
//
// The contract of cuExternalMemoryGetMappedBuffer recommends that the combined range be mapped, and
// asks for volatile accesses otherwise. So the hint is given once kernels have used bytes that both
// have, by both of them: copies and fills need no such care. There is none if
// - a kernel has used such bytes of one of the two by volatile or atomic accesses, or between
//   fences for aliases: it knows what it does;
// - the two come from two imports: two libraries, perhaps, that know nothing of each other;
// - it is reported as a mistake, with the same advice;
// - it is memory of cuMemCreate: its mappings are whole handles, and have other reasons.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/alias_watch.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

class OverlappingMappings final : public device::Observer, public watch::KernelObserver {
 public:
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override EXCLUDES(mutex_);
  void freed(const memory::Allocation& memory) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  // How kernels have used buffers that overlap with others, by buffer_id.
  std::unordered_map<uint64_t, watch::AliasUse> uses_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
