// SPDX-License-Identifier: Apache-2.0
// A class of blocks is given by its number, and what it says holds for each of its blocks.
#include <gtest/gtest.h>

#include <set>

#include "sim/ptx/abi/jit.hpp"

namespace cuvette::ptx::test {
namespace {

TEST(BlockClass, SaysWhatIsTrueOfEachOfItsBlocks) {
  std::set<unsigned> numbers;
  for (uint32_t x = 1; x <= 1024; ++x)
    for (uint32_t y = 1; x * y <= 1024; ++y)
      for (uint32_t z = 1; x * y * z <= 1024 && z <= 64; ++z) {
        const BlockClass block = BlockClass::of(x, y, z);
        numbers.insert(block.number());
        ASSERT_LT(block.number(), BlockClass::count);
        ASSERT_EQ(block.one_dimensional(), y == 1 && z == 1) << x << " " << y << " " << z;
        ASSERT_EQ(block.flat(), z == 1) << x << " " << y << " " << z;
        ASSERT_EQ(block.full_warps(), x * y * z % 32 == 0) << x << " " << y << " " << z;
        // If there is only one row, its length makes no difference.
        ASSERT_EQ(block.row_is_warp(), x == 32 && y * z > 1) << x << " " << y << " " << z;
        ASSERT_EQ(block.shape(), y * z == 1 || x % 32 == 0 ? BlockClass::Shape::rows
                                 : x == 16                 ? BlockClass::Shape::half_rows
                                                           : BlockClass::Shape::any)
            << x << " " << y << " " << z;
      }
  EXPECT_EQ(numbers.size(), 14u);
}

// Without knowing a block's size, a class says nothing about it.
TEST(BlockClass, KnowsNothingAtFirst) {
  const BlockClass block;
  EXPECT_EQ(block.shape(), BlockClass::Shape::any);
  EXPECT_FALSE(block.flat() || block.full_warps() || block.one_dimensional());
  EXPECT_FALSE(block.row_is_warp());
}

}  // namespace
}  // namespace cuvette::ptx::test
