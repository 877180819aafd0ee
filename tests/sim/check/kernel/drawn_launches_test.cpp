// SPDX-License-Identifier: Apache-2.0
// Draws launches and compares what KernelWatch says of them with RaceModel: it reports no race that
// is none, it finds those that it has to find, and it knows each byte that was touched. Most
// accesses are drawn again where they would race, because long histories without a race find more.
//
// What is not drawn: lanes of one instruction that lie side by side across the end of shared
// memory; renewed memory in parts of words; barriers in shared memory where flags or data are.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "watched_launch.hpp"

namespace cuvette::watch::test {
namespace {

using ptx::Ordering;
using ptx::Scope;

// In shared and in global memory; data are below.
constexpr uint32_t barriers_at = shared_bytes - 64, flags_at = global_bytes - 64;

// An instruction of a drawn program.
struct Instruction {
  uint32_t access;
  bool has_values;
  bool is_flag;  // it writes the same value always
};

class Drawing {
 public:
  Drawing(unsigned seed, uint32_t threads)
      : random_(seed * 7919 + threads),
        threads_(threads),
        warps_((threads + 31) / 32),
        blocks_(threads > 256 ? 1 + below(2) : 1 + below(3)),
        launch_(blocks_, threads, !one_in(4)),
        live_(blocks_, std::vector<bool>(warps_, true)),
        arrived_(blocks_) {
    constexpr double chances[] = {0, 0.01, 0.1, 1};
    races_ = chances[below(4)];
    rows_ = one_in(3);
    strong_ = rows_ ? 0 : below(3) * 30;
    small_ = !rows_ && one_in(2);
    lone_ = !rows_ && one_in(3);
    parts_ = one_in(4);
    hasty_ = one_in(2);
    crowded_ = one_in(2);
    start_ = below(9);
    loops_ = one_in(3);
    volatile_ = one_in(6);
    pauses_ = one_in(3);
    const uint32_t count = 3 + below(5);
    for (uint32_t n = 0; n < count; ++n) instructions_.push_back(instruction());
  }

  void run(uint32_t steps) {
    for (uint32_t n = 0; n < steps; ++n) {
      if (n == 0 || !live_[block_][warp_] || !one_in(3)) pick_warp();
      if (pauses_ && one_in(8)) launch_.pauses();
      if (below(10) < (hasty_ ? 8 : 5) && access()) continue;
      order();
    }
    launch_.compare();
  }

 private:
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool one_in(uint32_t count) { return below(count) == 0; }
  uint32_t lanes_of(uint32_t warp) const { return watch::lanes_of(warp, threads_); }

  void pick_warp() {
    block_ = below(blocks_);
    do warp_ = below(warps_);
    while (!live_[block_][warp_]);
    const uint32_t all = lanes_of(warp_);
    mask_ = all;
    switch (lone_ ? below(8) : 7) {
      case 0:
        mask_ &= 1u << below(32);
        break;
      case 1:
        mask_ &= static_cast<uint32_t>(random_());
        break;
      case 2:
        mask_ &= UINT32_MAX << below(32);
        break;
      case 3:
        mask_ &= UINT32_MAX >> below(32);
        break;
      case 4:
        mask_ &= 0x0ff0'f00f;
        break;
      default:
        break;
    }
    if (parts_ && one_in(2)) mask_ = all & 0xffu << 8 * below(4);
    if (mask_ == 0) mask_ = all;
  }

  Instruction instruction();
  Step step();
  void place(Step& step);
  bool access();
  void order();
  void meet();

  std::mt19937_64 random_;
  const uint32_t threads_, warps_, blocks_;
  Launch launch_;
  std::vector<std::vector<bool>> live_;                // warps, by block
  std::vector<std::map<uint32_t, uint32_t>> arrived_;  // warps, by block and barrier
  std::vector<Instruction> instructions_;
  double races_;     // how likely it is that an access may race
  uint32_t strong_;  // per cent
  bool rows_;        // whole warps access words side by side
  bool small_;       // there are accesses of less than a word
  bool lone_;        // there are parts of warps
  bool parts_;       // quarters of a warp come one after the other
  bool hasty_;       // little orders accesses
  bool crowded_;     // all accesses are close to each other,
  uint32_t start_;   // where they are
  bool pauses_;      // the grid pauses, and changes of memory are looked for in between
  bool loops_;       // instructions come again; else each step is one of its own
  bool volatile_;    // strong accesses are
  uint32_t steps_ = 0, block_ = 0, warp_ = 0, mask_ = 0;
};

Instruction Drawing::instruction() {
  constexpr uint32_t spaces[] = {0,
                                 0,
                                 0,
                                 ptx::access_shared,
                                 ptx::access_shared,
                                 ptx::access_generic,
                                 ptx::access_generic,
                                 ptx::access_constant,
                                 ptx::access_local};
  Instruction result{spaces[below(std::size(spaces) - (one_in(8) ? 0 : 1))], false, one_in(4)};
  uint32_t& access = result.access;
  access |= small_ ? 1u << below(6) : 4u << below(3);
  if (access & (ptx::access_local | ptx::access_constant)) return result;
  if (below(100) >= strong_) {
    if (access & ptx::access_shared && one_in(6)) {
      access = ptx::access_shared | ptx::access_write | ptx::access_async | 4u << below(3);
    } else if (one_in(2)) {
      access |= ptx::access_write;
      result.has_values = true;
    }
    return result;
  }
  const uint32_t scope = below(3);
  access |= ptx::access_strong | scope << ptx::access_scope_shift;
  switch (volatile_ ? 2 : below(4)) {
    case 0:
      access |= one_in(2) ? ptx::access_acquire : 0;
      break;
    case 1:
      access |= ptx::access_write | (one_in(2) ? ptx::access_release : 0);
      result.has_values = one_in(2);
      break;
    case 2:  // volatile
      access = (access & ~(3u << ptx::access_scope_shift)) | ptx::access_volatile |
               static_cast<uint32_t>(Scope::system) << ptx::access_scope_shift;
      if (one_in(2)) {
        access |= ptx::access_write;
        result.has_values = true;
      }
      break;
    default:
      access = (access & ~0xffu) | ptx::access_write | ptx::access_atomic | 4u << below(2) |
               (one_in(2) ? ptx::access_acquire : 0) | (one_in(2) ? ptx::access_release : 0) |
               (one_in(3) ? ptx::access_compares : 0);
  }
  return result;
}

// Where the lanes access memory.
void Drawing::place(Step& step) {
  const uint64_t bytes = ptx::access_bytes(step.access);
  // Beside the ends of lines and pages of the shadow.
  constexpr uint64_t starts[] = {0,          100, 128,       4096 - 64,      4096 + 3 * 128 - 8,
                                 8192 - 200, far, far + 100, far + 4096 - 64};
  const uint64_t start = starts[crowded_ ? start_ : below(std::size(starts))] / bytes;
  const uint64_t limit = flags_at / bytes, shared_limit = barriers_at / bytes;
  // What generic addresses lead to.
  const uint32_t leads_to = below(8);
  const bool by_thread = one_in(2), in_grid = one_in(2);
  const uint32_t pattern = rows_ ? 8 * below(2) : below(9);
  const uint32_t more = one_in(2) ? 0 : one_in(3) ? 16 : below(9);
  constexpr int64_t strides[] = {1, 1, 1, 1, 2, 3, 5, -1, 0};
  constexpr uint64_t pitches[] = {0, 0, 8, 16, 17, 20, 40};  // of halves; 0: both at one place
  const int64_t stride = rows_ ? !one_in(6) : strides[below(std::size(strides))];
  const uint64_t pitch = pitches[below(std::size(pitches))];
  const uint32_t turned = 1u << below(5), scattered = 1 + below(64);
  for (uint64_t lane = 0; lane < 32; ++lane) {
    uint64_t index = more;
    switch (pattern) {
      case 0:
        index += lane % 16 + lane / 16 * pitch;
        break;
      case 1:
        index += lane % 8 + lane / 8 * pitch;
        break;
      case 2:
        index += below(scattered);
        break;
      case 3:
        index += lane ^ turned;
        break;
      case 4:
        index += lane / turned;
        break;
      default:
        index += static_cast<uint64_t>(stride < 0 ? 31 - static_cast<int64_t>(lane)
                                                  : stride * static_cast<int64_t>(lane));
    }
    if (by_thread)
      index += ((in_grid ? block_ * warps_ : 0) + warp_) *
               (stride > 1 ? 32u * static_cast<uint32_t>(stride) : 32u);
    Site& site = step.sites[lane];
    const auto at = [&](uint64_t modulus) { return (start + index) % modulus * bytes; };
    const uint32_t to = leads_to == 7 ? below(3) : leads_to % 3;
    if (step.access & ptx::access_local ||
        (step.access & ptx::access_generic && to == 2 && leads_to != 2)) {
      site = {UINT32_MAX, 0};
    } else if (step.access & ptx::access_shared || (step.access & ptx::access_generic && to == 1)) {
      site = {1 + block_, at(shared_limit)};
    } else {
      site = {0, at(limit)};
    }
  }
}

Step Drawing::step() {
  const uint32_t number = below(static_cast<uint32_t>(instructions_.size()));
  const Instruction& one = instructions_[number];
  Step step{};
  step.block = block_;
  step.warp = warp_;
  step.mask = mask_;
  step.instruction = loops_ ? number : steps_;
  step.access = one.access;
  step.has_values = one.has_values;
  place(step);
  if (one.access & ptx::access_strong && !(one.access & ptx::access_shared) && one_in(2)) {
    // A thread and a flag.
    step.mask &= 0u - step.mask;
    if (one_in(2)) step.mask = 1u << (31 - std::countl_zero(mask_));
    const uint64_t bytes = ptx::access_bytes(one.access);
    for (Site& site : step.sites) site = {0, flags_at + below(2) * std::max<uint64_t>(bytes, 8)};
  }
  // How many bytes are the same each time.
  const size_t same = one.is_flag || one_in(8) ? 32 : one_in(4) ? below(8) : 0;
  for (auto& data : step.data)
    for (size_t n = 0; n < std::size(data); ++n)
      data[n] = n < same ? 7 : static_cast<uint8_t>(random_());
  return step;
}

// Returns false if only accesses that race were drawn.
bool Drawing::access() {
  for (int tries = 0; tries < 4; ++tries) {
    const Step step = this->step();
    const bool may = races_ > 0 && below(1000) < 1000 * races_;
    if (!may && launch_.model.would_race(step)) continue;
    launch_.access(step);
    ++steps_;
    return true;
  }
  return false;
}

void Drawing::meet() {
  // All, or some warps, of which a part may have been left by its lanes.
  const bool all = !one_in(4);
  const uint32_t number = below(3);
  uint32_t& gone_on = arrived_[block_][number];
  std::vector<uint32_t> lanes(warps_);
  uint32_t waiting = 0, alive = 0;
  for (uint32_t warp = 0; warp < warps_; ++warp) {
    if (!live_[block_][warp]) continue;
    alive |= 1u << warp;
    if (gone_on >> warp & 1 || (!all && one_in(2))) continue;
    lanes[warp] = lanes_of(warp);
    if (!all && one_in(3) && (lanes_of(warp) & 0x3c)) lanes[warp] &= 0x3c;
    waiting |= 1u << warp;
  }
  if (waiting == 0) return;
  const bool complete = all && (waiting | gone_on) == alive;
  gone_on = 0;
  launch_.meet(block_, number, lanes, complete);
}

void Drawing::order() {
  const uint64_t barrier = barriers_at + 8 * below(2);
  const auto threads = launch_.threads_of(block_, warp_, mask_);
  const auto each = [&](const auto& visit) {
    launch_.model.order([&](OrderModel& model) {
      for (const uint32_t thread : threads) visit(model, thread);
    });
  };
  switch (below(16)) {
    case 0:
    case 1: {  // the lanes' own members
      const uint32_t some = one_in(2) ? mask_ : mask_ & static_cast<uint32_t>(random_());
      uint64_t members[32];
      for (uint32_t lane = 0; lane < 32; ++lane)
        members[lane] = some >> lane & 1 ? some : mask_ & ~some;
      launch_.orders(block_, warp_, mask_, Ordering::warp, members);
      launch_.model.order([&](OrderModel& model) {
        model.sync(launch_.threads_of(block_, warp_, some));
        model.sync(launch_.threads_of(block_, warp_, mask_ & ~some));
      });
      break;
    }
    case 2:
      launch_.orders(block_, warp_, mask_, Ordering::collective, mask_);
      launch_.model.order(
          [&](OrderModel& model) { model.exchange(threads, mask_ == lanes_of(warp_)); });
      break;
    case 3:
    case 4: {
      const auto scope = static_cast<Scope>(below(3));
      launch_.orders(block_, warp_, mask_, Ordering::fence, static_cast<uint64_t>(scope));
      each([&](OrderModel& model, uint32_t thread) { model.fence(thread, scope != Scope::block); });
      break;
    }
    case 5: {
      const uint32_t number = below(3);
      uint32_t& arrived = arrived_[block_][number];
      if (arrived >> warp_ & 1) break;
      arrived |= 1u << warp_;
      launch_.arrives(block_, number, warp_, lanes_of(warp_));
      break;
    }
    case 6:
      launch_.orders(block_, warp_, mask_, Ordering::arrive,
                     one_in(2) ? barrier : launch_.shared_address(block_, barrier));
      each([&](OrderModel& model, uint32_t thread) {
        model.arrive_at(thread, {1 + block_, barrier});
      });
      break;
    case 7:
      launch_.orders(block_, warp_, mask_, Ordering::waited,
                     one_in(2) ? barrier : launch_.shared_address(block_, barrier));
      each([&](OrderModel& model, uint32_t thread) {
        model.wait_at(thread, {1 + block_, barrier});
      });
      break;
    case 8:
      launch_.orders(block_, warp_, mask_, Ordering::async_groups, uint64_t{0});
      for (const uint32_t thread : threads) launch_.model.commit(thread);
      break;
    case 9: {
      const uint32_t left = below(3);
      launch_.orders(block_, warp_, mask_, Ordering::async_wait, left);
      for (const uint32_t thread : threads) launch_.model.wait(thread, left);
      break;
    }
    case 10:
      launch_.orders(block_, warp_, mask_, Ordering::async_arrive, barrier);
      for (const uint32_t thread : threads) launch_.model.wait(thread, 0);
      each([&](OrderModel& model, uint32_t thread) {
        model.arrive_at(thread, {1 + block_, barrier});
      });
      break;
    case 11:
      if (one_in(3)) {
        const uint64_t begin = below(600) * 16;
        launch_.renew(begin, (1 + below(40)) * 16);
      } else if (std::ranges::count(live_[block_], true) > 1 && one_in(3)) {
        live_[block_][warp_] = false;
        for (auto& [number, warps] : arrived_[block_]) warps &= ~(1u << warp_);
      }
      break;
    default:
      meet();
  }
}

class DrawnLaunches : public testing::TestWithParam<std::tuple<uint32_t, unsigned>> {};

TEST_P(DrawnLaunches, AreJudgedAsByTheModel) {
  const auto [threads, seed] = GetParam();
  for (unsigned turn = 0; turn < 12; ++turn) {
    const unsigned of_launch = seed * 1000 + turn;
    SCOPED_TRACE("launch " + std::to_string(of_launch));
    Drawing(of_launch, threads).run(150);
    if (HasFailure()) break;
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, DrawnLaunches,
                         testing::Combine(testing::Values(1u, 31u, 32u, 33u, 64u, 256u, 1024u),
                                          testing::Range(0u, 8u)));

}  // namespace
}  // namespace cuvette::watch::test
