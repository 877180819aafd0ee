// SPDX-License-Identifier: Apache-2.0
// level_of_slopes() gives the levels that an H200 gave.
#include "sim/device/texture/level_of_slopes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

namespace cuvette::device::sampling {
namespace {

using Geometry = Sample::Geometry;

struct Recorded {
  Geometry geometry;
  int32_t extents[3];
  uint32_t words[9];  // coordinates, along x, along y
  int level;          // in 1/256
};
constexpr Recorded recorded[] = {
#include "tests/sim/device/texture/slopes.inc"
};

int level_of(const Recorded& one) {
  Sample how;
  how.geometry = one.geometry;
  how.levels = Sample::Levels::gradient;
  LaneWords operands[Sample::operands] = {};
  for (unsigned axis = 0; axis < 3; ++axis) {
    operands[Sample::first_coordinate + axis][0] = one.words[axis];
    operands[Sample::first_level + axis][0] = one.words[3 + axis];
    operands[Sample::first_along_y + axis][0] = one.words[6 + axis];
  }
  SampledLevel level;
  level.width = one.extents[0], level.height = one.extents[1], level.depth = one.extents[2];
  const float steps = level_of_slopes(how, operands, 0, level) * 256;
  return steps > 1e6f ? 1'000'000 : static_cast<int>(steps);
}

TEST(LevelOfSlopes, IsAnH200s) {
  int equal = 0;
  for (const Recorded& one : recorded) {
    const int level = level_of(one);
    equal += level == one.level;
    EXPECT_NEAR(level, one.level, 2) << "number " << &one - recorded;
    if (one.geometry != Geometry::d1) continue;
    EXPECT_EQ(level, one.level) << "number " << &one - recorded;
  }
  EXPECT_GE(equal, static_cast<int>(std::size(recorded)) * 95 / 100);
}

Recorded flat(float x, float y) {
  return {Geometry::d2,
          {1024, 1024, 1},
          {0, 0, 0, std::bit_cast<uint32_t>(x), 0, 0, 0, std::bit_cast<uint32_t>(y), 0},
          0};
}

TEST(LevelOfSlopes, TakesAnyNumber) {
  EXPECT_LT(level_of(flat(0, 0)), 0);
  EXPECT_EQ(level_of(flat(NAN, 1)), 0);
  EXPECT_EQ(level_of(flat(INFINITY, 1)), 1'000'000);
  EXPECT_LT(level_of(flat(std::numeric_limits<float>::denorm_min(), 0)), 0);
  EXPECT_GT(level_of(flat(std::numeric_limits<float>::max() / 2048, 1)), 100 * 256);
  EXPECT_GE(level_of(flat(std::numeric_limits<float>::max(), 1)), 1'000'000);
  EXPECT_EQ(level_of(flat(1.0f / 1024, 0)), 0);
  EXPECT_EQ(level_of(flat(-8.0f / 1024, 0)), 3 * 256);
}

// Where a direction's step leads to the face behind, no level is small enough.
TEST(LevelOfSlopes, OfAStepThroughACubeIsTheLast) {
  const auto bits = [](float number) { return std::bit_cast<uint32_t>(number); };
  const Recorded through = {
      Geometry::cube, {256, 256, 1}, {bits(1), bits(0.5f), 0, bits(-2.5f), 0, 0, 0, 0, 0}, 0};
  EXPECT_EQ(level_of(through), 1'000'000);
}

}  // namespace
}  // namespace cuvette::device::sampling
