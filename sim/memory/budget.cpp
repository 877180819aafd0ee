// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/budget.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "sim/os/clock.hpp"
#include "sim/os/output.hpp"
#include "sim/os/process.hpp"

namespace cuvette::memory {
namespace {

constexpr size_t largest_grant = size_t{256} << 20;
constexpr size_t largest_reserve = size_t{256} << 20;
constexpr int64_t second_ns = 1'000'000'000;

size_t mebibytes(size_t bytes) { return bytes >> 20; }

}  // namespace

Budget::Budget(bool limited) : limited_(limited), most_asked_ns_(os::now_ns()) {
  const size_t available = os::available_memory();
  reserve_ = std::min(available / 20, largest_reserve);
  most_ = available - reserve_;
}

size_t Budget::most() {
  MutexLock lock(mutex_);
  const int64_t now = os::now_ns();
  if (now - most_asked_ns_ < second_ns) return most_;
  most_asked_ns_ = now;
  size_t resident = 0;
  for (const auto& segment : segments_) resident += segment->resident();
  const size_t available = os::available_memory();
  const size_t most = available - std::min(available, reserve_) + resident;
  const size_t known = most_;
  if (most < known - known / 8 || most > known + known / 8) most_ = most;
  return most_;
}

void Budget::add(Ref<os::Segment> segment) {
  MutexLock lock(mutex_);
  segments_.push_back(std::move(segment));
}

void Budget::remove(const os::Segment& segment) {
  Ref<os::Segment> removed;  // released after the lock
  MutexLock lock(mutex_);
  const auto at = std::find_if(segments_.begin(), segments_.end(),
                               [&](const auto& one) { return one.get() == &segment; });
  if (at == segments_.end()) return;
  removed = std::move(*at);
  *at = std::move(segments_.back());
  segments_.pop_back();
}

Result<> Budget::promise(size_t bytes) {
  TRY(debit(bytes));
  promised_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return {};
}

void Budget::take_back(size_t bytes) {
  promised_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  int64_t grant = grant_.load(std::memory_order_relaxed);
  const auto most = static_cast<int64_t>(largest_grant);
  while (grant < most &&
         !grant_.compare_exchange_weak(
             grant,
             std::min<int64_t>(grant + static_cast<int64_t>(std::min(bytes, largest_grant)), most),
             std::memory_order_relaxed)) {
  }
}

Result<> Budget::spend(size_t bytes) { return debit(bytes); }

Result<> Budget::debit(size_t bytes) {
  const auto wanted = static_cast<int64_t>(std::min<size_t>(bytes, INT64_MAX));
  int64_t grant = grant_.load(std::memory_order_relaxed);
  while (grant >= wanted) {
    if (grant_.compare_exchange_weak(grant, grant - wanted, std::memory_order_relaxed)) return {};
  }
  return ask_the_machine(bytes);
}

// The same rule as that by which cuMemGetInfo says what is free: each device by itself.
Result<> Budget::refuse_beyond_machine(size_t bytes, size_t used) {
  const size_t most = this->most();
  if (used <= most) return {};
  MutexLock lock(mutex_);
  if (may_say_so())
    os::say(
        "out of memory: %zu MiB are needed, but the device has %zu MiB in use of the %zu MiB that "
        "the machine (or the cgroup) can give it.",
        mebibytes(bytes), mebibytes(used - bytes), mebibytes(most));
  return Error::out_of_memory;
}

Result<> Budget::grant_some(size_t bytes) {
  const size_t before = allocated_.fetch_add(bytes, std::memory_order_relaxed);
  const size_t most = this->most();
  if (before <= most && bytes <= most - before) return {};
  withdraw(bytes);
  MutexLock lock(mutex_);
  if (may_say_so())
    os::say(
        "out of memory: %zu MiB are needed, but devices have %zu MiB of the %zu MiB that the "
        "cgroup allows them.",
        mebibytes(bytes), mebibytes(before), mebibytes(most));
  return Error::out_of_memory;
}

// At most one sentence a second, so that a program that goes on asking does not flood its stderr.
bool Budget::may_say_so() {
  const int64_t now = os::now_ns();
  if (last_sentence_ns_ != 0 && now - last_sentence_ns_ <= second_ns) return false;
  last_sentence_ns_ = now;
  return true;
}

Result<> Budget::ask_the_machine(size_t bytes) {
  MutexLock lock(mutex_);
  // Memory that is promised but not touched yet still counts as available to the machine.
  size_t resident = 0;
  for (const auto& segment : segments_) resident += segment->resident();
  const auto promised =
      static_cast<size_t>(std::max<int64_t>(0, promised_.load(std::memory_order_relaxed)));
  const size_t outstanding = promised - std::min(promised, resident);
  const size_t available = os::available_memory();
  const size_t kept = std::min(available, reserve_ + outstanding);
  const size_t left = available - kept;
  if (bytes > left) {
    if (may_say_so()) {
      os::say(
          "out of memory: %zu MiB are needed, but of the %zu MiB that the machine (or the cgroup) "
          "has left, %zu MiB are already promised to device memory and %zu MiB are kept in "
          "reserve. CUVETTE_MEMORY sets how much memory a device has (there is room for "
          "CUVETTE_MEMORY=%zuM now).",
          mebibytes(bytes), mebibytes(available), mebibytes(outstanding), mebibytes(reserve_),
          mebibytes(resident + left));
    }
    return Error::out_of_memory;
  }
  const size_t grant = std::min(left - bytes, largest_grant);
  grant_.store(static_cast<int64_t>(grant), std::memory_order_relaxed);
  return {};
}

}  // namespace cuvette::memory
