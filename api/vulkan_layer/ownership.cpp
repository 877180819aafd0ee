// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/ownership.hpp"

#include <utility>

namespace cuvette::vulkan_layer {
namespace {

uint64_t value_in(const std::map<VkSemaphore, uint64_t>& values, VkSemaphore timeline) {
  const auto found = values.find(timeline);
  return found == values.end() ? 0 : found->second;
}

// Counts the submissions of all devices.
std::atomic<uint64_t> last_number{0};

}  // namespace

// --- Submissions ---------------------------------------------------------------------------------

VkResult Ownership::timeline_of(VkQueue queue, VkSemaphore& timeline) {
  {
    MutexLock lock(mutex_);
    if (const auto found = lines_.find(queue); found != lines_.end()) {
      timeline = found->second.semaphore;
      return VK_SUCCESS;
    }
  }
  // No other thread creates one for this queue: a queue is used by one thread at a time.
  Timeline made;
  if (const VkResult failure = timelines_.make(0, made); failure != VK_SUCCESS) return failure;
  timeline = made.semaphore;
  MutexLock lock(mutex_);
  lines_[queue] = made;
  return VK_SUCCESS;
}

VkResult Ownership::add(VkQueue queue, Transfers transfers, const void* place, Order& order) {
  if (const VkResult failure = timeline_of(queue, order.timeline); failure != VK_SUCCESS)
    return failure;
  for (const Transfer& one : transfers.list)
    if (!one.range.exact) one.range.memory->give_up();
  // Here, too, so that the list stays short in a program that never queries ownership.
  Values values;
  const bool known = read(values);
  MutexLock lock(mutex_);
  if (known) settle(values);
  Timeline& line = lines_[queue];
  order.number = ++last_number;
  order.started = ++line.value;
  order.ended = ++line.value;
  pending_.push_back({order, std::move(transfers.list), place});
  return VK_SUCCESS;
}

void Ownership::cancel(const Order& order) {
  MutexLock lock(mutex_);
  std::erase_if(pending_, [&](const Submission& one) { return one.order.number == order.number; });
}

void Ownership::give_up(const Transfers& transfers) {
  for (const Transfer& one : transfers.list) one.range.memory->give_up();
}

// --- Questions -----------------------------------------------------------------------------------

// Reads the timelines. False if one cannot be read, or the device is about to be destroyed.
bool Ownership::read(Values& values) {
  {
    MutexLock lock(mutex_);
    if (has_ended_) return false;
    for (const auto& [queue, line] : lines_) values.emplace(line.semaphore, 0);
    ++readers_;
  }
  bool known = true;
  for (auto& [timeline, value] : values)
    known &= functions_.GetSemaphoreCounterValue(device_, timeline, &value) == VK_SUCCESS;
  MutexLock lock(mutex_);
  if (--readers_ == 0) nobody_reads_.notify_all();
  return known;
}

// Takes what has ended out of the pending ones. Values may be older than the list: what they do not
// know is still pending.
void Ownership::settle(const Values& values) {
  std::erase_if(pending_, [&](const Submission& one) REQUIRES(mutex_) {
    if (value_in(values, one.order.timeline) < one.order.ended) return false;
    for (const auto& [kind, range] : one.transfers) {
      if (range.memory->given_up()) continue;
      if (kind == Transfer::Kind::acquire)
        owned_[range.memory].own(range.begin, range.end, one.order.number, one.place);
      else
        owned_[range.memory].give(range.begin, range.end);
    }
    return true;
  });
  std::erase_if(owned_,
                [](const auto& one) { return one.second.empty() || one.first->given_up(); });
}

void Ownership::append_owned(std::vector<interop::OwnedRange>& owned) {
  Values values;
  if (lost_track_ || !read(values)) return;
  Owned now;
  {
    MutexLock lock(mutex_);
    settle(values);
    now = owned_;
    for (const Submission& one : pending_) {
      const bool started = value_in(values, one.order.timeline) >= one.order.started;
      for (const auto& [kind, range] : one.transfers) {
        if (range.memory->given_up() || (!started && !now.contains(range.memory))) continue;
        OwnedParts& parts = now[range.memory];
        if (kind == Transfer::Kind::acquire) {
          if (started) parts.own(range.begin, range.end, one.order.number, one.place);
          continue;
        }
        if (started) parts.use(range.begin, range.end, one.order.number);
        parts.note_release(range.begin, range.end, one.place);
      }
    }
  }
  for (const auto& [memory, parts] : now) {
    const auto file = memory->file();
    if (!file) continue;
    parts.each([&, &file = *file](uint64_t begin, uint64_t end, const OwnedParts::Part& part) {
      owned.push_back(
          {file.device, file.inode, begin, end, part.since, part.acquired_at, part.released_at});
    });
  }
}

void Ownership::end() {
  std::map<VkQueue, Timeline> lines;
  {
    MutexLock lock(mutex_);
    has_ended_ = true;
    while (readers_ > 0) nobody_reads_.wait(mutex_);
    lines.swap(lines_);
    pending_.clear();
    owned_.clear();
  }
  for (const auto& [queue, line] : lines) timelines_.retire(line);
}

}  // namespace cuvette::vulkan_layer
