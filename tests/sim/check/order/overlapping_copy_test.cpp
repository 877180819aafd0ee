// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/overlapping_copy.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace cuvette::check {
namespace {

using memory::Region;

std::set<memory::DevicePtr> set_of_bytes(const Region& region) {
  std::set<memory::DevicePtr> bytes;
  for (size_t z = 0; z < region.depth; ++z)
    for (size_t y = 0; y < region.height; ++y)
      for (size_t x = 0; x < region.width; ++x)
        bytes.insert(region.address + z * region.slice + y * region.pitch + x);
  return bytes;
}

TEST(first_shared, IsTheFirstByteOfBoth) {
  std::mt19937 random(1);
  const auto upto = [&](size_t most) { return random() % (most + 1); };
  size_t shared = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const auto box = [&] {
      Region region;
      region.address = 1000 + upto(40);
      region.width = 1 + upto(6);
      region.height = 1 + upto(3);
      region.pitch = region.width + upto(6);
      region.depth = 1 + upto(2);
      region.slice = region.height * region.pitch + upto(6);
      return region;
    };
    const Region a = box(), b = box();
    const auto mine = set_of_bytes(a), others = set_of_bytes(b);
    std::optional<memory::DevicePtr> expected;
    for (const memory::DevicePtr byte : mine)
      if (!expected && others.contains(byte)) expected = byte;
    if (mine == others) continue;  // perhaps the same box in other words
    ASSERT_EQ(first_shared(a, b), expected) << "turn " << turn;
    ASSERT_EQ(first_shared(b, a), expected) << "turn " << turn;
    shared += expected.has_value();
  }
  EXPECT_GT(shared, 1000u);
}

TEST(first_shared, IsNoneForTheSameBox) {
  const Region box{1000, 16, 32, 4, 128, 1};
  EXPECT_EQ(first_shared(box, box), std::nullopt);
  EXPECT_EQ(first_shared(Region::linear(1000, 0), box), std::nullopt);
}

}  // namespace
}  // namespace cuvette::check
