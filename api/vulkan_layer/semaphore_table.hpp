// SPDX-License-Identifier: Apache-2.0
// SemaphoreTable: the application's semaphores of one device, and what replaces each of them.
//
// The application's handle is always a semaphore of the driver of the same type. If it can be
// exported, or something was imported into it, a SharedSemaphore has its place wherever it is used.
// An import may be temporary: then the next wait uses it up.
//
// Threads: any. Lock order: the table's mutex, then a semaphore's.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "api/vulkan_layer/shared_semaphore.hpp"
#include "sim/base/mutex.hpp"

namespace cuvette::vulkan_layer {

using SharedRef = std::shared_ptr<SharedSemaphore>;

class SemaphoreTable {
 public:
  explicit SemaphoreTable(SemaphoreHome& home) : home_(home) {}

  // Notes a semaphore that the driver has made. `shared`: it can be exported.
  VkResult add(VkSemaphore semaphore, Kind kind, uint64_t initial, bool shared) EXCLUDES(mutex_);
  void remove(VkSemaphore semaphore) EXCLUDES(mutex_);

  VkResult export_fd(VkSemaphore semaphore, int* fd) EXCLUDES(mutex_);
  // Closes `fd` if it succeeds.
  VkResult import_fd(VkSemaphore semaphore, int fd, bool temporary) EXCLUDES(mutex_);

  // Whether any semaphore is shared: otherwise nothing needs to be translated.
  bool any_shared() const { return shared_.load(std::memory_order_relaxed) != 0; }
  // Returns what replaces a semaphore; null if nothing does.
  SharedRef find(VkSemaphore semaphore) EXCLUDES(mutex_);
  // The same for a wait of a queue, which uses up what was imported for a while.
  SharedRef find_for_wait(VkSemaphore semaphore) EXCLUDES(mutex_);
  // The wait was not submitted after all.
  void wait_again(VkSemaphore semaphore, const SharedRef& used) EXCLUDES(mutex_);

  // Writes what the device has signalled into the blocks.
  void publish() EXCLUDES(mutex_) {
    if (home_.pending_signals.load() > 0) publish_all();
  }
  // The device is to be destroyed: ends all waits, and returns whether there were any.
  bool release() EXCLUDES(mutex_);
  // Forgets all semaphores.
  void clear() EXCLUDES(mutex_);
  // The process exits.
  void end_helpers() EXCLUDES(mutex_);

 private:
  struct Entry {
    Kind kind = Kind::binary;
    SharedRef permanent;
    SharedRef temporary;
    const SharedRef& current() const { return temporary ? temporary : permanent; }
  };

  void publish_all() EXCLUDES(mutex_);
  std::vector<SharedRef> all() REQUIRES(mutex_);
  void drop(SharedRef semaphore, std::vector<SharedRef>& ended) REQUIRES(mutex_);
  void sweep(std::vector<SharedRef>& ended) REQUIRES(mutex_);

  SemaphoreHome& home_;
  std::atomic<size_t> shared_{0};
  Mutex mutex_;
  std::unordered_map<VkSemaphore, Entry> entries_ GUARDED_BY(mutex_);
  // No handle refers to these any more, but queues still wait for them or will signal them.
  std::vector<SharedRef> lingering_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::vulkan_layer
