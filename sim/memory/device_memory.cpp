// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/device_memory.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/rounding.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::memory {
namespace {

constexpr size_t KiB = 1 << 10, MiB = 1 << 20;

// Freed blocks up to this size wait before they are reused. The two limits keep what waits in a
// core's cache, where filling it is cheap.
constexpr size_t waiting_block = 1 * MiB;
constexpr size_t most_waiting = 256;
constexpr size_t most_waiting_bytes = 1 * MiB;

// Free memory that has been touched is kept up to the first limit, then given back down to the
// second, so that a loop which allocates and frees does not call the kernel.
constexpr size_t most_free_touched = 64 * MiB / Touched::chunk_size;
constexpr size_t kept_free_touched = 32 * MiB / Touched::chunk_size;

// Small allocations follow each other; large ones begin where a huge page may.
size_t alignment_of(size_t size) {
  if (size >= 2 * MiB) return 2 * MiB;
  return size >= 1 * MiB ? 64 * KiB : DeviceMemory::granularity;
}

}  // namespace

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::create(os::Reservation& reservation,
                                                           DevicePtr begin, Size size, Fill fill,
                                                           Budget& budget, size_t gap) {
  Ref<os::Segment> segment = TRY(os::Segment::create("cuvette-device", size.addresses));
  TRY(reservation.map(begin, *segment, 0, size.addresses));
  reservation.keep_out_of_dumps(begin, size.addresses);
  budget.add(segment);
  return std::unique_ptr<DeviceMemory>(
      new DeviceMemory(reservation, std::move(segment), begin, size, fill, budget, gap));
}

DeviceMemory::DeviceMemory(os::Reservation& reservation, Ref<os::Segment> segment, DevicePtr begin,
                           Size size, Fill fill, Budget& budget, size_t gap)
    : segment_(std::move(segment)),
      begin_(begin),
      size_(size),
      gap_(gap),
      fill_(fill),
      budget_(budget),
      touched_(size.addresses / Touched::chunk_size),
      detached_(reservation, segment_, begin, budget),
      heap_(begin, size.addresses) {}

size_t DeviceMemory::taken_by(size_t size) const {
  return std::min(round_up(size + gap_, granularity), size_.capacity);
}

Result<DevicePtr> DeviceMemory::allocate(size_t size, size_t alignment) {
  if (size > size_.capacity) {
    return refuse(Error::out_of_memory, "%zu bytes are more than the device has (%zu).", size,
                  size_.capacity);
  }
  const size_t taken = taken_by(size);
  reclaim();
  TRY(count(taken));
  std::optional<DevicePtr> at;
  {
    MutexLock lock(mutex_);
    at = take(taken, std::max(alignment, granularity));
  }
  if (!at) {
    discount(taken);
    return refuse(Error::out_of_memory,
                  "The device does not have addresses for %zu bytes in one piece: %zu of %zu bytes "
                  "are in use.",
                  taken, used(), size_.capacity);
  }
  if (const Result<> filled = fill(*at, taken, fresh_pattern); !filled.ok()) {
    discount(taken);
    MutexLock lock(mutex_);
    give(*at, taken);
    return filled.error();
  }
  return *at;
}

void DeviceMemory::free(DevicePtr address, size_t size) {
  const size_t taken = taken_by(size);
  detached_.leave(address, taken);
  // This cannot fail: the fresh pattern was written to the same places, so they are touched.
  (void)fill(address, taken, freed_pattern);
  discount(taken);
  MutexLock lock(mutex_);
  if (taken > waiting_block) return give(address, taken);
  waiting_.push_back({address, taken});
  waiting_bytes_ += taken;
  retire(most_waiting_bytes, most_waiting);
}

bool DeviceMemory::keep_lent(DevicePtr address, size_t size) {
  if (!is_lent(address, size)) return false;
  MutexLock lock(mutex_);
  lent_.push_back({address, size});
  lent_count_.store(lent_.size(), std::memory_order_relaxed);
  return true;
}

void DeviceMemory::reclaim_some() {
  std::vector<Freed> closed;
  {
    MutexLock lock(mutex_);
    const auto end = std::partition(lent_.begin(), lent_.end(),
                                    [&](const Freed& one) { return is_lent(one.at, one.size); });
    closed.assign(end, lent_.end());
    lent_.erase(end, lent_.end());
    lent_count_.store(lent_.size(), std::memory_order_relaxed);
  }
  for (const Freed& one : closed) free(one.at, one.size);
}

void DeviceMemory::discard(DevicePtr address, size_t size) {
  detached_.leave(address, size);
  MutexLock lock(mutex_);
  const Touched::Chunks chunks = free_chunks(address, size, {address, address + size});
  if (chunks.empty() || touched_.count(chunks) == 0) return;
  segment_->discard(uint64_t{chunks.first} << Touched::chunk_shift, (chunks.last - chunks.first)
                                                                        << Touched::chunk_shift);
  budget_.take_back(touched_.clear(chunks) * Touched::chunk_size);
}

Result<> DeviceMemory::count(size_t size) {
  size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (size > size_.capacity || used > size_.capacity - size)
      return refuse(Error::out_of_memory,
                    "The device does not have %zu free bytes: %zu of %zu are in use.", size, used,
                    size_.capacity);
  } while (!used_.compare_exchange_weak(used, used + size, std::memory_order_relaxed));
  if (ledger_ && !ledger_->claim(size, size_.capacity)) [[unlikely]] {
    used_.fetch_sub(size, std::memory_order_relaxed);
    return refuse(Error::out_of_memory,
                  "The device does not have %zu free bytes: processes that share it "
                  "(CUVETTE_SHARED_MEMORY=1) have the rest of %zu; `cuvette top` lists them.",
                  size, size_.capacity);
  }
  const Result<> granted = budget_.grant(size, used + size);
  if (!granted.ok()) {
    used_.fetch_sub(size, std::memory_order_relaxed);
    if (ledger_) ledger_->give_back(size);
  }
  return granted;
}

Result<> DeviceMemory::touch_first(Touched::Chunks chunks) {
  // All or nothing: a refused request must not use up what others need.
  const size_t wanted = chunks.last - chunks.first - touched_.count(chunks);
  TRY(budget_.promise(wanted * Touched::chunk_size));
  size_t left = wanted;
  touched_.mark(chunks, [&](size_t fresh) {
    left -= std::min(left, fresh);
    return true;
  });
  // Another thread has touched these since.
  if (left != 0) budget_.take_back(left * Touched::chunk_size);
  return {};
}

Result<> DeviceMemory::fill(DevicePtr at, size_t size, uint32_t pattern) {
  const FilledParts parts = filled_parts(fill_, size);
  const DevicePtr tail = at + size - parts.tail;
  TRY(touch(at, parts.head));
  TRY(touch(tail, parts.tail));
  if (parts.head == 0) return {};
  const os::DeviceAccess access;
  os::fill_elements(host_pointer(at), pattern, sizeof pattern, parts.head / sizeof pattern);
  os::fill_elements(host_pointer(tail), pattern, sizeof pattern, parts.tail / sizeof pattern);
  return {};
}

// Returns the chunks that have a byte of [address, address + size).
Touched::Chunks DeviceMemory::chunks_of(DevicePtr address, size_t size) const {
  const uint64_t first = std::min<uint64_t>(address - begin_, addresses());
  const uint64_t last = first + std::min<uint64_t>(size, addresses() - first);
  if (first == last) return {0, 0};
  return {first >> Touched::chunk_shift, ((last - 1) >> Touched::chunk_shift) + 1};
}

// Returns the chunks that have a byte of [at, at + size) and lie wholly in `block`, of which that
// range is a part.
Touched::Chunks DeviceMemory::free_chunks(DevicePtr at, size_t size, Heap::Block block) const {
  const Touched::Chunks chunks = chunks_of(at, size);
  const size_t first = (block.begin - begin_ + Touched::chunk_size - 1) >> Touched::chunk_shift;
  const size_t last = (block.end - begin_) >> Touched::chunk_shift;
  return {std::max(chunks.first, first), std::min(chunks.last, last)};
}

std::optional<DevicePtr> DeviceMemory::take(size_t size, size_t least) {
  const size_t alignment = std::max(alignment_of(size), least);
  if (auto at = take_aligned(size, alignment)) return at;
  // A block that is reused at once, or one with a smaller alignment, is better than none.
  retire(0, 0);
  if (auto at = take_aligned(size, alignment)) return at;
  return take_aligned(size, least);
}

std::optional<DevicePtr> DeviceMemory::take_aligned(size_t size, size_t alignment) {
  const auto taken = heap_.take(size, alignment);
  if (!taken) return std::nullopt;
  const size_t touched = touched_.count(free_chunks(taken->at, size, taken->from));
  free_touched_ -= std::min(free_touched_, touched);
  return taken->at;
}

void DeviceMemory::give(DevicePtr at, size_t size) {
  const Heap::Block block = heap_.give(at, size);
  free_touched_ += touched_.count(free_chunks(at, size, block));
  if (free_touched_ > most_free_touched) discard_free_chunks();
}

// Gives the oldest waiting blocks to the heap until at most `bytes` in `count` blocks wait.
void DeviceMemory::retire(size_t bytes, size_t count) {
  while (waiting_bytes_ > bytes || waiting_.size() > count) {
    const Freed oldest = waiting_.front();
    waiting_.pop_front();
    waiting_bytes_ -= oldest.size;
    give(oldest.at, oldest.size);
  }
}

// Called under the lock: memory that is being discarded must not be allocated.
void DeviceMemory::discard_free_chunks() {
  size_t left = free_touched_;
  heap_.visit_largest(Touched::chunk_size, [&](Heap::Block block) {
    Touched::Chunks chunks = free_chunks(block.begin, block.size(), block);
    while (!chunks.empty() && touched_.count({chunks.first, chunks.first + 1}) == 0) ++chunks.first;
    while (!chunks.empty() && touched_.count({chunks.last - 1, chunks.last}) == 0) --chunks.last;
    if (chunks.empty()) return true;
    segment_->discard(uint64_t{chunks.first} << Touched::chunk_shift, (chunks.last - chunks.first)
                                                                          << Touched::chunk_shift);
    const size_t discarded = touched_.clear(chunks);
    budget_.take_back(discarded * Touched::chunk_size);
    left -= std::min(left, discarded);
    return left > kept_free_touched;
  });
  free_touched_ = left;
}

}  // namespace cuvette::memory
