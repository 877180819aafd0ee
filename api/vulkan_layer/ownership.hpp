// SPDX-License-Identifier: Apache-2.0
// Ownership: which memory Vulkan owns, of one device: what barriers have acquired from
// VK_QUEUE_FAMILY_EXTERNAL and not released to it yet.
//
// Each queue that is given transfers gets a timeline. Each submission with transfers has two values
// of it: the queue signals the first when the submission's waits are over and the second when its
// commands are, before anything that the program wants to be signalled. So no thread follows the
// queues: the thread that asks reads the timelines.
//
// From the first value to the second, Vulkan owns what the transfers name. After the second, the
// last transfer decides. Before the first, nothing has changed: the submission may wait for CUDA.
// Memory for which no transfer has been submitted has no owner.
//
// Threads: any. The mutex is a leaf; it is not held while the driver is called.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "api/vulkan_layer/functions.hpp"
#include "api/vulkan_layer/owned_parts.hpp"
#include "api/vulkan_layer/timelines.hpp"
#include "api/vulkan_layer/transfer.hpp"
#include "sim/base/mutex.hpp"
#include "sim/interop/external/ownership_layout.hpp"

namespace cuvette::vulkan_layer {

class Ownership {
 public:
  // A submission's place in the order of its queue.
  struct Order {
    uint64_t number = 0;  // of the submission, in this process
    VkSemaphore timeline = VK_NULL_HANDLE;
    uint64_t started = 0, ended = 0;  // values of the timeline
  };

  Ownership(VkDevice device, const DeviceFunctions& functions, Timelines& timelines)
      : device_(device), functions_(functions), timelines_(timelines) {}

  // Adds a submission, which is about to be made: one at a time for each queue. `place`: where the
  // program makes it.
  VkResult add(VkQueue queue, Transfers transfers, const void* place, Order& order)
      EXCLUDES(mutex_);
  // It was not made after all.
  void cancel(const Order& order) EXCLUDES(mutex_);
  // Transfers are submitted that cannot be followed: from now on the memory's owner is unknown.
  static void give_up(const Transfers& transfers);

  // Something was missed: from now on nothing is known.
  void lose_track() { lost_track_ = true; }

  // Appends what Vulkan owns now.
  void append_owned(std::vector<interop::OwnedRange>& owned) EXCLUDES(mutex_);

  // The device, which is idle, is destroyed next. Waits for the threads that read its timelines.
  void end() EXCLUDES(mutex_);

 private:
  struct Submission {
    Order order;
    std::vector<Transfer> transfers;
    const void* place;
  };
  using Values = std::map<VkSemaphore, uint64_t>;
  using Owned = std::map<FollowedRef, OwnedParts>;

  VkResult timeline_of(VkQueue queue, VkSemaphore& timeline) EXCLUDES(mutex_);
  bool read(Values& values) EXCLUDES(mutex_);
  void settle(const Values& values) REQUIRES(mutex_);

  const VkDevice device_;
  const DeviceFunctions& functions_;
  Timelines& timelines_;
  std::atomic<bool> lost_track_{false};

  Mutex mutex_;
  std::condition_variable_any nobody_reads_;
  unsigned readers_ GUARDED_BY(mutex_) = 0;  // threads that read the timelines
  bool has_ended_ GUARDED_BY(mutex_) = false;
  std::map<VkQueue, Timeline> lines_ GUARDED_BY(mutex_);  // each with the last value given out
  std::deque<Submission> pending_ GUARDED_BY(mutex_);     // in the order of the calls
  Owned owned_ GUARDED_BY(mutex_);                        // after everything that has ended
};

}  // namespace cuvette::vulkan_layer
