// SPDX-License-Identifier: Apache-2.0
// The arithmetic of texture units: how numbers are rounded, and levels chosen. Only the
// sampler uses it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/device/texture/cube.hpp"
#include "sim/device/texture/sample.hpp"
#include "sim/device/texture/texture.hpp"

namespace cuvette::device::sampling {

// A normalised coordinate has 2^this steps from one end of the axis to the other.
inline int coordinate_bits(int32_t extent) { return extent <= 8192 ? 21 : 22; }

// Rounds a number so that its last `bits` bits are zero; ties go away from zero.
template <int bits>
inline float rounded(double number) {
  uint64_t all = std::bit_cast<uint64_t>(number);
  all = (all + (uint64_t{1} << (bits - 1))) & ~((uint64_t{1} << bits) - 1);
  return static_cast<float>(std::bit_cast<double>(all));
}

inline float rounded_to_half(double number) {
  // All subnormal numbers are the same step apart.
  if (std::abs(number) < 0x1p-14)
    return static_cast<float>(
        std::copysign(std::floor(std::abs(number) * 0x1p24 + 0.5) * 0x1p-24, number));
  return rounded<42>(number);
}

inline uint32_t of_half(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000) << 16, rest = bits & 0x7fff;
  // Moves the exponent to its place, then corrects its bias by a multiplication, which handles
  // subnormal numbers; infinities and NaNs keep an exponent of ones.
  const float scaled = std::bit_cast<float>(rest << 13) * 0x1p112f;
  const uint32_t number = std::bit_cast<uint32_t>(scaled);
  return sign | (rest >= 0x7c00 ? 0x7f800000 | (rest & 0x3ff) << 13 : number);
}

// The linear value of an sRGB channel, in 1/65536 (measured: a GPU's table has eight digits).
inline constexpr uint32_t srgb_meanings[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,   220,   240,
    264,   288,   312,   340,   368,   396,   428,   460,   492,   524,   560,   600,   636,
    676,   720,   760,   804,   852,   896,   944,   1000,  1048,  1104,  1160,  1216,  1272,
    1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,  1936,  2016,  2096,  2176,
    2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,  3360,
    3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,
    4992,  5120,  5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,
    6848,  7008,  7168,  7328,  7488,  7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,
    9088,  9280,  9472,  9664,  9856,  10048, 10240, 10432, 10624, 10816, 11008, 11264, 11456,
    11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888, 14144, 14400,
    14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664,
    18048, 18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504,
    21760, 22144, 22400, 22784, 23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600,
    25984, 26368, 26752, 27008, 27392, 27776, 28032, 28416, 28800, 29184, 29568, 29952, 30336,
    30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048, 34560, 35072, 35328,
    35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848,
    47360, 47872, 48384, 48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504,
    54016, 54528, 55040, 55552, 56064, 56576, 57088, 57600, 58112, 58624, 59392, 59904, 60416,
    60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
};
inline float of_srgb(uint32_t byte) {
  return static_cast<float>(srgb_meanings[byte]) * (1.0f / 65536);
}

inline int32_t layer(uint32_t index, int32_t last) {
  return static_cast<int32_t>(std::min(index, static_cast<uint32_t>(last)));
}

// Scales a border's colour to 0 ... 65535, or to -32767 ... 32767; rounds to the nearest, and ties
// towards zero.
inline int32_t border_as_whole(float border, bool is_signed) {
  const double most = is_signed ? 32767.0 : 65535.0;
  const float least = is_signed ? -1.0f : 0.0f;
  const double x = border > least ? border > 1 ? 1.0f : border : least;
  const auto size = static_cast<int32_t>(std::floor(std::abs(x) * most + 0.48));
  return x < 0 ? -size : size;
}

// Rounds to f16 towards zero.
inline uint32_t to_half(float number) {
  const uint32_t bits = std::bit_cast<uint32_t>(number), sign = bits >> 16 & 0x8000;
  const float size = std::abs(number);
  if (size != size) return sign | 0x7fff;
  if (size >= 65536) return sign | (std::isinf(size) ? 0x7c00 : 0x7bff);
  if (size < 0x1p-14f) return sign | static_cast<uint32_t>(size * 0x1p24f);
  return sign | ((bits & 0x7fffffff) - (112u << 23)) >> 13;
}

// Turns the sum of weighted numbers of 8 bits with a sign, 128 x 256 at most, into one of 16 bits:
// repeats its upper bits behind it, to three more bits, and rounds those away.
inline int32_t wide_of_sum(int32_t sum) {
  return std::max(((sum << 3) + (sum >> 4) + (sum >> 12) + 4) >> 3, -32767);
}

// Returns a level in 1/256, limited to the existing ones.
inline int32_t level_in_steps(float wanted, float bias, const TextureSampling& sampling,
                              int32_t last) {
  const auto steps = [](float level) {
    const float inside = level > -64 ? level < 64 ? level : 64.0f : level == level ? -64.0f : 0.0f;
    return static_cast<int32_t>(inside * 256);
  };
  int32_t level = steps(wanted) + steps(bias);
  level = std::max(level, steps(sampling.least_level));
  level = std::min(level, steps(sampling.most_level));
  return std::clamp(level, 0, last * 256);
}

// Rounds to the nearest f16; ties go to the even one.
inline uint32_t nearest_half(float number) {
  const uint32_t low = to_half(number);
  if ((low & 0x7fff) >= 0x7c00) return number != number ? 0x7fff : low;
  const float below = std::abs(std::bit_cast<float>(of_half(low & 0x7fff)));
  const float above = std::bit_cast<float>(of_half((low & 0x7fff) + 1));
  const float size = std::abs(number);
  // Infinity counts as the number one step beyond the largest f16.
  const float next = std::isinf(above) ? 65536.0f : above;
  const float before = size - below, behind = next - size;
  return before < behind || (before == behind && (low & 1) == 0) ? low : low + 1;
}

}  // namespace cuvette::device::sampling
