// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/semaphore_table.hpp"

#include <cstdio>
#include <utility>

#include "sim/os/output.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::vulkan_layer {
namespace {

VkResult result_of(Error error) {
  switch (error) {
    case Error::out_of_memory:
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    case Error::operating_system:
      return VK_ERROR_TOO_MANY_OBJECTS;
    default:
      return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  }
}

}  // namespace

VkResult SemaphoreTable::add(VkSemaphore semaphore, Kind kind, uint64_t initial, bool shared) {
  Entry entry;
  entry.kind = kind;
  if (shared) {
    auto block = Block::create(kind, initial);
    if (!block.ok()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult failure =
        SharedSemaphore::make(home_, kind, std::move(block).value(), entry.permanent);
    if (failure != VK_SUCCESS) return failure;
  }
  MutexLock lock(mutex_);
  entries_[semaphore] = std::move(entry);
  shared_ += shared;
  return VK_SUCCESS;
}

void SemaphoreTable::remove(VkSemaphore semaphore) {
  std::vector<SharedRef> ended;  // destroyed without the lock: their threads have to end
  MutexLock lock(mutex_);
  const auto found = entries_.find(semaphore);
  if (found == entries_.end()) return;
  if (found->second.current()) --shared_;
  drop(std::move(found->second.temporary), ended);
  drop(std::move(found->second.permanent), ended);
  entries_.erase(found);
}

// Gives up a reference: at once if nothing is pending, else when that is over.
void SemaphoreTable::drop(SharedRef semaphore, std::vector<SharedRef>& ended) {
  sweep(ended);
  if (!semaphore) return;
  if (semaphore->is_idle()) {
    ended.push_back(std::move(semaphore));
  } else {
    semaphore->set_abandoned();
    lingering_.push_back(std::move(semaphore));
  }
}

void SemaphoreTable::sweep(std::vector<SharedRef>& ended) {
  std::erase_if(lingering_, [&](SharedRef& one) {
    // A thread that has it may be about to submit.
    if (one.use_count() > 1 || !one->is_idle()) return false;
    ended.push_back(std::move(one));
    return true;
  });
}

VkResult SemaphoreTable::export_fd(VkSemaphore semaphore, int* fd) {
  const SharedRef shared = find(semaphore);
  if (!shared) {
    os::say(
        "vkGetSemaphoreFdKHR: the semaphore was not created with VkExportSemaphoreCreateInfo "
        "and OPAQUE_FD, so it cannot be exported.");
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  }
  const Result<int> copy = shared->block().fd();
  if (!copy.ok()) return result_of(copy.error());
  *fd = copy.value();
  return VK_SUCCESS;
}

VkResult SemaphoreTable::import_fd(VkSemaphore semaphore, int fd, bool temporary) {
  Kind kind;
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(semaphore);
    if (found == entries_.end()) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    kind = found->second.kind;
  }
  auto block = Block::share(fd, kind);
  if (!block.ok()) return result_of(block.error());
  SharedRef shared;
  const VkResult failure = SharedSemaphore::make(home_, kind, std::move(block).value(), shared);
  if (failure != VK_SUCCESS) return failure;

  std::vector<SharedRef> ended;
  MutexLock lock(mutex_);
  Entry& entry = entries_[semaphore];
  if (!entry.current()) ++shared_;
  // "Temporary" is for binary semaphores; a permanent import takes the place of both.
  drop(std::move(entry.temporary), ended);
  entry.temporary = nullptr;
  if (temporary && kind == Kind::binary) {
    entry.temporary = std::move(shared);
  } else {
    drop(std::move(entry.permanent), ended);
    entry.permanent = std::move(shared);
  }
  os::close_fd(fd);
  return VK_SUCCESS;
}

SharedRef SemaphoreTable::find(VkSemaphore semaphore) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(semaphore);
  return found == entries_.end() ? nullptr : found->second.current();
}

SharedRef SemaphoreTable::find_for_wait(VkSemaphore semaphore) {
  std::vector<SharedRef> ended;
  MutexLock lock(mutex_);
  const auto found = entries_.find(semaphore);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  if (!entry.temporary) return entry.permanent;
  const SharedRef used = std::exchange(entry.temporary, nullptr);
  if (!entry.permanent) --shared_;
  sweep(ended);
  lingering_.push_back(used);
  return used;
}

void SemaphoreTable::wait_again(VkSemaphore semaphore, const SharedRef& used) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(semaphore);
  if (found == entries_.end() || found->second.current() == used || found->second.temporary) return;
  if (!found->second.permanent) ++shared_;
  found->second.temporary = used;
  std::erase(lingering_, used);
}

std::vector<SharedRef> SemaphoreTable::all() {
  std::vector<SharedRef> found(lingering_);
  for (const auto& [handle, entry] : entries_)
    for (const SharedRef& one : {entry.permanent, entry.temporary})
      if (one) found.push_back(one);
  return found;
}

void SemaphoreTable::publish_all() {
  MutexLock lock(mutex_);
  for (const SharedRef& one : all()) one->publish();
}

bool SemaphoreTable::release() {
  MutexLock lock(mutex_);
  bool any = false;
  for (const SharedRef& one : all()) any |= one->release();
  return any;
}

void SemaphoreTable::clear() {
  std::vector<SharedRef> ended;
  MutexLock lock(mutex_);
  ended = all();
  entries_.clear();
  lingering_.clear();
  shared_ = 0;
}

void SemaphoreTable::end_helpers() {
  MutexLock lock(mutex_);
  for (const SharedRef& one : all()) one->end_helpers();
}

}  // namespace cuvette::vulkan_layer
