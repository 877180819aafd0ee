// SPDX-License-Identifier: Apache-2.0
// LibcudaLink: the layer's end of the link to libcuda where both are in one process
// and share semaphores. It knows which semaphores the layer has.
//
// Without it a signal of a stream is seen by a thread that has to wake up first, and a signal of a
// queue by libcuda's poller. With it each side notifies the other of what it has written, and no
// thread has to wait. Other processes are served by the threads, as before.
//
// Threads: any. Lock order: the link's mutex, then a semaphore's. Neither is held while libcuda is
// notified or asked; the table's may be, and libcuda takes only locks that come after it.
#pragma once

#include <atomic>
#include <map>
#include <utility>

#include "api/vulkan_layer/block.hpp"
#include "sim/base/mutex.hpp"
#include "sim/interop/external/semaphore_layout.hpp"

namespace cuvette::vulkan_layer {

class SharedSemaphore;

class LibcudaLink {
 public:
  static LibcudaLink& get();

  // Adds a semaphore that has just been made, and removes it before it ends.
  void add(SharedSemaphore& semaphore) EXCLUDES(mutex_);
  void remove(SharedSemaphore& semaphore) EXCLUDES(mutex_);

  void meet(const interop::SemaphorePartner* libcuda) { libcuda_ = libcuda; }
  // Called by libcuda: it has written into a block; does the layer have it, too?
  void written(uint64_t device, uint64_t inode) EXCLUDES(mutex_);
  bool has(uint64_t device, uint64_t inode) EXCLUDES(mutex_);
  // Whether libcuda has the semaphore, too, and notifies the layer of its writes.
  bool tells(const Block& block) const;
  // Notifies libcuda that the layer has written into a block.
  void tell(const Block& block) const;

  // Declared before a semaphore's lock is taken, so that libcuda is notified after the lock is
  // released, if the block was written while it was held.
  class Tell {
   public:
    explicit Tell(Block& block) : block_(block) {}
    ~Tell() {
      if (block_.take_written()) LibcudaLink::get().tell(block_);
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
