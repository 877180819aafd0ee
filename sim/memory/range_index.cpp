// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/range_index.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sim/memory/recorded.hpp"

namespace cuvette::memory {
namespace {

// Counts how many of the sorted `values` are at most `limit`, without a branch that could be
// mispredicted.
size_t count_at_most(const DevicePtr* values, size_t count, DevicePtr limit) {
  const DevicePtr* base = values;
  while (count > 1) {
    const size_t half = count / 2;
    base = base[half - 1] <= limit ? base + half : base;
    count -= half;
  }
  return static_cast<size_t>(base - values) + (count == 1 && *base <= limit);
}

}  // namespace

RangeIndex::~RangeIndex() {
  for (const auto& leaf : leaves_) {
    for (uint32_t at = 0; at < leaf->count; ++at) leaf->allocations[at]->release();
  }
}

RangeIndex::Position RangeIndex::last_at_or_before(DevicePtr address) const {
  const size_t leaves = count_at_most(firsts_.data(), firsts_.size(), address);
  if (leaves == 0) return {0, 0, false};
  const Leaf& leaf = *leaves_[leaves - 1];
  return {leaves - 1, static_cast<uint32_t>(count_at_most(leaf.begins, leaf.count, address) - 1),
          true};
}

bool RangeIndex::overlaps(DevicePtr begin, DevicePtr end) const {
  // Only the last one that begins before `end` can reach into the range.
  const Position last = last_at_or_before(end - 1);
  return last.found && leaves_[last.leaf]->allocations[last.at]->end() > begin;
}

// Moves the entries from `at` on to a new leaf.
void RangeIndex::split(size_t index, uint32_t at) {
  auto upper = std::make_unique<Leaf>();
  Leaf& lower = *leaves_[index];
  upper->count = lower.count - at;
  std::copy_n(lower.begins + at, upper->count, upper->begins);
  std::copy_n(lower.allocations + at, upper->count, upper->allocations);
  firsts_.reserve(firsts_.size() + 1);
  leaves_.reserve(leaves_.size() + 1);
  lower.count = at;
  const auto place = static_cast<std::ptrdiff_t>(index) + 1;
  firsts_.insert(firsts_.begin() + place, upper->begins[0]);
  leaves_.insert(leaves_.begin() + place, std::move(upper));
}

bool RangeIndex::insert(const Ref<Allocation>& allocation) {
  if (!add(allocation)) return false;
  record_begin(*allocation);
  return true;
}

bool RangeIndex::hide(const Allocation& allocation) {
  const Ref<Allocation> removed = remove(allocation);
  if (!removed) return false;
  record_freed(*removed);
  return true;
}

bool RangeIndex::erase(const Allocation& allocation) {
  const Ref<Allocation> removed = remove(allocation);
  if (!removed) return false;
  record_end(*removed);
  return true;
}

bool RangeIndex::add(Ref<Allocation> allocation) {
  const DevicePtr begin = allocation->address;
  const std::unique_lock lock(lock_);
  // If the last one that begins before the end does not reach into the range, it is the one before.
  const Position before = last_at_or_before(allocation->end() - 1);
  if (before.found && leaves_[before.leaf]->allocations[before.at]->end() > begin) return false;
  if (leaves_.empty()) {
    firsts_.reserve(1);
    leaves_.push_back(spare_ ? std::move(spare_) : std::make_unique<Leaf>());
    firsts_.push_back(begin);
  }
  size_t index = before.leaf;
  uint32_t at = before.found ? before.at + 1 : 0;
  if (leaves_[index]->count == leaf_capacity) {
    // Rising addresses are the common case, in which the full leaf stays full.
    const bool rising = at == leaf_capacity && index + 1 == leaves_.size();
    const uint32_t kept = rising ? leaf_capacity - 1 : leaf_capacity / 2;
    split(index, kept);
    if (at > kept) ++index, at -= kept;
  }
  Leaf& leaf = *leaves_[index];
  std::copy_backward(leaf.begins + at, leaf.begins + leaf.count, leaf.begins + leaf.count + 1);
  std::copy_backward(leaf.allocations + at, leaf.allocations + leaf.count,
                     leaf.allocations + leaf.count + 1);
  leaf.begins[at] = begin;
  leaf.allocations[at] = allocation.leak();
  ++leaf.count;
  firsts_[index] = leaf.begins[0];
  return true;
}

Ref<Allocation> RangeIndex::remove(const Allocation& allocation) {
  const std::unique_lock lock(lock_);
  const Position position = last_at_or_before(allocation.address);
  if (!position.found) return nullptr;
  Leaf& leaf = *leaves_[position.leaf];
  if (leaf.allocations[position.at] != &allocation) return nullptr;
  auto removed = Ref<Allocation>::adopt(leaf.allocations[position.at]);
  std::copy(leaf.begins + position.at + 1, leaf.begins + leaf.count, leaf.begins + position.at);
  std::copy(leaf.allocations + position.at + 1, leaf.allocations + leaf.count,
            leaf.allocations + position.at);
  --leaf.count;
  if (leaf.count == 0) {
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(position.leaf));
    spare_ = std::move(leaves_[position.leaf]);
    leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(position.leaf));
  } else {
    firsts_[position.leaf] = leaf.begins[0];
  }
  return removed;
}

Ref<Allocation> RangeIndex::find(DevicePtr address) const {
  const std::shared_lock lock(lock_);
  const Position position = last_at_or_before(address);
  if (!position.found) return nullptr;
  Allocation* const allocation = leaves_[position.leaf]->allocations[position.at];
  return allocation->contains(address, 1) ? Ref<Allocation>(allocation) : nullptr;
}

bool RangeIndex::look_at(DevicePtr address, Look look, void* context) const {
  const std::shared_lock lock(lock_);
  const Position position = last_at_or_before(address);
  if (!position.found) return false;
  const Allocation& allocation = *leaves_[position.leaf]->allocations[position.at];
  if (!allocation.contains(address, 1)) return false;
  look(context, allocation);
  return true;
}

bool RangeIndex::any(DevicePtr begin, DevicePtr end) const {
  const std::shared_lock lock(lock_);
  return overlaps(begin, end);
}

Ref<Allocation> RangeIndex::last_in(DevicePtr begin, DevicePtr end) const {
  const std::shared_lock lock(lock_);
  if (!overlaps(begin, end)) return nullptr;
  const Position last = last_at_or_before(end - 1);
  return Ref<Allocation>(leaves_[last.leaf]->allocations[last.at]);
}

std::vector<Ref<Allocation>> RangeIndex::all() const {
  std::vector<Ref<Allocation>> all;
  const std::shared_lock lock(lock_);
  for (const auto& leaf : leaves_) {
    for (uint32_t at = 0; at < leaf->count; ++at) all.emplace_back(leaf->allocations[at]);
  }
  return all;
}

}  // namespace cuvette::memory
