// SPDX-License-Identifier: Apache-2.0
// What the sampler's files hand to each other, for 32 lanes.
#pragma once

#include "sim/memory/sampler.hpp"

namespace cuvette::memory {

// Along one of x, y and z.
struct Sampler::Axis {
  LaneIndices low, high;                  // elements, inside
  LaneIndices share;                      // of the higher one, in 1/256
  LaneIndices low_outside, high_outside;  // -1: beyond the border
};

struct Sampler::Place {
  Axis axis[3];
  LaneIndices layer;
  bool outside = false;  // whether anything can be
};

// Elements that are blended, so far.
struct Sampler::Sums {
  const LaneIndices* weights = nullptr;  // of what is added, of 256; null: all of it
  double numbers[4][sample_lanes] = {};
  LaneIndices whole[4] = {};
};

}  // namespace cuvette::memory
