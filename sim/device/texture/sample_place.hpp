// SPDX-License-Identifier: Apache-2.0
// The data that the sampler's files pass to each other, for 32 lanes.
#pragma once

#include "sim/device/texture/sample.hpp"

namespace cuvette::device {

// The two elements to blend along one of x, y and z.
struct SampleAxis {
  LaneIndices low, high;                  // elements, clamped to the array
  LaneIndices share;                      // the higher one's weight, in 1/256
  LaneIndices low_outside, high_outside;  // -1: outside of the array
};

// The four elements around a place on a seamless cube map, which may lie on several faces. Corners
// are numbered with x in bit 0 and y in bit 1. A cube's corner has three elements only: the number
// of the fourth is `missing`; it is -1 elsewhere.
struct SampleSeams {
  LaneIndices x[4], y[4], face[4];  // `face` counts the layers before it, too
  LaneIndices missing;
};

struct SamplePlace {
  SampleAxis axis[3];
  LaneIndices layer;
  bool outside = false;  // whether any lane can be outside
  const SampleSeams* seams = nullptr;
  uint32_t lanes = UINT32_MAX;
  const SampleObserver* observer = nullptr;

  // Reports that elements of a level are read: not by lanes that are outside, nor where the element
  // has no weight.
  void tell(const SampledLevel& level, const LaneIndices& x, const LaneIndices& y,
            const LaneIndices& z, const LaneIndices& out, const LaneIndices* weight) const {
    if (!observer) return;
    uint32_t reading = lanes;
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      if (out[lane] || (weight && (*weight)[lane] == 0)) reading &= ~(1u << lane);
    if (reading != 0) observer->reads(level, x, y, z, reading);
  }
};

// An element that is blended: its channels as f32, and its weight in 1/256.
struct SampleTerm {
  LaneWords channels[4];
  LaneIndices weight;
};

// The sums of blended elements so far. Those of floating formats are kept, since how each is
// rounded depends on the others of its pass: a slice of a level.
struct SampleSums {
  const LaneIndices* weights = nullptr;  // of what is added, in 1/256; null: 256
  LaneIndices whole[4] = {};
  unsigned count = 0, passes = 0;
  unsigned first[4];     // the first term of each pass
  SampleTerm terms[16];  // of two levels with 8 elements each

  void begin_pass() { first[passes++] = count; }
};

}  // namespace cuvette::device
