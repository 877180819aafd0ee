// SPDX-License-Identifier: Apache-2.0
// The geometry of cube maps: which face a direction meets, where, and which elements lie beyond a
// face's edges. Only the sampler uses it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/device/texture/reciprocal.hpp"
#include "sim/device/texture/sample.hpp"

namespace cuvette::device::sampling {

// A face, the axes along it, and the axis that points at it.
struct CubeFace {
  int across, down, ahead;  // 0 to 2: x, y, z
  int32_t sign_across, sign_down, sign_ahead;
};
inline constexpr CubeFace cube_faces[6] = {{2, 1, 0, -1, -1, 1}, {2, 1, 0, 1, -1, -1},
                                           {0, 2, 1, 1, 1, 1},   {0, 2, 1, 1, -1, -1},
                                           {0, 1, 2, 1, -1, 1},  {0, 1, 2, -1, -1, -1}};

// The number of the face that a direction meets. A part that is NaN is shorter than any other.
inline int32_t face_of(float x, float y, float z) {
  const auto size = [](float part) { return part == part ? std::abs(part) : -1.0f; };
  const float ax = size(x), ay = size(y), az = size(z);
  if (az >= ax && az >= ay) return 4 + (z < 0);
  if (ay >= ax) return 2 + (y < 0);
  return 0 + (x < 0);
}

// Scales a direction as compilers do before a texture unit sees it: times the reciprocal of its
// longest part. Parts that differ in their last bit may become equally long, and what becomes
// subnormal is 0.
inline void scale_direction(float* to) {
  float most = 0;
  for (int i = 0; i < 3; ++i)
    if (std::abs(to[i]) > most) most = std::abs(to[i]);  // never a NaN
  const float one = reciprocal(most);
  for (int i = 0; i < 3; ++i) {
    to[i] *= one;
    if (std::abs(to[i]) < 0x1p-126f) to[i] = 0;
  }
}

// Returns where on a face, from 0 to 1, a direction meets it if its part along the face is `part`
// times as long as the one ahead. Of the sum nothing is lost: it is cut off to steps that are finer
// than a coordinate's.
inline float place_on_face(float part) {
  part = part == part ? part : 0;
  part = part > -1 ? part < 1 ? part : 1.0f : -1.0f;
  const float fine = part * 0x1p22f;
  const auto cut = static_cast<int32_t>(fine);
  const int32_t steps = cut - (fine < static_cast<float>(cut));
  return static_cast<float>(steps + (1 << 22)) * 0x1p-23f;
}

inline void faces(const LaneWords* direction, LaneFloats* on_face, LaneIndices& face) {
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    float to[] = {std::bit_cast<float>(direction[0][lane]),
                  std::bit_cast<float>(direction[1][lane]),
                  std::bit_cast<float>(direction[2][lane])};
    scale_direction(to);
    face[lane] = face_of(to[0], to[1], to[2]);
    const CubeFace& where = cube_faces[face[lane]];
    on_face[0][lane] = place_on_face(static_cast<float>(where.sign_across) * to[where.across]);
    on_face[1][lane] = place_on_face(static_cast<float>(where.sign_down) * to[where.down]);
  }
}

struct CubeElement {
  int32_t face, x, y;
};

// Returns the element of another face that touches one at the edge of a face with `size` x `size`
// elements. One of x and y is -1 or `size`: beyond the edge; the other is inside.
constexpr CubeElement beyond_edge(int32_t face, int32_t x, int32_t y, int32_t size) {
  const CubeFace& from = cube_faces[face];
  const bool over_x = x < 0 || x >= size;
  // Over the edge, the axis that pointed along the face points at the next one, and what pointed
  // ahead points along it, at the element next to the edge.
  const int ahead = over_x ? from.across : from.down;
  const int32_t past =
      over_x ? (x < 0 ? -1 : 1) * from.sign_across : (y < 0 ? -1 : 1) * from.sign_down;
  const int32_t next = 2 * ahead + (past < 0);
  const CubeFace& to = cube_faces[next];
  const int32_t along = over_x ? y : x, sign_along = over_x ? from.sign_down : from.sign_across;
  const auto place = [&](int axis, int32_t sign) {
    if (axis == from.ahead) return sign == from.sign_ahead ? size - 1 : 0;
    return sign == sign_along ? along : size - 1 - along;
  };
  return {next, place(to.across, to.sign_across), place(to.down, to.sign_down)};
}

}  // namespace cuvette::device::sampling
