// SPDX-License-Identifier: Apache-2.0
// What KernelWatch has to keep of accesses so far, one case after the other; RaceModel looks on.
#include "sim/watch/kernel_watch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "watched_launch.hpp"

namespace cuvette::watch::test {
namespace {

using ptx::Ordering;

constexpr uint32_t all = UINT32_MAX;
constexpr uint32_t load = 4, store = 4 | ptx::access_write;

constexpr uint32_t of_device = static_cast<uint32_t>(ptx::Scope::device) << ptx::access_scope_shift;

// Lanes access words side by side from `word` on.
Step row(uint32_t instruction, uint32_t access, uint32_t block, uint32_t warp, uint32_t mask,
         uint64_t word) {
  Step step{};
  step.block = block;
  step.warp = warp;
  step.mask = mask;
  step.instruction = instruction;
  step.access = access;
  uint64_t address = 4 * word;
  each_lane(mask, [&](uint32_t lane) {
    step.sites[lane] = {access & ptx::access_shared ? 1 + block : 0, address};
    address += ptx::access_bytes(access);
    step.data[lane][0] = static_cast<uint8_t>(lane + instruction);
  });
  return step;
}

using Found = std::set<Instructions>;

TEST(KernelWatch, FindsAWriteBesideARead) {
  Launch launch(1, 64);
  launch.access(row(0, store, 0, 0, all, 5));
  launch.access(row(1, load, 0, 1, all, 8));
  launch.compare();
  EXPECT_EQ(launch.found(), (Found{{0, 1, false}}));
}

TEST(KernelWatch, FindsNothingBehindABarrier) {
  Launch launch(1, 64);
  launch.access(row(0, store, 0, 0, all, 5));
  launch.meet(0, 0, {all, all}, true);
  launch.access(row(1, load, 0, 1, all, 8));
  launch.compare();
  EXPECT_EQ(launch.found(), Found{});
}

}  // namespace
}  // namespace cuvette::watch::test
