// SPDX-License-Identifier: Apache-2.0
// Compares sim/device/model/attributes.def with <cuda.h>: the same names and numbers, none missing.
// The file contains only data, so a test of the API may include it.
#include <cuda.h>
#include <gtest/gtest.h>

#include <set>

#define ATTRIBUTE(number, name) \
  static_assert(CU_DEVICE_ATTRIBUTE_##name == number, #name " has another number in <cuda.h>");
#include "sim/device/model/attributes.def"
#undef ATTRIBUTE

TEST(DeviceAttributes, AreAllThere) {
  const std::set<int> numbers = {
#define ATTRIBUTE(number, name) number,
#include "sim/device/model/attributes.def"
#undef ATTRIBUTE
  };
  for (int number = 1; number < CU_DEVICE_ATTRIBUTE_MAX; ++number)
    EXPECT_TRUE(numbers.contains(number)) << "no row for attribute " << number;
  EXPECT_EQ(*numbers.begin(), 1);
  EXPECT_EQ(*numbers.rbegin(), CU_DEVICE_ATTRIBUTE_MAX - 1);
}
