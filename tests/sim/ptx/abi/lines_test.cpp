// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/abi/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cuvette::ptx::test {
namespace {

thread_local std::vector<uint64_t> asked;

uint32_t keep(BlockContext*, const uint64_t* addresses, uint32_t mask, uint32_t, uint32_t,
              uint64_t) {
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    if (mask >> lane & 1) asked.push_back(addresses[lane]);
  return 0;
}

// The addresses that check_line() has tested, each by itself.
std::vector<uint64_t> addresses_of(uint64_t base, uint64_t step, uint64_t line, uint32_t mask) {
  Helpers helpers{};
  helpers.check = keep;
  BlockContext context{};
  context.helpers = &helpers;
  asked.clear();
  EXPECT_EQ(check_line(&context, base, step, line, mask, 0, 0), 0u);
  return asked;
}

TEST(span_of_line, IsThatOfAllAddresses) {
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t n) { return random() % n; };
  constexpr int32_t strides[] = {0, 1, 4, -4, 12, 4096, INT32_MAX, INT32_MIN, -1};
  constexpr uint32_t masks[] = {UINT32_MAX, 0, 1, 1u << 31, 0xffff, 0xffff0000, 0x00018000};
  constexpr uint32_t spaces[] = {0, access_shared, access_local, access_write};
  uint32_t spans = 0;
  for (int turn = 0; turn < 200'000; ++turn) {
    const uint32_t mask =
        below(2) ? masks[below(std::size(masks))] : static_cast<uint32_t>(random());
    const uint32_t bytes = 1u << below(6), access = spaces[below(std::size(spaces))] | bytes;
    const bool by_offset = access & (access_shared | access_local);
    const uint64_t base = by_offset ? static_cast<uint32_t>(random()) >> below(32)
                                    : (uint64_t{1} << 40) + below(1 << 20);
    const uint64_t step = below(2) ? 0 : uint64_t{1} << 32;
    const uint64_t line =
        line_of(strides[below(std::size(strides))], static_cast<uint32_t>(below(64)),
                static_cast<uint32_t>(below(3)), access);
    const std::vector<uint64_t> all = addresses_of(base, step, line, mask);
    const LineSpan span = span_of_line(base, step, line, mask);
    if (all.empty()) {
      ASSERT_EQ(span.bytes, 0u);
      continue;
    }
    if (span.bytes == 0) {
      ASSERT_NE(step, 0u);
      continue;
    }
    const auto [least, most] = std::ranges::minmax(all);
    // Offsets that run over 32 bits lie in no memory.
    if (by_offset && span.begin + span.bytes > UINT32_MAX) continue;
    ASSERT_EQ(span.begin, least) << turn;
    ASSERT_EQ(span.begin + span.bytes, most + bytes) << turn;
    ASSERT_EQ(span.access, access);
    // not.
    if (span.is_aligned) {
      for (const uint64_t one : all) ASSERT_EQ(one % bytes, 0u) << turn;
    }
    ++spans;
  }
  EXPECT_GT(spans, 50'000u);
}

}  // namespace
}  // namespace cuvette::ptx::test
