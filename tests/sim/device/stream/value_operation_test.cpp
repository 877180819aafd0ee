// SPDX-License-Identifier: Apache-2.0
// How a word of memory is compared with the value that a stream waits for.
#include "sim/device/stream/value_operation.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cuvette::device {
namespace {

bool holds_32(Comparison comparison, uint32_t memory, uint32_t value) {
  return holds(comparison, memory, value, 4);
}

TEST(holds, ComparesCyclically) {
  const auto geq = Comparison::cyclic_geq;
  EXPECT_TRUE(holds_32(geq, 5, 5));
  EXPECT_FALSE(holds_32(geq, 4, 5));
  EXPECT_TRUE(holds_32(geq, 0, 0xffffffff)) << "one step past the wrap";
  EXPECT_FALSE(holds_32(geq, 0xffffffff, 0));
  EXPECT_FALSE(holds_32(geq, 0x80000000, 0)) << "half the way round is behind";
  EXPECT_TRUE(holds_32(geq, 0x7fffffff, 0));
  EXPECT_TRUE(holds(geq, 0, ~uint64_t{0}, 8));
  EXPECT_FALSE(holds(geq, uint64_t{1} << 63, 0, 8));
  EXPECT_TRUE(holds(geq, uint64_t{1} << 31, 0, 8)) << "all 64 bits count";
}

TEST(holds, LooksAtNoBitBeyondTheWord) {
  EXPECT_FALSE(holds_32(Comparison::any_clear, 0xfffffffe, 1));
  EXPECT_TRUE(holds_32(Comparison::any_clear, 0xfffffffe, 0));
  EXPECT_FALSE(holds(Comparison::any_clear, 0xffffffff, 0xffffffff, 4));
  EXPECT_TRUE(holds(Comparison::any_clear, 0xffffffff, 0xffffffff, 8));
  EXPECT_FALSE(holds(Comparison::any_bit, uint64_t{1} << 32, uint64_t{1} << 32, 4));
  EXPECT_TRUE(holds(Comparison::any_bit, uint64_t{1} << 32, uint64_t{1} << 32, 8));
  EXPECT_TRUE(holds(Comparison::equal, uint64_t{1} << 32, 0, 4));
}

// CUDA's documentation taken literally, near every wrap-around and elsewhere.
TEST(holds, IsWhatTheDocumentationSays) {
  std::mt19937_64 random(20261121);
  const uint64_t edges[] = {0,
                            1,
                            0x7fffffff,
                            0x80000000,
                            0xffffffff,
                            uint64_t{1} << 32,
                            ~uint64_t{0} >> 1,
                            uint64_t{1} << 63,
                            ~uint64_t{0}};
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t value = random() % 2 ? edges[random() % 9] + random() % 5 - 2 : random();
    const uint64_t memory =
        random() % 2 ? value + random() % 7 - 3 : edges[random() % 9] + random() % 5;
    const auto v = static_cast<uint32_t>(value), m = static_cast<uint32_t>(memory);
    ASSERT_EQ(holds_32(Comparison::cyclic_geq, m, v), static_cast<int32_t>(m - v) >= 0);
    ASSERT_EQ(holds_32(Comparison::equal, m, v), m == v);
    ASSERT_EQ(holds_32(Comparison::any_bit, m, v), (m & v) != 0);
    ASSERT_EQ(holds_32(Comparison::any_clear, m, v), ~(m | v) != 0);
    ASSERT_EQ(holds(Comparison::cyclic_geq, memory, value, 8),
              static_cast<int64_t>(memory - value) >= 0);
    ASSERT_EQ(holds(Comparison::equal, memory, value, 8), memory == value);
    ASSERT_EQ(holds(Comparison::any_bit, memory, value, 8), (memory & value) != 0);
    ASSERT_EQ(holds(Comparison::any_clear, memory, value, 8), ~(memory | value) != 0);
  }
}

}  // namespace
}  // namespace cuvette::device
