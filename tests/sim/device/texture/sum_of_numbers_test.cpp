// SPDX-License-Identifier: Apache-2.0
// Sums of weighted numbers, compared with what a GPU answered.
#include "sim/device/texture/sum_of_numbers.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <memory>
#include <random>

namespace cuvette::device::sampling {
namespace {

struct Term {
  int32_t weight;
  float number;
};

// A pass for each list.
std::unique_ptr<SampleSums> sums_of(std::initializer_list<std::initializer_list<Term>> passes) {
  auto sums = std::make_unique<SampleSums>();
  for (const auto& pass : passes) {
    sums->begin_pass();
    for (const Term& term : pass) {
      SampleTerm& to = sums->terms[sums->count++];
      for (unsigned lane = 0; lane < sample_lanes; ++lane) {
        to.channels[0][lane] = std::bit_cast<uint32_t>(term.number);
        to.weight[lane] = term.weight;
      }
    }
  }
  return sums;
}
uint32_t sum(std::initializer_list<std::initializer_list<Term>> passes, bool halves = false) {
  LaneWords results;
  sum_of_numbers(*sums_of(passes), 0, halves, results);
  EXPECT_EQ(results[0], results[sample_lanes - 1]);
  return results[0];
}
float number(std::initializer_list<std::initializer_list<Term>> passes, bool halves = false) {
  return std::bit_cast<float>(sum(passes, halves));
}
float srgb(std::initializer_list<Term> bytes) {
  auto sums = sums_of({bytes});
  for (unsigned i = 0; i < sums->count; ++i)
    for (uint32_t& word : sums->terms[i].channels[0])
      word = static_cast<uint32_t>(std::bit_cast<float>(word));
  LaneWords results;
  sum_of_srgb(*sums, 0, results);
  return std::bit_cast<float>(results[0]);
}

TEST(SumOfNumbers, AlignsSmallNumbersToTheLargest) {
  EXPECT_EQ(number({{{157, 0x1.d4a79cp+2f}, {99, -0x1.b906bp+9f}}}), -0x1.509d82p+8f);
  EXPECT_EQ(number({{{60, 0x1.94c9ccp+2f}, {196, -0x1.e4102p-8f}}}), 0x1.7a0a94p+0f);
  EXPECT_EQ(number({{{28, -0x1.a188c8p+27f}, {228, 0x1.524acp-26f}}}), -0x1.6d57bp+24f);
  // Without weight, a number aligns nothing.
  EXPECT_EQ(number({{{0, 0x1p100f}, {256, 0x1.000002p-20f}}}), 0x1.000002p-20f);
}

TEST(SumOfNumbers, AlignsHalves) {
  const auto half = [](Term low, Term high) { return number({{low, high}}, true); };
  EXPECT_EQ(half({1, 3.41796875f}, {255, 0.00034928321838378906f}), 1782 * 0x1p-17f);
  EXPECT_EQ(half({1, -843.5f}, {255, -0.039825439453125f}), -1703 * 0x1p-9f);
  EXPECT_EQ(half({252, 11.3828125f}, {4, -32368.0f}), -1980 * 0x1p-2f);
}

TEST(SumOfNumbers, RoundsDownWhatPassesAdd) {
  EXPECT_EQ(number({{{175, -0x1.7e31p+9f}}, {{81, 0x1.d41dap-33f}}}), -0x1.05438p+9f);
  EXPECT_EQ(number({{{1, -0x1.01f194p+8f}}, {{255, -0x1.ff3b6p-25f}}}), -0x1.01f196p+0f);
  EXPECT_EQ(number({{{254, 0x1.05cp-12f}}, {{2, -0x1.67cp+6f}}}, true), -0x1.67cp-1f);
}

TEST(SumOfNumbers, SpecialNumbersCountWhereTheyHaveWeight) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(number({{{255, 1}, {1, -infinity}}}), -infinity);
  EXPECT_EQ(number({{{256, 1}, {0, -infinity}}}), 1);
  EXPECT_EQ(number({{{256, 1}, {0, nothing}}}), 1);
  EXPECT_EQ(sum({{{255, infinity}, {1, -infinity}}}), 0x7fffffffu);
  EXPECT_EQ(sum({{{255, infinity}}, {{1, -nothing}}}), 0x7fffffffu);
  EXPECT_EQ(sum({{{255, 1}, {1, nothing}}}, true), 0x7fffe000u);
}

TEST(SumOfNumbers, SubnormalNumbersAreZeros) {
  EXPECT_EQ(sum({{{83, -0x1p-141f}, {173, 0x1p-140f}}}), 0u);
  EXPECT_EQ(sum({{{180, -0x1p-142f}, {76, -0x1p-141f}}}), 0x80000000u);
  EXPECT_EQ(sum({{{128, -0.0f}, {128, 0.0f}}}), 0u);
  EXPECT_EQ(sum({{{256, -0.0f}, {0, 0.0f}}}), 0x80000000u);
}

// Numbers close to each other, and some that are zeros, far away, or without weight.
TEST(SumOfNumbersProperty, IsTheSumOfAlignedNumbers) {
  std::mt19937 random(39);
  auto sums = std::make_unique<SampleSums>();
  size_t plain = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    const bool halves = random() % 2;
    const unsigned passes = 1 + random() % 4, spread = 3 + random() % 4;
    const unsigned about = random() % 8 == 0 ? 1 + random() % 40 : halves ? 112 : 100;
    sums->count = sums->passes = 0;
    for (unsigned pass = 0; pass < passes; ++pass) {
      sums->begin_pass();
      for (unsigned i = 0; i < 4; ++i) {
        SampleTerm& term = sums->terms[sums->count++];
        for (unsigned lane = 0; lane < sample_lanes; ++lane) {
          const auto bits = static_cast<uint32_t>(random());
          const uint32_t mantissa = halves ? bits & 0x807fe000 : bits & 0x807fffff;
          const bool zero = random() % 32 == 0;
          const uint32_t exponent = (about + random() % spread) << 23;
          term.channels[0][lane] = zero ? bits & 0x80000000 : mantissa | exponent;
          term.weight[lane] = static_cast<int32_t>(random() % 65);
        }
      }
    }
    LaneWords wanted, found;
    sum_of_aligned(*sums, 0, halves, wanted);
    sum_of_numbers(*sums, 0, halves, found);
    plain += are_aligned(*sums, 0);
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      ASSERT_EQ(wanted[lane], found[lane]) << turn << " " << lane;
  }
  EXPECT_GT(plain, 500u);
}

TEST(SumOfSrgb, CutsOffToStepsOfTheTable) {
  EXPECT_EQ(srgb({{180, 72}, {76, 112}}), 6124 / 65536.0f);
  EXPECT_EQ(srgb({{128, 254}, {128, 60}}), 33792 / 65536.0f);
  EXPECT_EQ(srgb({{256, 255}, {0, 1}}), 1);
  EXPECT_EQ(srgb({{0, 255}, {256, 1}}), 20 / 65536.0f);
}

}  // namespace
}  // namespace cuvette::device::sampling
