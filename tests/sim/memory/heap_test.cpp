// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/heap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace cuvette::memory {
namespace {

constexpr uint64_t heap_begin = uint64_t{1} << 40;

TEST(Heap, BlocksFollowEachOther) {
  Heap heap(heap_begin, 1 << 20);
  EXPECT_EQ(heap.take(512, 512)->at, heap_begin);
  EXPECT_EQ(heap.take(512, 512)->at, heap_begin + 512);
  EXPECT_EQ(heap.take(1024, 512)->at, heap_begin + 1024);
}

TEST(Heap, TakesTheSmallestBlockThatFits) {
  Heap heap(heap_begin, 1 << 20);
  const uint64_t a = heap.take(4096, 512)->at;
  (void)heap.take(512, 512);
  const uint64_t b = heap.take(1024, 512)->at;
  (void)heap.take(512, 512);
  heap.give(a, 4096);
  heap.give(b, 1024);
  EXPECT_EQ(heap.take(1024, 512)->at, b);
  EXPECT_EQ(heap.take(2048, 512)->at, a);
}

TEST(Heap, NeighboursCoalesceOnBothSides) {
  Heap heap(heap_begin, 4096);
  const uint64_t a = heap.take(1024, 512)->at, b = heap.take(1024, 512)->at,
                 c = heap.take(2048, 512)->at;
  EXPECT_FALSE(heap.take(512, 512));
  heap.give(a, 1024);
  heap.give(c, 2048);
  const Heap::Block block = heap.give(b, 1024);
  EXPECT_EQ(block.begin, heap_begin);
  EXPECT_EQ(block.end, heap_begin + 4096);
  EXPECT_EQ(heap.take(4096, 512)->at, heap_begin);
}

TEST(Heap, AlignsAndKeepsWhatLiesBefore) {
  Heap heap(heap_begin, 1 << 20);
  (void)heap.take(512, 512);
  const auto taken = heap.take(4096, 65536);
  EXPECT_EQ(taken->at, heap_begin + 65536);
  EXPECT_EQ(taken->from.begin, heap_begin + 512);
  EXPECT_EQ(heap.take(512, 512)->at, heap_begin + 512);
}

TEST(Heap, TakesWhatIsAskedForWhereItIsFree) {
  Heap heap(heap_begin, 8192);
  EXPECT_TRUE(heap.take_at(heap_begin + 2048, 1024));
  EXPECT_FALSE(heap.take_at(heap_begin + 2048, 1024));
  EXPECT_FALSE(heap.take_at(heap_begin + 1024, 2048));
  EXPECT_FALSE(heap.take_at(heap_begin + 3071, 1));
  EXPECT_FALSE(heap.take_at(heap_begin - 1, 1));
  EXPECT_FALSE(heap.take_at(heap_begin + 8191, 2));
  EXPECT_FALSE(heap.take_at(heap_begin + 8192, 1));
  EXPECT_FALSE(heap.take_at(heap_begin + 4096, ~size_t{0}));
  EXPECT_TRUE(heap.take_at(heap_begin, 2048));
  EXPECT_TRUE(heap.take_at(heap_begin + 3072, 5120));
  EXPECT_FALSE(heap.take(512, 512));
  heap.give(heap_begin + 2048, 1024);
  heap.give(heap_begin + 3072, 5120);
  const Heap::Block block = heap.give(heap_begin, 2048);
  EXPECT_EQ(block.begin, heap_begin);
  EXPECT_EQ(block.end, heap_begin + 8192);
}

TEST(Heap, RandomUseNeverOverlapsAndEndsWhole) {
  constexpr size_t size = 8 << 20;
  Heap heap(heap_begin, size);
  std::mt19937 random(1);
  std::map<uint64_t, uint64_t> taken;  // begin and end
  for (int round = 0; round < 20000; ++round) {
    if (random() % 2 == 0 || taken.empty()) {
      const size_t wanted = (random() % 200 + 1) * 512;
      const size_t alignment = size_t{512} << random() % 8;
      const auto block = heap.take(wanted, alignment);
      if (!block) continue;
      ASSERT_EQ(block->at % alignment, 0u);
      ASSERT_GE(block->at, heap_begin);
      ASSERT_LE(block->at + wanted, heap_begin + size);
      const auto next = taken.lower_bound(block->at);
      ASSERT_TRUE(next == taken.end() || next->first >= block->at + wanted);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= block->at);
      taken.emplace(block->at, block->at + wanted);
    } else {
      auto victim = taken.lower_bound(heap_begin + random() % size);
      if (victim == taken.end()) victim = taken.begin();
      heap.give(victim->first, victim->second - victim->first);
      taken.erase(victim);
    }
  }
  for (const auto& [begin, end] : taken) heap.give(begin, end - begin);
  EXPECT_EQ(heap.take(size, 512)->at, heap_begin);
}

}  // namespace
}  // namespace cuvette::memory
