// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/cube.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace cuvette::device::sampling {
namespace {

struct Place {
  int32_t face;
  float across, down;
  bool operator==(const Place&) const = default;
};
void PrintTo(const Place& place, std::ostream* to) {
  *to << place.face << " " << place.across << " " << place.down;
}

Place place_of(float x, float y, float z) {
  LaneWords direction[3];
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    direction[0][lane] = std::bit_cast<uint32_t>(x);
    direction[1][lane] = std::bit_cast<uint32_t>(y);
    direction[2][lane] = std::bit_cast<uint32_t>(z);
  }
  LaneFloats on_face[2];
  LaneIndices face;
  faces(direction, on_face, face);
  return {face[0], on_face[0][0], on_face[1][0]};
}

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nothing = std::numeric_limits<float>::quiet_NaN();

// What a GPU answered.
TEST(CubeFaces, DirectionsBetweenFaces) {
  EXPECT_EQ(place_of(1, 1, 1), (Place{4, 1, 0}));
  EXPECT_EQ(place_of(-1, -1, 0.5f), (Place{3, 0, 0.25f}));
  // Scaled, both parts are as long.
  EXPECT_EQ(place_of(0x1.f8ef58p-1f, -0x1.f8ef56p-1f, -0x1.db7c7p-1f).face, 3);
  EXPECT_EQ(place_of(-0x1.e35034p-2f, -0x1.67ad8p-4f, 0x1.e35032p-2f).face, 4);
  EXPECT_EQ(place_of(1.0000001f, 0, 1).face, 0);
}

TEST(CubeFaces, DirectionsThatAreHardlyAny) {
  EXPECT_EQ(place_of(0, 0, -0.0f), (Place{4, 0.5f, 0.5f}));
  EXPECT_EQ(place_of(0.5f, -1, 0x1p-127f), (Place{3, 0.75f, 0.5f}));
  EXPECT_LT(place_of(0.5f, -1, 0x1p-126f).down, 0.5f);
  // The reciprocal of subnormal numbers is infinite.
  EXPECT_EQ(place_of(-0x1p-127f, 0, -0x1p-149f), (Place{5, 1, 0.5f}));
}

TEST(CubeFaces, DirectionsThatAreTooLong) {
  // Times the reciprocal, all parts are 0 ...
  EXPECT_EQ(place_of(3.4e38f, 1, -1), (Place{4, 0.5f, 0.5f}));
  EXPECT_EQ(place_of(0x1p127f, 0, 3), (Place{4, 0.5f, 0.5f}));
  // ... or NaN, which is shorter than any other.
  EXPECT_EQ(place_of(1, 2, -infinity), (Place{2, 0.5f, 0.5f}));
  EXPECT_EQ(place_of(0.5f, nothing, -infinity), (Place{0, 0.5f, 0.5f}));
  EXPECT_EQ(place_of(nothing, 1, 0.5f), (Place{2, 0.5f, 0.75f}));
}

// Every element beyond an edge touches one that is on this side, and is back beyond that edge.
TEST(CubeEdges, LeadBack) {
  constexpr int32_t size = 5;
  for (int32_t face = 0; face < 6; ++face)
    for (int edge = 0; edge < 4; ++edge)
      for (int32_t along = 0; along < size; ++along) {
        const int32_t far = edge & 1 ? size : -1, near = edge & 1 ? size - 1 : 0;
        const CubeElement there =
            edge < 2 ? beyond_edge(face, far, along, size) : beyond_edge(face, along, far, size);
        ASSERT_NE(there.face, face);
        bool back = false;
        for (const auto& [x, y] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
          const int32_t tx = there.x + x, ty = there.y + y;
          if ((tx >= 0 && tx < size) == (ty >= 0 && ty < size)) continue;
          const CubeElement here = beyond_edge(there.face, tx, ty, size);
          back |= here.face == face && here.x == (edge < 2 ? near : along) &&
                  here.y == (edge < 2 ? along : near);
        }
        EXPECT_TRUE(back) << face << " " << edge << " " << along;
      }
}

}  // namespace
}  // namespace cuvette::device::sampling
