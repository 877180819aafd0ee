// SPDX-License-Identifier: Apache-2.0
// Coordinates: which elements they mean, and how much of each.
#include "sim/memory/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "sim/memory/sampler_parts.hpp"
#include "sim/memory/sampling.hpp"

namespace cuvette::memory {

// Where a coordinate lies among `extent` elements.
void Sampler::place_axis(const SampledLevel&, int axis, int32_t extent, const LaneFloats& c,
                         bool normalised, bool between, bool gathers, const LaneWords* offsets,
                         Axis& to) const {
  // Faces go round whether coordinates are said to be normalised or not.
  const bool wraps = sampling_.address[static_cast<size_t>(axis)] == AddressMode::wrap;
  const Reach reach = normalised && wraps ? Reach::wrap : reach_[axis];
  const double size = extent;
  double at[sample_lanes];  // in elements
  if (!normalised) {
    // Far beyond every array, so that sums are exact.
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      float x = c[lane];
      x = x == x ? x : 0;
      x = x < -0x1p22f ? -0x1p22f : x;
      at[lane] = x > 0x1p22f ? 0x1p22f : x;
    }
  } else {
    const double steps = sampling::coordinate_steps(extent), step = 1 / steps;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      double x = c[lane];
      x = std::abs(x) <= 0x1p40 ? x : x > 0 && reach != Reach::wrap && reach != Reach::mirror
                                          ? 0x1p22
                                      : x < 0 && reach != Reach::wrap && reach != Reach::mirror
                                          ? -0x1p22
                                          : 0;
      x = std::floor(x * steps) * step;
      if (reach == Reach::wrap) {
        x -= std::floor(x);
      } else if (reach == Reach::mirror) {
        x -= std::floor(x * 0.5) * 2;
      } else {
        x = x < -0x1p5 ? -0x1p5 : x;
        x = x > 0x1p5 ? 0x1p5 : x;
      }
      at[lane] = x * size;
    }
  }
  if (offsets)
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      at[lane] += static_cast<int32_t>((*offsets)[lane] << 28) >> 28;
  const int32_t last = extent - 1;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    int32_t low, share = 0;
    if (between) {
      double fixed = std::floor(at[lane] * 256 + 0.5) - 128;
      if (reach == Reach::clamp && !gathers) {
        fixed = fixed < 0 ? 0 : fixed;
        fixed = fixed > last * 256.0 ? last * 256.0 : fixed;
      }
      const auto place = static_cast<int32_t>(fixed);
      low = place >> 8;
      share = place & 255;
    } else {
      low = static_cast<int32_t>(std::floor(at[lane]));
    }
    int32_t high = low + 1;
    to.low_outside[lane] = low < 0 || low > last ? -1 : 0;
    to.high_outside[lane] = high < 0 || high > last ? -1 : 0;
    if (reach == Reach::wrap) {
      low = low < 0 ? low + extent : low;
      low = low > last ? low - extent : low;
      high = high > last ? high - extent : high;
    } else if (reach == Reach::mirror) {
      // From -1 to twice the extent.
      low = low > last ? 2 * extent - 1 - low : low;
      high = high > last ? 2 * extent - 1 - high : high;
    }
    to.low[lane] = low < 0 ? 0 : low > last ? last : low;
    to.high[lane] = high < 0 ? 0 : high > last ? last : high;
    to.share[lane] = share;
  }
}

void Sampler::place_whole(int axis, int32_t extent, const LaneWords& c, const LaneWords* offsets,
                          Axis& to) const {
  static_cast<void>(axis);
  const int32_t last = extent - 1;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    int64_t at = static_cast<int32_t>(c[lane]);
    if (offsets) at += static_cast<int32_t>((*offsets)[lane] << 28) >> 28;
    to.low_outside[lane] = at < 0 || at > last ? -1 : 0;
    to.low[lane] = static_cast<int32_t>(std::clamp<int64_t>(at, 0, last));
    to.high[lane] = to.low[lane];
    to.share[lane] = 0;
  }
}

}  // namespace cuvette::memory
