// SPDX-License-Identifier: Apache-2.0
// OwnedByVulkan: reports commands that use memory which Vulkan owns, with CUVETTE_CHECK=aliases.
//
// Vulkan says by barriers when it hands memory over (VK_QUEUE_FAMILY_EXTERNAL); the Vulkan layer in
// this process follows them. It is asked when a command begins, and when a kernel ends, of which
// only then is known what it has used:
// - Copies and fills must not begin while Vulkan owns what they use. Those of a graph count where
//   nothing in the graph waits: otherwise they may come after what is under way when it begins.
// - A kernel must not use what Vulkan owned when it began or owns when it ends. One that may have
//   talked to others while it ran, by volatile or atomic accesses, counts only if Vulkan has owned
//   the memory all the time; a kernel of a graph, only if it has not communicated.
// Without CUVETTE_CHECK=races or host, kernels note what they use from the first command on that
// has begun while Vulkan owned something.
//
// Threads: any. The mutex is a leaf.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/interop/external/vulkan_ownership.hpp"

namespace cuvette::check {

class OwnedByVulkan final : public device::Observer, public watch::KernelObserver {
 public:
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override EXCLUDES(mutex_);
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override EXCLUDES(mutex_);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  bool wants_touched() const override { return any_.load(std::memory_order_relaxed); }

 private:
  using Ranges = std::vector<interop::OwnedRange>;
  using Command = std::pair<const device::Stream*, uint64_t>;

  std::atomic<bool> any_{false};  // Vulkan has owned something
  Mutex mutex_;
  // The memory that Vulkan owned when kernels that run now began; only those for which it owned
  // anything.
  std::map<Command, Ranges> at_begin_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
