// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/pool_blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace cuvette::memory {
namespace {

const auto none = [](FreedAt) { return false; };
const auto all = [](FreedAt) { return true; };

TEST(PoolBlocks, TakesTheSmallestBlockThatIsLargeEnough) {
  PoolBlocks blocks;
  blocks.add(0x10000, 1000);
  blocks.add(0x20000, 500);
  EXPECT_EQ(blocks.take(400, 1, none)->at, 0x20000u);
  EXPECT_EQ(blocks.take(101, 1, none)->at, 0x10000u);
  EXPECT_EQ(blocks.take(100, 1, none)->at, 0x20000u + 400);
  EXPECT_FALSE(blocks.take(900, 1, none));
}

TEST(PoolBlocks, GivesAStreamsBlockToItselfAndToWhomIsPermitted) {
  PoolBlocks blocks;
  blocks.add(0x10000, 1000);
  blocks.take(1000, 1, none);
  blocks.give(0x10000, 1000, {1, 7});
  EXPECT_FALSE(blocks.take(1000, 2, none));
  const auto permitted = blocks.take(1000, 2, [](FreedAt freed) { return freed.value == 7; });
  ASSERT_TRUE(permitted);
  EXPECT_EQ(permitted->freed.stream, 1u);
  blocks.give(0x10000, 1000, {1, 8});
  EXPECT_TRUE(blocks.take(1000, 1, none));
}

TEST(PoolBlocks, JoinsNeighboursOfOneStreamWithTheLaterValue) {
  PoolBlocks blocks;
  blocks.add(0x10000, 1000);
  blocks.take(1000, 1, none);
  blocks.give(0x10000, 400, {1, 9});
  blocks.give(0x10000 + 400, 600, {1, 3});
  const auto whole = blocks.take(1000, 1, none);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->freed.value, 9u);
  blocks.give(0x10000, 400, {1, 9});
  blocks.give(0x10000 + 400, 600, {2, 3});
  EXPECT_FALSE(blocks.take(1000, 1, all)) << "two streams' blocks are two";
  blocks.settle(all);
  EXPECT_TRUE(blocks.take(1000, 1, none));
}

TEST(PoolBlocks, DoesNotJoinAcrossReserves) {
  PoolBlocks blocks;
  blocks.add(0x10000, 0x1000);
  blocks.add(0x11000, 0x1000);
  EXPECT_FALSE(blocks.take(0x1001, 1, all));
  EXPECT_EQ(blocks.remove_unused(none, [](size_t) { return true; }).size(), 2u);
  EXPECT_EQ(blocks.reserved(), 0u);
}

TEST(PoolBlocks, RemovesReservesThatNobodyUses) {
  PoolBlocks blocks;
  blocks.add(0x10000, 0x1000);
  blocks.add(0x20000, 0x2000);
  blocks.take(0x1000, 1, none);
  blocks.take(0x800, 1, none);
  blocks.give(0x20000, 0x800, {1, 5});
  EXPECT_TRUE(blocks.remove_unused(none, [](size_t) { return true; }).empty());
  const auto removed = blocks.remove_unused(all, [](size_t) { return true; });
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_EQ(removed[0], 0x20000u);
  EXPECT_EQ(blocks.reserved(), 0x1000u);
}

// In any order of calls no byte has two owners, and in the end everything is one block again.
TEST(PoolBlocks, AgreesWithAModelOfBytes) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    PoolBlocks blocks;
    constexpr uint64_t begin = 1 << 20, size = 64;
    blocks.add(begin, size);
    std::map<uint64_t, size_t> taken;
    for (int step = 0; step < 3000; ++step) {
      if (random() % 2) {
        const size_t wanted = 1 + random() % 12;
        const auto at = blocks.take(wanted, 1 + random() % 3,
                                    [&](FreedAt freed) { return freed.value % 2 == 0; });
        if (!at) continue;
        for (const auto& [other, bytes] : taken)
          ASSERT_TRUE(other + bytes <= at->at || at->at + wanted <= other) << seed;
        ASSERT_TRUE(at->at >= begin && at->at + wanted <= begin + size);
        taken[at->at] = wanted;
      } else if (!taken.empty()) {
        const auto one = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
        blocks.give(one->first, one->second, {random() % 4, random() % 100});
        taken.erase(one);
      }
      if (random() % 50 == 0) blocks.settle([&](FreedAt) { return random() % 2 == 0; });
    }
    for (const auto& [at, bytes] : taken) blocks.give(at, bytes, {});
    blocks.settle(all);
    ASSERT_TRUE(blocks.take(size, 1, none)) << seed;
  }
}

}  // namespace
}  // namespace cuvette::memory
