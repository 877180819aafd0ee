// SPDX-License-Identifier: Apache-2.0
// Sampler, compared with the formulas of the CUDA Programming Guide's "Texture Fetching", in exact
// arithmetic, and with what was measured where those leave the rounding open. All bits of many more
// lookups are compared in tests/api/driver/texture/sweep.
#include "sim/device/texture/sampler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/sim/device/texture/sampler_scene.hpp"

namespace cuvette::device {
namespace {

// "The texture's address mode": the element that stands for element i of `extent`.
int reached(AddressMode mode, int i, int extent) {
  switch (mode) {
    case AddressMode::wrap:
      return (i % extent + extent) % extent;
    case AddressMode::mirror: {
      const int period = (i % (2 * extent) + 2 * extent) % (2 * extent);
      return period < extent ? period : 2 * extent - 1 - period;
    }
    case AddressMode::clamp:
      return std::min(std::max(i, 0), extent - 1);
    default:
      return i < 0 || i >= extent ? -1 : i;
  }
}

// tex(x, y, z) of linear filtering, at normalised coordinates, in one level.
double filtered(const Scene& scene, AddressMode mode, unsigned level, std::array<int, 3> extent,
                int dimensions, const double* at, int layer) {
  double sum = 0;
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    double weight = 1;
    int element[3] = {0, 0, layer};
    bool border = false;
    for (int axis = 0; axis < dimensions; ++axis) {
      const auto along = static_cast<size_t>(axis);
      const double place = at[axis] * extent[along] - 0.5, below = std::floor(place);
      const int high = corner >> axis & 1;
      weight *= high ? place - below : 1 - (place - below);
      element[axis] = reached(mode, static_cast<int>(below) + high, extent[along]);
      border |= element[axis] < 0;
    }
    if (!border && weight > 0)
      sum += weight * scene.number(level, element[0], element[1], element[2]);
  }
  return sum;
}

class SamplerProperty : public testing::TestWithParam<AddressMode> {};

TEST_P(SamplerProperty, BlendsElementsOfTwoLevels) {
  constexpr std::array<int, 3> extent{12, 6, 4};
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    Coordinates draw(static_cast<unsigned>(dimensions));
    const ArrayDescriptor shape{
        12, dimensions > 1 ? size_t{6} : 0, dimensions > 2 ? size_t{4} : 0, ArrayFormat::FLOAT, 1,
        0};
    const Scene scene(shape, 2, linear(GetParam(), FilterMode::linear));
    fill_with_numbers(scene, draw);
    Sample how;
    how.geometry = dimensions == 1   ? Sample::Geometry::d1
                   : dimensions == 2 ? Sample::Geometry::d2
                                     : Sample::Geometry::d3;
    how.levels = Sample::Levels::level;
    for (int turn = 0; turn < 60; ++turn) {
      std::array<float, 5> operands[sample_lanes];
      for (auto& one : operands) {
        for (size_t axis = 0; axis < 3; ++axis) one[axis] = draw.coordinate(extent[axis]);
        one[Sample::first_level] = draw.between(-0.25f, 1.25f);
      }
      const auto found = scene.read(how, operands);
      for (unsigned lane = 0; lane < sample_lanes; ++lane) {
        const auto& one = operands[lane];
        const double at[] = {one[0], one[1], one[2]};
        const double part = std::clamp<double>(one[Sample::first_level], 0, 1);
        double wanted = 0;
        // A row is read at y = 0: halfway between the border and the row (measured).
        const double row = dimensions == 1 && GetParam() == AddressMode::border ? 0.5 : 1;
        for (unsigned level = 0; level < 2; ++level) {
          const std::array<int, 3> here{extent[0] >> level, extent[1] >> level, extent[2] >> level};
          wanted += row * (level ? part : 1 - part) *
                    filtered(scene, GetParam(), level, here, dimensions, at, 0);
        }
        EXPECT_NEAR(found[lane], wanted, tolerance)
            << dimensions << "D at " << at[0] << " " << at[1] << " " << at[2] << " level "
            << one[Sample::first_level];
      }
    }
  }
}

TEST_P(SamplerProperty, BlendsElementsOfACubesFace) {
  for (const int size : {1, 3, 7, 16, 24}) {
    Coordinates draw(static_cast<unsigned>(size));
    const auto edge = static_cast<size_t>(size);
    const ArrayDescriptor shape{edge, edge, 6, ArrayFormat::FLOAT, 1, array_flag::cubemap};
    const Scene scene(shape, 1, linear(GetParam(), FilterMode::point));
    fill_with_numbers(scene, draw);
    Sample how;
    how.geometry = Sample::Geometry::cube;
    for (int turn = 0; turn < 40; ++turn) {
      std::array<float, 5> operands[sample_lanes] = {};
      for (auto& one : operands) {
        const auto to = draw.direction();
        std::copy(to.begin(), to.end(), one.begin());
      }
      const auto found = scene.read(how, operands);
      for (unsigned lane = 0; lane < sample_lanes; ++lane) {
        const auto& to = operands[lane];
        std::array<double, 3> sizes{std::abs(to[0]), std::abs(to[1]), std::abs(to[2])};
        std::sort(sizes.begin(), sizes.end());
        if (sizes[2] - sizes[1] < 1e-6 * sizes[2]) continue;  // either face
        const OnFace where = on_face(to[0], to[1], to[2]);
        EXPECT_NEAR(found[lane],
                    filtered(scene, GetParam(), 0, {size, size, 1}, 2, where.at, where.face),
                    tolerance)
            << size << " towards " << to[0] << " " << to[1] << " " << to[2];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SamplerProperty,
                         testing::Values(AddressMode::wrap, AddressMode::clamp, AddressMode::mirror,
                                         AddressMode::border));

// Of a face's coordinate nothing is rounded up. A part of -1/256 is 382.5 steps of 1/256 of an
// element from the start of three, a tie that goes up; a little less does not, although the sum of
// it and 1 would be the same number.
TEST(Sampler, CutsOffACubesCoordinate) {
  const ArrayDescriptor shape{3, 3, 6, ArrayFormat::FLOAT, 1, array_flag::cubemap};
  const Scene scene(shape, 1, linear(AddressMode::clamp, FilterMode::point));
  scene.fill([](unsigned, int x, int, int) { return static_cast<float>(x); });
  Sample how;
  how.geometry = Sample::Geometry::cube;
  const float part = -1.0f / 256;
  EXPECT_EQ(scene.read_one(how, {part, 0, 1, 0, 0}), 255.0f / 256);
  EXPECT_EQ(scene.read_one(how, {std::nextafter(part, -1.0f), 0, 1, 0, 0}), 254.0f / 256);
}

TEST(Sampler, TiesBetweenSlicesGoToTheFirst) {
  const ArrayDescriptor shape{2, 2, 2, ArrayFormat::FLOAT, 1, 0};
  const Scene scene(shape, 2, linear(AddressMode::clamp, FilterMode::linear));
  scene.fill([](unsigned level, int, int, int z) { return level == 0 && z == 1 ? 256.0f : 0; });
  Sample how;
  how.geometry = Sample::Geometry::d3;
  how.levels = Sample::Levels::level;
  // Half of the weight is the second level's: of 128/256, an odd number of 1/256 is a tie.
  for (const int share : {1, 3, 127, 255}) {
    const float z = (0.5f + static_cast<float>(share) / 256) / 2;
    EXPECT_EQ(scene.read_one(how, {0.25f, 0.25f, z, 0, 0.5f}), static_cast<float>(share / 2));
  }
}

// What one answered for numbers of 8 bits with a sign, in 1/32767: their sum is made wider, after
// it was weighted.
TEST(Sampler, WidensTheSumOfSignedBytes) {
  struct Known {
    int8_t low, high;
    int share, sum;
  };
  constexpr Known known[] = {{51, 5, 165, 5509},    {5, -6, 202, -949},   {-33, 1, 79, -5807},
                             {-64, 117, 137, 8479}, {-33, 1, 25, -7658},  {-6, -64, 143, -9907},
                             {117, 117, 0, 30187},  {1, 51, 205, 10588},  {-33, 1, 0, -8514},
                             {-64, -64, 0, -16512}, {-128, 0, 0, -32767}, {127, 127, 9, 32767}};
  const ArrayDescriptor shape{4, 0, 0, ArrayFormat::SIGNED_INT8, 1, 0};
  const Scene scene(shape, 1, linear(AddressMode::clamp, FilterMode::point));
  Sample how;
  how.geometry = Sample::Geometry::d1;
  for (const Known& one : known) {
    scene.fill([&](unsigned, int x, int, int) { return x == 1 ? one.low : one.high; });
    const float x = (1.5f + static_cast<float>(one.share) / 256) / 4;
    EXPECT_EQ(scene.read_one(how, {x, 0, 0, 0, 0}), static_cast<float>(one.sum) / 32767.0f)
        << int{one.low} << " " << int{one.high} << " " << one.share;
  }
}

// Numbers of two levels are blended as those of one: whole ones with one rounding, to 1/65535.
TEST(Sampler, BlendsTheNearestElementsOfTwoLevels) {
  TextureSampling way = linear(AddressMode::clamp, FilterMode::linear);
  way.filter = FilterMode::point;
  const Scene bytes({2, 0, 0, ArrayFormat::UNSIGNED_INT8, 1, 0}, 2, way);
  Sample how;
  how.geometry = Sample::Geometry::d1;
  how.levels = Sample::Levels::level;
  for (int near = 0; near < 256; near += 17)
    for (const int share : {0, 1, 64, 77, 128, 255}) {
      const int far = near * 31 % 251;
      bytes.fill(
          [&](unsigned level, int, int, int) { return static_cast<uint8_t>(level ? far : near); });
      const float level = static_cast<float>(share) / 256;
      const int sum = (257 * (near * (256 - share) + far * share) + 128) >> 8;
      EXPECT_EQ(bytes.read_one(how, {0.25f, 0, 0, 0, level}), static_cast<float>(sum) / 65535.0f);
    }
  // A filter between levels widens bytes with a sign even where it has one level.
  const Scene signs({2, 0, 0, ArrayFormat::SIGNED_INT8, 1, 0}, 2, way);
  signs.fill([](unsigned, int, int, int) { return int8_t{-33}; });
  EXPECT_EQ(signs.read_one(how, {0.25f, 0, 0, 0, 0}), -8514.0f / 32767.0f);
  const Scene alone({2, 0, 0, ArrayFormat::SIGNED_INT8, 1, 0}, 1, way);
  alone.fill([](unsigned, int, int, int) { return int8_t{-33}; });
  EXPECT_EQ(alone.read_one(how, {0.25f, 0, 0, 0, 0}), -8514.0f / 32767.0f);
}

// Whole numbers, too, and with a sign; the sum is rounded once.
TEST(Sampler, BlendsWholeNumbersOfTwoLevels) {
  TextureSampling way = linear(AddressMode::clamp, FilterMode::linear);
  way.filter = FilterMode::point;
  way.flags |= texture_flag::read_as_integer;
  const Scene scene({2, 0, 0, ArrayFormat::SIGNED_INT16, 1, 0}, 2, way);
  scene.fill([](unsigned level, int, int, int) { return static_cast<int16_t>(level ? 301 : -7); });
  Sample how;
  how.geometry = Sample::Geometry::d1;
  how.levels = Sample::Levels::level;
  for (const int share : {0, 1, 77, 128, 255, 256}) {
    const int sum = (-7 * (256 - share) + 301 * share + 128) >> 8;
    const float level = static_cast<float>(share) / 256;
    EXPECT_EQ(std::bit_cast<int32_t>(scene.read_one(how, {0.25f, 0, 0, 0, level})), sum) << share;
  }
}

// Whatever the least level is.
TEST(Sampler, GathersAndWholeCoordinatesReadTheFirstLevel) {
  for (const FilterMode between : {FilterMode::point, FilterMode::linear})
    for (const float least : {0.0f, 0.5f, 1.0f, 2.0f}) {
      TextureSampling way = linear(AddressMode::clamp, between);
      way.filter = FilterMode::point;
      way.least_level = least;
      const auto filled = [](const Scene& scene) {
        scene.fill([](unsigned level, int, int y, int z) {
          return static_cast<float>(100 * level) + static_cast<float>(10 * z + y);
        });
      };
      const Scene cube({4, 4, 6, ArrayFormat::FLOAT, 1, array_flag::cubemap}, 3, way);
      filled(cube);
      Sample how;
      how.geometry = Sample::Geometry::cube;
      how.component = 0;
      EXPECT_EQ(cube.read_one(how, {0, 0, -1, 0, 0}), 52.0f) << least;
      const Scene plane({4, 4, 0, ArrayFormat::FLOAT, 1, 0}, 3, way);
      filled(plane);
      how = {};
      how.whole = true;
      const float three = std::bit_cast<float>(3);
      EXPECT_EQ(plane.read_one(how, {three, three, 0, 0, 0}), 3.0f) << least;
    }
}

}  // namespace
}  // namespace cuvette::device
