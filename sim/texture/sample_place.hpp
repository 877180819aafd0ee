// SPDX-License-Identifier: Apache-2.0
// What the sampler's files pass to each other, for 32 lanes.
#pragma once

#include "sim/texture/sample.hpp"

namespace cuvette::memory {

// The place along one of x, y and z.
struct SampleAxis {
  LaneIndices low, high;                  // elements, inside
  LaneIndices share;                      // the higher one's weight, in 1/256
  LaneIndices low_outside, high_outside;  // -1: beyond the border
};

struct SamplePlace {
  SampleAxis axis[3];
  LaneIndices layer;
  bool outside = false;  // whether any place can be beyond the border
};

// The sums of blended elements so far.
struct SampleSums {
  const LaneIndices* weights = nullptr;  // how much of 256 is added; null: all of it
  double numbers[4][sample_lanes] = {};
  LaneIndices whole[4] = {};
};

}  // namespace cuvette::memory
