// SPDX-License-Identifier: Apache-2.0
// reciprocal() gives an H100's bits: the sums of what one answered are those of
// tests/sim/ptx/emit/special_functions_test.cpp for arguments without a sign.
#include "sim/device/texture/reciprocal.hpp"

#include <gtest/gtest.h>

namespace cuvette::device::sampling {
namespace {

uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint32_t answer(uint32_t argument) {
  const float result = reciprocal(std::bit_cast<float>(argument));
  return result != result ? 0x7fffffff : std::bit_cast<uint32_t>(result);
}

TEST(Reciprocal, GivesAnH100sBits) {
  constexpr uint64_t sums[8] = {0xda0b6490bc6e51b4, 0x5bc7fac78b5f25a2, 0x5c31dc34511052d4,
                                0xea5608213ea6d9ec, 0x9e6b5a08f63ebebf, 0xc95b480c1ddfc521,
                                0x9b5587359c9d80e0, 0x26f493ec54092e53};
  for (uint32_t part = 0; part < 8; ++part) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 4096; ++k) {
      const uint32_t argument = (part << 28) + k * 65521;
      sum += mixed((uint64_t{argument} << 32 | answer(argument)) + 0x9e3779b97f4a7c15);
    }
    EXPECT_EQ(sum, sums[part]) << part << "xxxxxxx";
  }
}

}  // namespace
}  // namespace cuvette::device::sampling
