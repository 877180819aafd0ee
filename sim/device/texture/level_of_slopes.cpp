// SPDX-License-Identifier: Apache-2.0
// A GPU does not take the length of the longest axis of the ellipse that two derivatives span. An
// H200 showed, over 52,000 pairs of derivatives:
//
//   length(v)  = a + 11/32 b + 1/4 c, where a >= b >= c are the sizes of v's components, in
//   elements longest    = the largest of length(x), length(y), 11/16 length(x + y), 11/16 length(x
//   - y) level      = the logarithm of that, from a table for the 8 bits behind its leading one
//
// It computes with numbers of 10 bits. A single derivative of one or two components, and two of one
// component, get the very level of the GPU (131,072 draws); of others, 1 in 20 gets the step of
// 1/256 beside it, or the second one.
#include "sim/device/texture/level_of_slopes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/device/texture/cube.hpp"

namespace cuvette::device::sampling {
namespace {

// 256 times the logarithm to base 2 of 1 + n / 256, as the unit has it (measured).
constexpr std::array<uint8_t, 256> logarithms = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,
    27,  28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,
    52,  53,  54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,
    75,  76,  77,  78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,  92,  93,  94,  95,
    97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116,
    117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136,
    137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154,
    155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
    173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188,
    189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205,
    205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220,
    221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235,
    236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249,
    250, 251, 251, 252, 253, 253, 254, 255, 255};

using Slope = std::array<float, 3>;

// The size of a number as the unit has it: 10 bits, and the power of two that the last one stands
// for.
struct Short {
  uint32_t bits = 0;
  int last = 0;

  explicit Short(float size) {
    if (size == 0) return;
    last = std::ilogb(size) - 9;
    bits = static_cast<uint32_t>(std::ldexp(size, -last));
  }
};

// Cuts off what is smaller than 2^last.
float cut(float number, int last) {
  return std::ldexp(std::trunc(std::ldexp(number, -last)), last);
}

float length(const Slope& slope) {
  Slope sizes;
  for (unsigned axis = 0; axis < 3; ++axis) sizes[axis] = std::abs(slope[axis]);
  std::sort(sizes.begin(), sizes.end());
  const Short a(sizes[2]), b(sizes[1]);
  if (a.bits == 0) return 0;
  uint32_t others = 0;
  if (b.bits != 0) {
    const auto c = static_cast<uint32_t>(std::ldexp(sizes[0], -b.last));
    others = ((11 * b.bits + 8 * c + 4) / 32) >> std::min(a.last - b.last, 31);
  }
  return std::ldexp(static_cast<float>(a.bits + others), a.last);
}

// Returns 11/16 of the number.
float scaled(float number) {
  const Short size(std::abs(number));
  return std::copysign(std::ldexp(static_cast<float>((11 * size.bits + 4) / 16), size.last),
                       number);
}

float longest_of(const Slope& x, const Slope& y) {
  Slope sum{}, difference{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const float larger = std::max(std::abs(x[axis]), std::abs(y[axis]));
    if (larger == 0) continue;
    const int last = std::ilogb(larger) - 9;
    const float along_x = cut(x[axis], last), along_y = cut(y[axis], last);
    sum[axis] = scaled(along_x + along_y);
    difference[axis] = scaled(along_x - along_y);
  }
  return std::max({length(x), length(y), length(sum), length(difference)});
}

// A derivative of a direction, along the face of the cube that the direction points to.
struct AlongFace {
  Slope slope{};
  bool leaves = false;    // to a face beside it
  bool opposite = false;  // to the face behind it
};

// Returns the way on the cube from where `from` points to where the direction points after a step.
// Across an edge, the other face lies in one plane with the first.
AlongFace way_on_cube(const Slope& from, const Slope& step) {
  const Slope to = {from[0] + step[0], from[1] + step[1], from[2] + step[2]};
  const unsigned first = cube_faces[face_of(from[0], from[1], from[2])].ahead;
  const unsigned second = cube_faces[face_of(to[0], to[1], to[2])].ahead;
  const float by_first = 1 / std::abs(from[first]), by_second = 1 / std::abs(to[second]);
  AlongFace way;
  if (first == second) {
    way.opposite = std::signbit(from[first]) != std::signbit(to[first]);
    for (unsigned axis = 0; axis < 3; ++axis)
      if (axis != first) way.slope[axis] = (to[axis] * by_second - from[axis] * by_first) / 2;
    return way;
  }
  way.leaves = true;
  const unsigned across = 3 - first - second;
  const float before_edge = 1 - std::copysign(from[second], from[second] * to[second]) * by_first;
  const float behind_edge = 1 - std::copysign(to[first], to[first] * from[first]) * by_second;
  way.slope[second] = (before_edge + behind_edge) / 2;
  way.slope[across] = (to[across] * by_second - from[across] * by_first) / 2;
  return way;
}

}  // namespace

float level_of_slopes(const Sample& how, const LaneWords* operands, unsigned lane,
                      const SampledLevel& level) {
  const auto word = [&](unsigned number) { return std::bit_cast<float>(operands[number][lane]); };
  Slope x{}, y{};
  Slope extents = {static_cast<float>(level.width), static_cast<float>(level.height),
                   static_cast<float>(level.depth)};
  bool diagonals = true;
  for (unsigned axis = 0; axis < how.dimensions(); ++axis) {
    x[axis] = word(Sample::first_level + axis);
    y[axis] = word(Sample::first_along_y + axis);
  }
  if (how.cube()) {
    const unsigned first = Sample::first_coordinate + (how.layered() ? 1 : 0);
    const Slope direction = {word(first), word(first + 1), word(first + 2)};
    const AlongFace way_x = way_on_cube(direction, x), way_y = way_on_cube(direction, y);
    if (way_x.opposite || way_y.opposite) return INFINITY;
    x = way_x.slope, y = way_y.slope;
    diagonals = !way_x.leaves && !way_y.leaves;
    extents.fill(static_cast<float>(level.width));
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    x[axis] *= extents[axis];
    y[axis] *= extents[axis];
    // The level's limits decide for such derivatives; one that is no number counts as level 0.
    if (std::isnan(x[axis]) || std::isnan(y[axis])) return 0;
    if (std::isinf(x[axis]) || std::isinf(y[axis])) return INFINITY;
  }
  const float longest = diagonals ? longest_of(x, y) : std::max(length(x), length(y));
  if (!(longest >= 0x1p-64f)) return -64;
  const int exponent = std::ilogb(longest);
  const auto place = static_cast<unsigned>(std::ldexp(longest, 8 - exponent)) - 256;
  return static_cast<float>(exponent) + static_cast<float>(logarithms[place]) / 256;
}

}  // namespace cuvette::device::sampling
