// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/owned_parts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace {

using cuvette::vulkan_layer::OwnedParts;

// The same, byte by byte.
struct Byte {
  uint64_t since = 0;  // 0: not owned
  const void* acquired_at = nullptr;
  const void* released_at = nullptr;
  bool operator==(const Byte&) const = default;
};
using Bytes = std::array<Byte, 64>;

Bytes bytes_of(const OwnedParts& parts) {
  Bytes bytes;
  uint64_t last = 0;
  parts.each([&](uint64_t begin, uint64_t end, const OwnedParts::Part& part) {
    EXPECT_GE(begin, last);
    EXPECT_LT(begin, end);
    last = end;
    for (uint64_t at = begin; at < end; ++at)
      bytes.at(at) = {part.since, part.acquired_at, part.released_at};
  });
  return bytes;
}

TEST(OwnedParts, KnowsEachByte) {
  std::mt19937 random(1);
  const char places[4] = {};
  for (int run = 0; run < 500; ++run) {
    OwnedParts parts;
    Bytes bytes;
    for (uint64_t step = 1; step <= 30; ++step) {
      uint64_t begin = random() % 65, end = random() % 65;
      if (begin > end) std::swap(begin, end);
      const void* const place = &places[random() % 4];
      switch (random() % 4) {
        case 0:
          parts.own(begin, end, step, place);
          for (uint64_t at = begin; at < end; ++at) bytes[at] = {step, place, nullptr};
          break;
        case 1:
          parts.give(begin, end);
          for (uint64_t at = begin; at < end; ++at) bytes[at] = {};
          break;
        case 2:
          parts.note_release(begin, end, place);
          for (uint64_t at = begin; at < end; ++at)
            if (bytes[at].since) bytes[at].released_at = place;
          break;
        default:
          parts.use(begin, end, step);
          for (uint64_t at = begin; at < end; ++at)
            if (!bytes[at].since) bytes[at] = {step, nullptr, nullptr};
      }
      ASSERT_EQ(bytes_of(parts), bytes) << "run " << run << ", step " << step;
    }
    parts.give(0, 64);
    EXPECT_TRUE(parts.empty());
  }
}

}  // namespace
