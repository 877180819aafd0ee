// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/grid_counts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "sim/ptx/abi/access_counts.hpp"

namespace cuvette::exec {

// --- Addresses -----------------------------------------------------------------------------------

void AddressCounts::add(uint64_t address, uint64_t times) {
  all_ += times;
  add_times(address, times);
}

void AddressCounts::add(const AddressCounts& other) {
  for (const Entry& one : other.table_)
    if (one.times > 0) add_times(one.address, one.times);
  all_ += other.all_;
  most_forgotten_ += other.most_forgotten_;
  sector_visits_ += other.sector_visits_;
}

void AddressCounts::add_times(uint64_t address, uint64_t times) {
  if (table_.empty()) table_.resize(least_places);
  Entry& one = place_of(address);
  if (one.times == 0) {
    one.address = address;
    ++count_;
  }
  one.times += times;
  if (count_ > most)
    forget_some();
  else if (count_ * 2 > table_.size())
    move_to(table_.size() * 2, 0);
}

// The entry of the address, or a free one.
AddressCounts::Entry& AddressCounts::place_of(uint64_t address) {
  const size_t places = table_.size();
  size_t at = address * 0x9e3779b97f4a7c15u >> 32 & (places - 1);
  while (table_[at].times != 0 && table_[at].address != address) at = (at + 1) & (places - 1);
  return table_[at];
}

// Keeps the entries with more than `limit` times.
void AddressCounts::move_to(size_t places, uint64_t limit) {
  std::vector<Entry> old(places);
  old.swap(table_);
  count_ = 0;
  for (const Entry& one : old) {
    if (one.times <= limit) continue;
    place_of(one.address) = one;
    ++count_;
  }
}

// Forgets the less frequent half. One of them may come again, so the others' counts are from now on
// a lower bound that is too low by at most what the most frequent of those had.
void AddressCounts::forget_some() {
  std::vector<uint64_t> counts;
  for (const Entry& one : table_)
    if (one.times > 0) counts.push_back(one.times);
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  most_forgotten_ += *middle;
  move_to(table_.size(), *middle);
}

AddressCounts::Hottest AddressCounts::hottest() const {
  Hottest result;
  for (const Entry& one : table_)
    if (one.times > result.times ||
        (one.times > 0 && one.times == result.times && one.address < result.address))
      result = {one.address, one.times, most_forgotten_ > 0};
  return result;
}

// --- Counts --------------------------------------------------------------------------------------

void add_counter(ptx::Counter& to, const ptx::Counter& from) {
  to.executions += from.executions;
  to.lanes += from.lanes;
  to.divergent += from.divergent;
  to.global_requests += from.global_requests;
  to.global_lanes += from.global_lanes;
  to.sectors += from.sectors;
  to.ideal_sectors += from.ideal_sectors;
  to.shared_requests += from.shared_requests;
  to.shared_lanes += from.shared_lanes;
  to.wavefronts += from.wavefronts;
  to.ideal_wavefronts += from.ideal_wavefronts;
  to.most_together = std::max(to.most_together, from.most_together);
  to.behind_others += from.behind_others;
  to.whole += from.whole;
  to.whole_units += from.whole_units;
  // Of two strides, the one of more requests.
  if (to.strided > 0 && to.stride == from.stride) {
    to.strided += from.strided;
  } else if (from.strided > to.strided) {
    to.stride = from.stride;
    to.strided = from.strided;
  }
}

ptx::Counter settled(const ptx::Counter& counter, const ptx::CountedPlace& place) {
  ptx::Counter result = counter;
  result.whole = result.whole_units = 0;
  const uint64_t times = counter.whole;
  if (times == 0) return result;
  const uint64_t lanes = times * ptx::warp_size;
  const uint64_t units = place.units ? times * place.units : counter.whole_units;
  const uint64_t ideal = place.ideal ? std::min(units, times * place.ideal) : units;
  ptx::Counter whole{};
  whole.executions = times;
  whole.lanes = lanes;
  if (place.access & ptx::access_shared) {
    whole.shared_requests = times;
    whole.shared_lanes = lanes;
    whole.wavefronts = units;
    whole.ideal_wavefronts = ideal;
  } else {
    whole.global_requests = times;
    whole.global_lanes = lanes;
    whole.sectors = units;
    whole.ideal_sectors = ideal;
  }
  if (place.stride != ptx::CountedPlace::apart) {
    whole.stride = place.stride;
    whole.strided = times;
  }
  add_counter(result, whole);
  return result;
}

void Counts::add(const Counts& other) {
  if (counters.size() < other.counters.size()) counters.resize(other.counters.size());
  for (size_t n = 0; n < other.counters.size(); ++n) add_counter(counters[n], other.counters[n]);
  for (const auto& [number, addresses] : other.atomics) atomics[number].add(addresses);
}

// --- Threads -------------------------------------------------------------------------------------

namespace {

uint64_t next_number() {
  static constinit std::atomic<uint64_t> numbers{0};
  return numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

// The counts that the thread used last, and which grid they are of.
struct LastUsed {
  uint64_t number = 0;
  Counts* counts = nullptr;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local LastUsed last_used;

}  // namespace

GridCounts::GridCounts(size_t counters) : counters_(counters), number_(next_number()) {}

// A thread that runs several grids in turns may get several of one grid; all are added up.
Counts& GridCounts::of_this_thread() {
  if (last_used.number == number_) return *last_used.counts;
  auto made = std::make_unique<Counts>();
  made->counters.resize(std::max<size_t>(counters_, 1));
  last_used = {number_, made.get()};
  MutexLock lock(mutex_);
  all_.push_back(std::move(made));
  return *last_used.counts;
}

Counts GridCounts::sum() {
  MutexLock lock(mutex_);
  Counts result;
  result.counters.resize(counters_);
  for (const auto& one : all_) result.add(*one);
  return result;
}

// --- Accesses ------------------------------------------------------------------------------------

namespace {

uint32_t lanes_of(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

void count_stride(ptx::Counter& counter, const uint64_t* addresses, uint32_t mask) {
  int64_t stride = 0;
  if (!ptx::stride_of(addresses, mask, stride)) return;
  if (counter.strided == 0) counter.stride = stride;
  counter.strided += counter.stride == stride;
}

void count_together(ptx::Counter& counter, AddressCounts& places, const uint64_t* addresses,
                    uint32_t mask, uint64_t kind) {
  const ptx::Addresses all = ptx::different_addresses(addresses, mask);
  for (uint32_t n = 0; n < all.count; ++n) {
    counter.most_together = std::max<uint64_t>(counter.most_together, all.lanes[n]);
    places.add(all.address[n] | kind, all.lanes[n]);
  }
  counter.behind_others += lanes_of(mask) - all.count;
  if (kind != shared_address) places.add_sector_visits(ptx::sector_visits(all));
}

}  // namespace

void count_access(ptx::Counter& counter, Counts& counts, uint32_t number, const BlockMemory& block,
                  const uint64_t* addresses, uint32_t mask, uint32_t access) {
  if (mask == 0) return;
  const uint32_t bytes = ptx::access_bytes(access);
  uint32_t shared = access & ptx::access_shared ? mask : 0;
  uint64_t offsets[ptx::warp_size];
  const uint64_t* in_shared = addresses;
  uint32_t own = 0;  // lanes that access their thread's own memory
  if (access & ptx::access_generic) {
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      const uint64_t address = addresses[lane];
      offsets[lane] = address - block.shared;
      if (offsets[lane] < block.shared_bytes)
        shared |= 1u << lane;
      else if (address - block.local < block.local_bytes)
        own |= 1u << lane;
    }
    in_shared = offsets;
  }
  ++counter.executions;
  counter.lanes += lanes_of(mask);
  const uint32_t global = mask & ~shared & ~own;
  const bool atomic = access & ptx::access_atomic;
  if (global != 0) {
    const uint32_t sectors = ptx::sectors_of(addresses, global);
    ++counter.global_requests;
    counter.global_lanes += lanes_of(global);
    counter.sectors += sectors;
    counter.ideal_sectors += std::min(sectors, ptx::ideal_sectors(lanes_of(global), bytes));
    count_stride(counter, addresses, global);
    if (atomic) count_together(counter, counts.atomics[number], addresses, global, 0);
  }
  if (shared != 0) {
    const ptx::SharedUse use = atomic                       ? ptx::SharedUse::atomic
                               : access & ptx::access_write ? ptx::SharedUse::store
                                                            : ptx::SharedUse::load;
    const uint32_t wavefronts = ptx::wavefronts_of(in_shared, shared, bytes, use);
    ++counter.shared_requests;
    counter.shared_lanes += lanes_of(shared);
    counter.wavefronts += wavefronts;
    counter.ideal_wavefronts += std::min(wavefronts, ptx::ideal_wavefronts(shared, bytes));
    if (global == 0) count_stride(counter, in_shared, shared);
    if (atomic) count_together(counter, counts.atomics[number], in_shared, shared, shared_address);
  }
}

}  // namespace cuvette::exec
