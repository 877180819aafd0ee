// SPDX-License-Identifier: Apache-2.0
// Partner: libcuda in the same process, if it imports semaphores of the layer.
//
// Without it a signal of a stream is seen by a thread that has to wake up first, and a signal of a
// queue by libcuda's poller. With it each side tells the other one what it has written, and nobody
// has to wait. Other processes are served by the threads, as before.
//
// Threads: any. Lock order: the partner's mutex, then a semaphore's; none is held while libcuda is
// told.
#pragma once

#include <atomic>
#include <map>
#include <utility>

#include "api/vulkan_layer/block.hpp"
#include "sim/interop/external/semaphore_layout.hpp"
#include "sim/mutex.hpp"

namespace cuvette::vulkan_layer {

class SharedSemaphore;

class Partner {
 public:
  static Partner& get();

  // Adds a semaphore that has just been made, and removes it before it ends.
  void add(SharedSemaphore& semaphore) EXCLUDES(mutex_);
  void remove(SharedSemaphore& semaphore) EXCLUDES(mutex_);

  void meet(const interop::SemaphorePartner* libcuda) { libcuda_ = libcuda; }
  // libcuda has written into a block.
  void written(uint64_t device, uint64_t inode) EXCLUDES(mutex_);
  // Tells libcuda that the layer has written into a block.
  void tell(const Block& block) const;

  // Tells libcuda at its end, if a function that takes a semaphore's lock later has written into
  // the block.
  class Tell {
   public:
    explicit Tell(Block& block) : block_(block) {}
    ~Tell() {
      if (block_.take_written()) Partner::get().tell(block_);
    }
    Tell(const Tell&) = delete;
    Tell& operator=(const Tell&) = delete;

   private:
    Block& block_;
  };

 private:
  using Identity = std::pair<uint64_t, uint64_t>;

  std::atomic<const interop::SemaphorePartner*> libcuda_{nullptr};
  Mutex mutex_;
  std::multimap<Identity, SharedSemaphore*> living_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::vulkan_layer
