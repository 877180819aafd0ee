// SPDX-License-Identifier: Apache-2.0
#include "sim/base/hex.hpp"

#include <gtest/gtest.h>

namespace cuvette {
namespace {

TEST(hexadecimal, HasAPrefixAndNoLeadingZeros) {
  EXPECT_EQ(hexadecimal(0), "0x0");
  EXPECT_EQ(hexadecimal(0x7f0000000200), "0x7f0000000200");
  EXPECT_EQ(hexadecimal(UINT64_MAX), "0xffffffffffffffff");
}

}  // namespace
}  // namespace cuvette
