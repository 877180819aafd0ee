// SPDX-License-Identifier: Apache-2.0
#include "sim/processes/ledger.hpp"

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "sim/base/hash.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/fault.hpp"
#include "sim/processes/layout.hpp"

namespace cuvette::processes {
namespace {

// For so long a process lets another one go first, which may have been stopped in the middle.
constexpr int64_t longest_wait_ns = 1'000'000'000;

uint64_t number_of(const std::array<uint8_t, 16>& uuid) {
  return fnv1a_64({reinterpret_cast<const char*>(uuid.data()), uuid.size()}) | 1;
}

uint64_t added(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

uint64_t range_begin(const layout::Claim* claims) { return reinterpret_cast<uint64_t>(claims); }
uint64_t range_end(const layout::Claim* claims) { return range_begin(claims + layout::seats); }

}  // namespace

Ledger::Ledger(layout::Claim* claims, unsigned seat, const std::array<uint8_t, 16>& uuid,
               Sweep sweep)
    : claims_(claims), seat_(seat), device_(number_of(uuid)), sweep_(std::move(sweep)) {
  os::watch_range(range_begin(claims), range_end(claims));
  const os::FaultScope scope;
  claims[seat].device.store(device_, std::memory_order_seq_cst);
  if (scope.faulted()) lost_.store(true, std::memory_order_relaxed);
}

Ledger::~Ledger() { os::unwatch_range(range_begin(claims_), range_end(claims_)); }

Ledger::Sum Ledger::sum() const {
  Sum sum{0, 0};
  for (unsigned seat = 0; seat < layout::seats; ++seat) {
    const layout::Claim& claim = claims_[seat];
    if (claim.device.load(std::memory_order_seq_cst) != device_) continue;
    // In this order: its owner adds to `used` before it takes the same bytes off `wanted`.
    sum.wanted = added(sum.wanted, claim.wanted.load(std::memory_order_seq_cst));
    sum.used = added(sum.used, claim.used.load(std::memory_order_seq_cst));
    if (seat != seat_) sum.used = added(sum.used, claim.contexts.load(std::memory_order_relaxed));
  }
  return sum;
}

void Ledger::sweep_others() {
  std::vector<unsigned> others;
  for (unsigned seat = 0; seat < layout::seats; ++seat)
    if (seat != seat_ && claims_[seat].device.load(std::memory_order_relaxed) != 0)
      others.push_back(seat);
  if (!others.empty()) sweep_(others);
}

bool Ledger::try_claim(size_t bytes, size_t capacity) {
  layout::Claim& own = claims_[seat_];
  own.wanted.fetch_add(bytes, std::memory_order_seq_cst);
  const Sum sum = this->sum();
  const bool fits = added(sum.used, sum.wanted) <= capacity;
  if (fits) own.used.fetch_add(bytes, std::memory_order_seq_cst);
  own.wanted.fetch_sub(bytes, std::memory_order_seq_cst);
  return fits;
}

bool Ledger::claim_in_file(size_t bytes, size_t capacity) {
  if (try_claim(bytes, capacity)) return true;
  sweep_others();
  const int64_t end = os::now_ns() + longest_wait_ns;
  while (!try_claim(bytes, capacity)) {
    if (added(sum().used, bytes) > capacity || os::now_ns() > end) return false;
    // Others want the same bytes at this moment, or wanted them when this process looked.
    std::this_thread::sleep_for(std::chrono::microseconds(10 * seat_));
  }
  return true;
}

bool Ledger::claim(size_t bytes, size_t capacity) {
  if (lost_.load(std::memory_order_relaxed)) return true;
  const os::FaultScope scope;
  const bool fits = claim_in_file(bytes, capacity);
  if (!scope.faulted()) return fits;
  lost_.store(true, std::memory_order_relaxed);
  return true;
}

void Ledger::give_back(size_t bytes) {
  if (lost_.load(std::memory_order_relaxed)) return;
  claims_[seat_].used.fetch_sub(bytes, std::memory_order_seq_cst);
}

void Ledger::set_contexts(size_t bytes) {
  if (lost_.load(std::memory_order_relaxed)) return;
  claims_[seat_].contexts.store(bytes, std::memory_order_relaxed);
}

uint64_t Ledger::used() {
  if (lost_.load(std::memory_order_relaxed)) return 0;
  const os::FaultScope scope;
  sweep_others();
  const uint64_t used = sum().used;
  if (!scope.faulted()) return used;
  lost_.store(true, std::memory_order_relaxed);
  return 0;
}

}  // namespace cuvette::processes
