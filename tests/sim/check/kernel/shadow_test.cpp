// SPDX-License-Identifier: Apache-2.0
// Compares Shadow with a cell for each byte.
#include "sim/check/kernel/shadow.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace cuvette::watch {
namespace {

class RandomAccesses : public testing::TestWithParam<unsigned> {};

// Cells of all sizes, at the edges of chunks and of the address space.
TEST_P(RandomAccesses, LeaveWhatTheyLeaveInEachByte) {
  std::mt19937 random(GetParam());
  Shadow shadow;
  std::map<uint64_t, uint32_t> bytes;  // the time of the last write
  const uint64_t bases[] = {0, 256 - 16, 0x7fff'ffff'fff0, ~uint64_t{0} - 1023};
  for (uint32_t time = 1; time < 3000; ++time) {
    const uint32_t size = 1u << random() % 5;
    const uint64_t address = bases[random() % 4] + random() % (512 / size) * size;
    if (random() % 50 == 0) {
      const uint64_t begin = address & ~uint64_t{3};
      shadow.forget(begin, begin + 16);
      for (uint64_t n = 0; n < 16; ++n) bytes.erase(begin + n);
      continue;
    }
    uint64_t at = address & ~uint64_t{size - 1};
    for (Cell& cell : shadow.cells(at, size)) {
      cell.write = {7, time, 3, 1};
      cell.more |= Cell::weak_write;
    }
    for (uint32_t n = 0; n < size; ++n) bytes[at + n] = time;
  }
  std::map<uint64_t, uint32_t> seen;
  uint64_t last = 0;
  shadow.each([&](uint64_t address, uint32_t size, const Cell& cell) {
    EXPECT_GE(address, last);
    last = address;
    EXPECT_TRUE(cell.written());
    for (uint32_t n = 0; n < size; ++n) seen[address + n] = cell.write.time;
  });
  EXPECT_EQ(seen, bytes);
  for (const auto& [address, time] : bytes) EXPECT_EQ(shadow.find(address).write.time, time);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomAccesses, testing::Range(0u, 10u));

TEST(Shadow, KeepsOthersBesideACell) {
  Shadow shadow;
  Cell& one = shadow.cells(0x1000, 4)[0];
  Cell& two = shadow.cells(0x2000, 4)[0];
  one.more = Cell::strong_write;
  shadow.others(one).write.time = 5;
  shadow.others(two).write.time = 6;
  EXPECT_EQ(shadow.others(one).write.time, 5u);
  EXPECT_TRUE(one.written());
  EXPECT_TRUE(shadow.find(0x3000).untouched());
}

}  // namespace
}  // namespace cuvette::watch
