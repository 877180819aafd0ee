// SPDX-License-Identifier: Apache-2.0
// How a texture unit adds weighted numbers of floating formats. Only the sampler uses it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/device/texture/sample_place.hpp"
#include "sim/device/texture/sampling.hpp"

namespace cuvette::device::sampling {

// The sum where an infinity or NaN has a weight.
inline uint32_t sum_of_specials(const SampleSums& sums, unsigned channel, unsigned lane,
                                bool halves) {
  bool positive = false, negative = false, none = false;
  for (unsigned i = 0; i < sums.count; ++i) {
    if (sums.terms[i].weight[lane] == 0) continue;
    const uint32_t bits = sums.terms[i].channels[channel][lane];
    positive |= bits == 0x7f800000, negative |= bits == 0xff800000;
    none |= (bits & 0x7fffffff) > 0x7f800000;
  }
  if (none || (positive && negative)) return halves ? 0x7fffe000 : 0x7fffffff;
  return positive ? 0x7f800000 : 0xff800000;
}

// How many bits behind the first one of the largest number its pass keeps.
inline int32_t digits_behind(bool halves) { return halves ? 14 : 27; }

inline double power_of_two(int32_t exponent) {
  return std::bit_cast<double>(static_cast<int64_t>(1023 + exponent) << 52);
}

// Adds one channel of some terms, as one pass of the unit does. Terms without weight do not count.
// The others are aligned to the largest one and cut off four bits behind its last; the sum of their
// products is exact. Subnormal f32 are 0. `exponent` becomes that of the largest, with a bias of
// 127.
inline void sum_of_pass(const SampleTerm* terms, unsigned count, unsigned channel, bool halves,
                        LaneIndices& exponent, double* sum) {
  LaneIndices most{};
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t* const bits = terms[i].channels[channel];
    const int32_t* const weight = terms[i].weight;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const auto size = static_cast<int32_t>(bits[lane] & 0x7f800000);
      const int32_t counted = weight[lane] != 0 ? size : 0;
      most[lane] = counted > most[lane] ? counted : most[lane];
    }
  }
  // 2^(digits - exponent of the largest) turns the largest number into one below 2^(digits + 1).
  const int32_t digits = digits_behind(halves);
  double scale[sample_lanes];
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    exponent[lane] = most[lane] >> 23;
    scale[lane] = power_of_two(digits + 127 - exponent[lane]);
    sum[lane] = 0;
  }
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t* const bits = terms[i].channels[channel];
    const int32_t* const weight = terms[i].weight;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const uint32_t own = bits[lane] & 0x7f800000;
      const bool counts = weight[lane] != 0 && own != 0 && own != 0x7f800000;
      const uint32_t number = counts ? bits[lane] : 0;
      const auto aligned =
          static_cast<int32_t>(static_cast<double>(std::bit_cast<float>(number)) * scale[lane]);
      sum[lane] += static_cast<double>(aligned) * static_cast<double>(weight[lane]);
    }
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane) sum[lane] /= scale[lane];
}

// Adds the sums of passes: aligned to the largest number of all, with two more bits than in a pass,
// and rounded down to them.
inline void add_passes(const SampleSums& sums, unsigned channel, bool halves, double* sum) {
  double parts[4][sample_lanes];
  LaneIndices most{};
  for (unsigned pass = 0; pass < sums.passes; ++pass) {
    const unsigned first = sums.first[pass];
    const unsigned end = pass + 1 < sums.passes ? sums.first[pass + 1] : sums.count;
    LaneIndices exponent;
    sum_of_pass(sums.terms + first, end - first, channel, halves, exponent,
                sums.passes == 1 ? sum : parts[pass]);
    if (sums.passes == 1) return;
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      most[lane] = std::max(most[lane], exponent[lane]);
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    const double scale = power_of_two(digits_behind(halves) + 2 + 127 - most[lane]);
    double all = 0;
    for (unsigned pass = 0; pass < sums.passes; ++pass) {
      const double fine = parts[pass][lane] * scale;  // below 2^39
      const auto cut = static_cast<int64_t>(fine);
      all += static_cast<double>(cut - (fine < static_cast<double>(cut)));
    }
    sum[lane] = all / scale;
  }
}

// Adds one channel of all terms; passes begin where the sums say. Rounds once. Sums of zeros are
// negative if all of them are.
inline void sum_of_aligned(const SampleSums& sums, unsigned channel, bool halves,
                           uint32_t* results) {
  double sum[sample_lanes];
  add_passes(sums, channel, halves, sum);
  LaneIndices signs, most{};
  for (unsigned lane = 0; lane < sample_lanes; ++lane) signs[lane] = -1;
  for (unsigned i = 0; i < sums.count; ++i) {
    const uint32_t* const bits = sums.terms[i].channels[channel];
    const int32_t* const weight = sums.terms[i].weight;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const int32_t counted = weight[lane] != 0 ? static_cast<int32_t>(bits[lane]) : -1;
      const auto size = static_cast<int32_t>(bits[lane] & 0x7fffffff);
      signs[lane] &= counted;
      most[lane] = weight[lane] != 0 && size > most[lane] ? size : most[lane];
    }
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    if (most[lane] >= 0x7f800000) {
      results[lane] = sum_of_specials(sums, channel, lane, halves);
      continue;
    }
    const double exact = sum[lane] * (1.0 / 256);
    const float number = halves ? rounded_to_half(exact) : rounded<29>(exact);
    uint32_t result = std::bit_cast<uint32_t>(number);
    if (std::abs(number) < 0x1p-126f) result &= 0x80000000;
    if (sum[lane] == 0) result = static_cast<uint32_t>(signs[lane]) & 0x80000000;
    results[lane] = result;
  }
}

// Whether aligning changes none of the terms, nor the sums of passes, in any lane: their exponents
// are four apart at most, so a pass keeps every bit of each, and its result keeps every bit of
// their products with weights. None is special or so small that a difference could be subnormal,
// and some term of each lane is not zero. (Terms without weight are looked at, too: that is only
// too careful.)
inline bool are_aligned(const SampleSums& sums, unsigned channel) {
  constexpr int32_t small = 0x10000000, special = 0x7f800000;
  LaneIndices most{}, least;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) least[lane] = special;
  for (unsigned i = 0; i < sums.count; ++i) {
    const uint32_t* const bits = sums.terms[i].channels[channel];
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const auto size = static_cast<int32_t>(bits[lane] & 0x7fffffff);
      const int32_t not_zero = size != 0 ? size : special;
      most[lane] = size > most[lane] ? size : most[lane];
      least[lane] = not_zero < least[lane] ? not_zero : least[lane];
    }
  }
  int32_t other = 0;
  for (unsigned lane = 0; lane < sample_lanes; ++lane)
    other |= (most[lane] >= special) | (least[lane] < small) |
             ((most[lane] >> 23) - (least[lane] >> 23) > 4) | (most[lane] == 0);
  return other == 0;
}

// sum_of_aligned(), faster where nothing needs to be aligned.
inline void sum_of_numbers(const SampleSums& sums, unsigned channel, bool halves,
                           uint32_t* results) {
  if (!are_aligned(sums, channel)) return sum_of_aligned(sums, channel, halves, results);
  double sum[sample_lanes] = {};
  for (unsigned i = 0; i < sums.count; ++i) {
    const uint32_t* const bits = sums.terms[i].channels[channel];
    const int32_t* const weight = sums.terms[i].weight;
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      sum[lane] += static_cast<double>(std::bit_cast<float>(bits[lane])) * weight[lane];
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    const double exact = sum[lane] * (1.0 / 256);
    results[lane] = std::bit_cast<uint32_t>(halves ? rounded_to_half(exact) : rounded<29>(exact));
  }
}

// The step of the table of sRGB's meanings around a byte, as an exponent of 2, in 1/65536: each
// part of the table has numbers of eight bits (measured).
inline int32_t srgb_step(uint32_t byte) {
  constexpr uint8_t first_of_next[] = {32, 48, 64, 96, 136, 184, 248};
  int32_t step = 2;
  for (const uint8_t first : first_of_next) step += byte >= first;
  return step;
}

// Adds one channel of bytes of sRGB. Those of a pass are cut off to the steps of the largest, the
// sum is exact, and rounded as an f16.
inline void sum_of_srgb(const SampleSums& sums, unsigned channel, uint32_t* results) {
  LaneIndices sum{};
  for (unsigned pass = 0; pass < sums.passes; ++pass) {
    const SampleTerm* const first = sums.terms + sums.first[pass];
    const SampleTerm* const end =
        sums.terms + (pass + 1 < sums.passes ? sums.first[pass + 1] : sums.count);
    LaneWords most{};
    for (const SampleTerm* term = first; term != end; ++term)
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        if (term->weight[lane] != 0)
          most[lane] = std::max(most[lane], term->channels[channel][lane]);
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const int32_t step = srgb_step(most[lane]);
      for (const SampleTerm* term = first; term != end; ++term) {
        const auto meaning = static_cast<int32_t>(srgb_meanings[term->channels[channel][lane]]);
        sum[lane] += (meaning >> step << step) * term->weight[lane];
      }
    }
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane)
    results[lane] = std::bit_cast<uint32_t>(rounded_to_half(sum[lane] * 0x1p-24));
}

}  // namespace cuvette::device::sampling
