// SPDX-License-Identifier: Apache-2.0
// Sampler, across the edges of a seamless cube map. Where elements lie is found by folding the cube
// here; the weights at its corners were measured.
#include <gtest/gtest.h>

#include "tests/sim/device/texture/sampler_scene.hpp"

namespace cuvette::device {
namespace {

struct Element {
  int face, x, y;
};

// The direction of a point of a face: the reverse of on_face(), at 2 * place - 1.
std::array<double, 3> direction_of(int face, double s, double t) {
  switch (face) {
    case 0:
      return {1, -t, -s};
    case 1:
      return {-1, -t, s};
    case 2:
      return {s, 1, t};
    case 3:
      return {s, -1, -t};
    case 4:
      return {s, -t, 1};
    default:
      return {-s, -t, -1};
  }
}

// The element at x and y of a face, of which one may lie one element beyond an edge: the point as
// far behind the edge as the middle of an element.
Element folded(int face, int x, int y, int size) {
  const double s = (2.0 * x + 1) / size - 1, t = (2.0 * y + 1) / size - 1;
  std::array<double, 3> to = direction_of(face, s, t);
  if (x < 0 || x >= size || y < 0 || y >= size)
    for (double& part : to) {
      // Ahead a whole number of edges; beyond the edge more; the latter bends to the former.
      if (std::abs(part) > 1)
        part = part < 0 ? -1 : 1;
      else if (part == (face % 2 ? -1.0 : 1.0) && &part == &to[static_cast<size_t>(face / 2)])
        part *= 1 - 1.0 / size;
    }
  const OnFace where = on_face(to[0], to[1], to[2]);
  return {where.face, static_cast<int>(std::floor(where.at[0] * size)),
          static_cast<int>(std::floor(where.at[1] * size))};
}

// What blending finds; none where a place is close to two faces.
double blended(const Scene& scene, int size, const OnFace& where, int layer) {
  double weights[4], sum = 0;
  const double x = where.at[0] * size - 0.5, y = where.at[1] * size - 0.5;
  const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
  for (int i = 0; i < 4; ++i)
    weights[i] = (i & 1 ? x - left : 1 - (x - left)) * (i & 2 ? y - top : 1 - (y - top));
  const auto inside = [&](int place) { return place >= 0 && place < size; };
  for (int i = 0; i < 4; ++i)
    if (!inside(left + (i & 1)) && !inside(top + (i >> 1))) {
      for (const int other : {i ^ 1, i ^ 2, i ^ 3}) weights[other] += weights[i] / 3;
      weights[i] = 0;
    }
  for (int i = 0; i < 4; ++i) {
    if (weights[i] == 0) continue;
    const Element at = folded(where.face, left + (i & 1), top + (i >> 1), size);
    sum += weights[i] * scene.number(0, at.x, at.y, 6 * layer + at.face);
  }
  return sum;
}

TextureSampling seamless(AddressMode mode) {
  TextureSampling way = linear(mode, FilterMode::point);
  way.flags |= texture_flag::seamless_cubemap;
  way.border[0] = 100;
  return way;
}

class SamplerSeams : public testing::TestWithParam<AddressMode> {};

TEST_P(SamplerSeams, BlendsElementsOfTheFacesAround) {
  for (const int size : {1, 2, 3, 7, 16})
    for (const int layers : {1, 2}) {
      Coordinates draw(static_cast<unsigned>(size));
      const auto edge = static_cast<size_t>(size);
      const unsigned flags = array_flag::cubemap | (layers > 1 ? array_flag::layered : 0u);
      const Scene scene({edge, edge, static_cast<size_t>(6 * layers), ArrayFormat::FLOAT, 1, flags},
                        1, seamless(GetParam()));
      fill_with_numbers(scene, draw);
      Sample how;
      how.geometry = layers > 1 ? Sample::Geometry::acube : Sample::Geometry::cube;
      for (int turn = 0; turn < 40; ++turn) {
        std::array<float, 5> operands[sample_lanes] = {};
        std::array<float, 3> to[sample_lanes];
        int layer[sample_lanes];
        for (unsigned lane = 0; lane < sample_lanes; ++lane) {
          to[lane] = draw.direction();
          layer[lane] = static_cast<int>(draw.below(static_cast<unsigned>(layers)));
          operands[lane][0] = std::bit_cast<float>(layer[lane]);
          std::copy(to[lane].begin(), to[lane].end(), operands[lane].begin() + (layers > 1));
        }
        const auto found = scene.read(how, operands);
        for (unsigned lane = 0; lane < sample_lanes; ++lane) {
          const auto [x, y, z] = to[lane];
          std::array<double, 3> sizes{std::abs(x), std::abs(y), std::abs(z)};
          std::sort(sizes.begin(), sizes.end());
          if (sizes[2] - sizes[1] < 1e-6 * sizes[2]) continue;  // either face
          EXPECT_NEAR(found[lane], blended(scene, size, on_face(x, y, z), layer[lane]), tolerance)
              << size << " towards " << x << " " << y << " " << z;
        }
      }
    }
}
INSTANTIATE_TEST_SUITE_P(Modes, SamplerSeams,
                         testing::Values(AddressMode::wrap, AddressMode::clamp, AddressMode::mirror,
                                         AddressMode::border));

// A GPU's weights at the corner of three faces, for shares of the fourth element of 1, 2, 4 and 64.
TEST(SamplerSeamsCorner, ElementsShareTheWeightOfTheMissingOne) {
  const Scene scene({4, 4, 6, ArrayFormat::FLOAT, 1, array_flag::cubemap}, 1,
                    seamless(AddressMode::clamp));
  Sample how;
  how.geometry = Sample::Geometry::cube;
  struct Known {
    int x, y;  // shares of the column and the row beyond the face
    float beside, below, across;
  };
  // Beyond x: (256 - y) * x / 256 and its third; likewise beyond y; on the face: what is left.
  for (const Known& one : {Known{16, 16, 15, 15, 226}, Known{16, 32, 15, 31, 210},
                           Known{32, 32, 29, 29, 198}, Known{128, 128, 85, 85, 86}}) {
    const float s = 1 - 1.0f / 4 + static_cast<float>(one.x) / 512;
    const float t = 1 - 1.0f / 4 + static_cast<float>(one.y) / 512;
    const auto weight_of = [&](int face) {
      scene.fill([&](unsigned, int, int, int z) { return z == face ? 256.0f : 0.0f; });
      return scene.read_one(how, {s, -t, 1, 0, 0});
    };
    EXPECT_EQ(weight_of(0), one.beside) << one.x << " " << one.y;
    EXPECT_EQ(weight_of(3), one.below) << one.x << " " << one.y;
    EXPECT_EQ(weight_of(4), one.across) << one.x << " " << one.y;
  }
}

TEST(SamplerSeamsGather, ReadsOverEdgesAndBlendsAtCorners) {
  const Scene scene({4, 4, 6, ArrayFormat::FLOAT, 1, array_flag::cubemap}, 1,
                    seamless(AddressMode::border));
  scene.fill(
      [](unsigned, int x, int y, int z) { return static_cast<float>(100 * z + 10 * y + x); });
  Sample how;
  how.geometry = Sample::Geometry::cube;
  how.component = 0;
  // The first is the lower left one of four.
  EXPECT_EQ(scene.read_one(how, {0, 0, 1, 0, 0}), 421.0f);
  EXPECT_EQ(scene.read_one(how, {0, -0.9f, 1, 0, 0}), 301.0f);
  EXPECT_EQ(scene.read_one(how, {-0.9f, 0, 1, 0, 0}), 123.0f);
  // Beside it 300, above it 133, across 430.
  EXPECT_EQ(scene.read_one(how, {-0.9f, -0.9f, 1, 0, 0}), (85 * (300 + 133) + 86 * 430) / 256.0f);
}

}  // namespace
}  // namespace cuvette::device
