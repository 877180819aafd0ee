// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/clock.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace cuvette::check {
namespace {

TEST(Clock, KnowsNothingAtFirst) {
  const Clock clock;
  EXPECT_EQ(clock.of(0), 0u);
  EXPECT_EQ(clock.of(UINT64_MAX), 0u);
}

TEST(Clock, CopiesStayWhatTheyAre) {
  Clock clock;
  clock.raise(3, 7);
  const Clock before = clock;
  clock.raise(3, 9);
  clock.raise(1'000'000, 1);
  EXPECT_EQ(before.of(3), 7u);
  EXPECT_EQ(before.of(1'000'000), 0u);
  EXPECT_EQ(clock.of(3), 9u);
  EXPECT_EQ(clock.of(1'000'000), 1u);
  clock.raise(3, 8);
  EXPECT_EQ(clock.of(3), 9u) << "clocks only rise";
}

TEST(Clock, JoiningWhatIsKnownMakesNothingNew) {
  Clock small, large;
  small.raise(5, 1);
  large.join(small);
  EXPECT_TRUE(large.same(small));
  large.raise(70'000, 2);
  const Clock before = large;
  large.join(small);
  EXPECT_TRUE(large.same(before));
  small.join(large);
  EXPECT_TRUE(small.same(large));
}

TEST(Clock, TheLargestChainHasAPlace) {
  Clock clock;
  clock.raise(1, 4);
  clock.raise(UINT64_MAX, 5);
  EXPECT_EQ(clock.of(UINT64_MAX), 5u);
  EXPECT_EQ(clock.of(1), 4u);
}

// Compares each clock with a map.
TEST(Clock, RandomOnesAreAsMapsAre) {
  std::mt19937 random(1);
  const uint64_t chains[] = {0, 1, 15, 16, 17, 255, 256, 4095, 70'000, 70'001, uint64_t{1} << 40};
  std::vector<Clock> clocks(6);
  std::vector<std::map<uint64_t, uint64_t>> models(clocks.size());
  for (int step = 0; step < 20'000; ++step) {
    const size_t a = random() % clocks.size(), b = random() % clocks.size();
    const uint64_t chain = chains[random() % std::size(chains)], value = random() % 1000;
    switch (random() % 8) {
      case 0:
        clocks[a] = Clock();
        models[a].clear();
        break;
      case 1:
        clocks[a] = clocks[b];
        models[a] = models[b];
        break;
      case 2:
      case 3:
        clocks[a].join(clocks[b]);
        for (const auto& [key, known] : models[b]) models[a][key] = std::max(models[a][key], known);
        break;
      default:
        clocks[a].raise(chain, value);
        models[a][chain] = std::max(models[a][chain], value);
    }
    for (const uint64_t one : chains) {
      const auto known = models[a].find(one);
      ASSERT_EQ(clocks[a].of(one), known == models[a].end() ? 0 : known->second) << step;
    }
  }
}

}  // namespace
}  // namespace cuvette::check
