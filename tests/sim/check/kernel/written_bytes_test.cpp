// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/written_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cuvette::watch::test {
namespace {

constexpr uint64_t size = 100'000;  // several pages

TEST(WrittenBytes, AreNoneAtFirst) {
  const WrittenBytes bytes;
  EXPECT_FALSE(bytes.any_written(0, size));
  EXPECT_EQ(bytes.unwritten(size, 32), UINT32_MAX);
  EXPECT_EQ(bytes.unwritten(3, 2), 3u);
}

// Random writes and copies, against a plain list of bytes.
TEST(WrittenBytes, AreThoseOfAPlainList) {
  std::mt19937 random(1);
  const auto pick = [&](uint64_t below) { return uint64_t{random()} % below; };
  WrittenBytes bytes[2];
  std::vector<bool> plain[2] = {std::vector<bool>(size), std::vector<bool>(size)};
  for (int round = 0; round < 2000; ++round) {
    const size_t one = pick(2);
    const uint64_t length = 1 + pick(round % 7 == 0 ? size / 2 : 40), begin = pick(size - length);
    const auto at = [&](size_t list, uint64_t place) {
      return plain[list].begin() + static_cast<ptrdiff_t>(place);
    };
    if (round % 3 == 2) {
      const uint64_t from = pick(size - length);
      bytes[one].copy(begin, bytes[1 - one], from, length);
      std::copy(at(1 - one, from), at(1 - one, from + length), at(one, begin));
    } else {
      const bool written = pick(3) > 0;
      bytes[one].set(begin, begin + length, written);
      std::fill(at(one, begin), at(one, begin + length), written);
    }
    const uint64_t place = pick(size - 64);
    const auto count = static_cast<uint32_t>(1 + pick(32));
    uint32_t missing = 0;
    for (uint32_t n = 0; n < count; ++n)
      if (!plain[one][place + n]) missing |= 1u << n;
    ASSERT_EQ(bytes[one].unwritten(place, count), missing) << round;
    const uint64_t end = begin + length;
    ASSERT_EQ(bytes[one].all_written(begin, end),
              std::find(at(one, begin), at(one, end), false) == at(one, end));
    ASSERT_EQ(bytes[one].any_written(begin, end),
              std::find(at(one, begin), at(one, end), true) != at(one, end));
  }
}

}  // namespace
}  // namespace cuvette::watch::test
