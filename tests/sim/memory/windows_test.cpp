// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/windows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace cuvette::memory {
namespace {

constexpr uint64_t base = uint64_t{1} << 40;
constexpr size_t granule = Windows::granularity;

TEST(Windows, AddressesRiseAndAreUsedAgainLate) {
  Windows windows(base, 16 * granule);
  uint64_t last = 0;
  for (int i = 0; i < 8; ++i) {
    const uint64_t at = windows.take(1).value();
    EXPECT_GT(at, last);
    last = at;
    windows.give(at, 1);
  }
  EXPECT_EQ(windows.take(1), base) << "all have been used once";
}

TEST(Windows, NothingIsRightBehindOne) {
  Windows windows(base, 16 * granule);
  const uint64_t first = windows.take(granule).value();
  EXPECT_EQ(windows.take(granule), first + 2 * granule);
}

TEST(Windows, LargeOnesFindRoomAfterSmallOnesAreGone) {
  Windows windows(base, 16 * granule);
  std::vector<uint64_t> all;
  while (auto at = windows.take(granule)) all.push_back(*at);
  EXPECT_EQ(all.size(), 8u);
  EXPECT_FALSE(windows.take(15 * granule));
  for (const uint64_t at : all) windows.give(at, granule);
  EXPECT_EQ(windows.take(15 * granule), base);
}

TEST(Windows, RefusesWhatDoesNotFit) {
  Windows windows(base, 16 * granule);
  EXPECT_FALSE(windows.take(16 * granule));
  EXPECT_FALSE(windows.take(SIZE_MAX));
  EXPECT_FALSE(Windows(base, 0).take(1));
}

TEST(Windows, RandomUseNeverOverlaps) {
  Windows windows(base, 1000 * granule);
  std::mt19937 random(1);
  std::map<uint64_t, size_t> taken;
  for (int round = 0; round < 20000; ++round) {
    if (random() % 2 == 0 || taken.empty()) {
      const size_t size = random() % (20 * granule) + 1;
      const auto at = windows.take(size);
      if (!at) continue;
      const auto next = taken.lower_bound(*at);
      ASSERT_TRUE(next == taken.end() || next->first >= *at + size);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= *at);
      taken.emplace(*at, size);
    } else {
      auto victim = taken.lower_bound(base + random() % (1000 * granule));
      if (victim == taken.end()) victim = taken.begin();
      windows.give(victim->first, victim->second);
      taken.erase(victim);
    }
  }
  for (const auto& [at, size] : taken) windows.give(at, size);
  EXPECT_TRUE(windows.take(999 * granule));
}

}  // namespace
}  // namespace cuvette::memory
