// SPDX-License-Identifier: Apache-2.0
// What the driver keeps of memory.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tools/cuvette/cost/memory_model.hpp"

namespace cuvette::tools {
namespace {

constexpr uint64_t kib = 1024, mib = 1024 * kib;

TEST(SmallBlocks, CutSmallAllocationsFromOneBlock) {
  SmallBlocks blocks;
  EXPECT_FALSE(blocks.allocate(mib));  // fetches a block
  EXPECT_TRUE(blocks.allocate(mib));
  EXPECT_FALSE(blocks.allocate(4 * kib));  // another
  EXPECT_TRUE(blocks.allocate(4 * kib));
  EXPECT_TRUE(blocks.free(4 * kib));
  EXPECT_FALSE(blocks.free(4 * kib));  // the second block is empty
  EXPECT_TRUE(blocks.free(mib));
  EXPECT_FALSE(blocks.free(mib));
}

TEST(SmallBlocks, AreNotForLargeOrUnknownSizes) {
  SmallBlocks blocks;
  EXPECT_FALSE(blocks.allocate(4 * kib));
  EXPECT_FALSE(blocks.allocate(mib + 1));
  EXPECT_FALSE(blocks.allocate(0));
  EXPECT_FALSE(blocks.free(~uint64_t{0}));
  EXPECT_TRUE(blocks.allocate(4 * kib));
}

TEST(Pool, KeepsMemoryUntilTheHostWaits) {
  Pool pool;
  EXPECT_FALSE(pool.allocate(mib));
  EXPECT_TRUE(pool.allocate(mib));
  pool.free(mib);
  EXPECT_TRUE(pool.allocate(mib));
  EXPECT_EQ(pool.wait(), 0u);  // 2 MiB are in use: the chunk stays
  pool.free(mib);
  pool.free(mib);
  EXPECT_EQ(pool.wait(), 32 * mib);
  EXPECT_EQ(pool.wait(), 0u);
  EXPECT_FALSE(pool.allocate(mib));
}

TEST(Pool, WithAThresholdGivesNothingBack) {
  Pool pool;
  pool.keep();
  EXPECT_FALSE(pool.allocate(100 * mib));
  pool.free(100 * mib);
  EXPECT_EQ(pool.wait(), 0u);
  EXPECT_TRUE(pool.allocate(100 * mib));
}

// Any sizes in any order, and frees of what was never allocated: nothing overflows.
TEST(MemoryModel, TakesAnything) {
  std::mt19937_64 random(3);
  SmallBlocks blocks;
  Pool pool;
  for (int i = 0; i < 10000; ++i) {
    const uint64_t bytes = random() >> (random() % 64);
    switch (random() % 5) {
      case 0:
        blocks.allocate(bytes);
        break;
      case 1:
        blocks.free(bytes);
        break;
      case 2:
        pool.allocate(bytes);
        break;
      case 3:
        pool.free(bytes);
        break;
      default:
        pool.wait();
        break;
    }
  }
}

}  // namespace
}  // namespace cuvette::tools
