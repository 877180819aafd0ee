// SPDX-License-Identifier: Apache-2.0
// Launch: a launch as KernelWatch and RaceModel see it; whatever the two say of it is compared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "race_model.hpp"
#include "sim/check/kernel/kernel_watch.hpp"
#include "sim/exec/block.hpp"

namespace cuvette::watch::test {

// Global memory is in two pieces, which pages of the shadow have to tell from each other; the
// second one begins at `far`.
constexpr uint64_t global_bytes = 96 << 10, far = 48 << 10, shared_bytes = 40 << 10;

// All lanes, and plain accesses of a word.
constexpr uint32_t all = UINT32_MAX, load = 4, store = 4 | ptx::access_write;

// A launch as KernelWatch and the model see it.
class Launch {
 public:
  // `notes`: lines of global memory have some.
  Launch(uint32_t blocks, uint32_t threads, bool notes = true);
  ~Launch();

  void access(const Step& step);
  void orders(uint32_t block, uint32_t warp, uint32_t mask, ptx::Ordering what,
              const uint64_t* operands) {
    watch_.orders(*blocks_[block], {what, operands, mask, warp, 0});
  }
  void orders(uint32_t block, uint32_t warp, uint32_t mask, ptx::Ordering what, uint64_t operand) {
    uint64_t operands[32];
    std::fill_n(operands, 32, operand);
    orders(block, warp, mask, what, operands);
  }
  void arrives(uint32_t block, uint32_t number, uint32_t warp, uint32_t mask) {
    watch_.arrives(*blocks_[block], number, mask, warp);
    for (const uint32_t one : threads_of(block, warp, mask))
      model.order([&](OrderModel& order) { order.arrive(number, one); });
  }
  // `lanes`: by warp, those that wait.
  void meet(uint32_t block, uint32_t number, const std::vector<uint32_t>& lanes, bool all);
  void renew(uint64_t begin, uint64_t bytes) {
    watch_.renewed(reinterpret_cast<uint64_t>(place_of(begin)), bytes);
    model.renew(begin, begin + bytes);
  }
  // The grid pauses and has waited for `ns`. Whether it goes on: it has changed memory since it was
  // first asked.
  bool pauses(int64_t ns = KernelWatch::long_wait_ns + 1) {
    const bool goes_on = watch_.goes_on(ns);
    for (const auto& block : blocks_) watch_.follow_changes(*block);
    return goes_on;
  }
  // At the end.
  void compare();
  // Where memory was found to be read as read-only, and written; at the end.
  std::vector<uint64_t> written_read_only() const;

  OrderModel::Threads threads_of(uint32_t block, uint32_t warp, uint32_t mask) const {
    OrderModel::Threads result;
    each_lane(mask, [&](uint32_t lane) {
      result.push_back(block * threads_ + warp * ptx::warp_size + lane);
    });
    return result;
  }
  uint64_t shared_address(uint32_t block, uint64_t offset) const {
    return reinterpret_cast<uint64_t>(blocks_[block]->context.shared) + offset;
  }
  const std::set<Instructions>& found() const { return found_; }
  // How many accesses compiled code would have left out, and how many were only noted.
  uint64_t quiet() const { return quiet_; }
  uint64_t note_line() const { return noted_; }

  RaceModel model;

 private:
  static constexpr uint64_t page = 4096, distance = 64 * page;  // of the pieces
  WatchFor what(bool notes) const;
  uint8_t* place_of(uint64_t global) const {
    return global_ + (global < far ? global : global - far + distance);
  }
  uint32_t instruction_of(const Accessor& one) const {
    return static_cast<uint32_t>(one.place.location) - 1;
  }
  uint32_t thread_of(const Accessor& one) const {
    return static_cast<uint32_t>(one.block) * threads_ + one.thread;
  }
  void tell(exec::Block& block, const exec::WarpAccess& access);
  static constexpr uint32_t most_instructions = 100;  // that have numbers
  uint32_t number_of(const Step& step);
  bool note_line(exec::Block& block, const exec::WarpAccess& access);
  static bool is_quiet(const ptx::BlockContext& context, const exec::WarpRows& rows);
  void compare(const ThreadRace& race, const std::vector<RaceModel::Race>& races);
  void compare_footprint();
  void compare(const Touched& piece, uint64_t address);

  const uint32_t threads_;
  std::vector<uint8_t> memory_;
  uint8_t* global_;
  std::vector<ptx::NumberedAccess> numbers_;  // what compiled code would say of instructions
  KernelWatch watch_;
  std::vector<std::unique_ptr<exec::Block>> blocks_;
  std::set<Instructions> found_;
  uint64_t quiet_ = 0, noted_ = 0;
  std::map<uint32_t, uint32_t> access_of_;  // by instruction
};

}  // namespace cuvette::watch::test
