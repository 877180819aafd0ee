// SPDX-License-Identifier: Apache-2.0
// Finds the elements that coordinates select, and the weight of each.
#include "sim/device/texture/sampler.hpp"

#include <cstring>

#include "sim/device/texture/sample_place.hpp"
#include "sim/device/texture/sampling.hpp"

namespace cuvette::device {

namespace {

// Rounds down numbers that an int32_t can hold. (std::floor would be a call, since the build
// targets processors without an instruction for it.)
template <typename T>
inline int32_t floor_of(T number) {
  const auto towards_zero = static_cast<int32_t>(number);
  return towards_zero - (number < static_cast<T>(towards_zero));
}

template <typename F>
inline void for_lanes(const F& f) {
  for (unsigned lane = 0; lane < sample_lanes; ++lane) f(lane);
}

// A place counts elements where the nearest one is read; where neighbours are blended, it counts
// 1/256 of an element from the middle of the first one.

// Coordinates far beyond every array are clamped, to fit an int32_t.
void from_elements(const LaneFloats& c, bool between, LaneIndices& places) {
  constexpr float far = 0x1p22f;
  const auto inside = [&](unsigned lane) {
    float x = c[lane];
    x = x == x ? x : 0;
    x = x > -far ? x : -far;
    return x < far ? x : far;
  };
  if (!between) return for_lanes([&](unsigned lane) { places[lane] = floor_of(inside(lane)); });
  // Rounds without adding 0.5 to the number, which would itself round.
  for_lanes([&](unsigned lane) {
    const float fine = inside(lane) * 256;
    const int32_t whole = floor_of(fine);
    places[lane] = whole + (fine - static_cast<float>(whole) >= 0.5f) - 128;
  });
}

// Turns normalised coordinates into steps, counted from the low end.
void from_steps(const LaneIndices& steps, int32_t extent, bool between, LaneIndices& places) {
  const int bits = sampling::coordinate_bits(extent);
  if (!between)
    return for_lanes([&](unsigned lane) {
      places[lane] = static_cast<int32_t>(int64_t{steps[lane]} * extent >> bits);
    });
  const int64_t half = int64_t{1} << (bits - 9);
  for_lanes([&](unsigned lane) {
    places[lane] = static_cast<int32_t>((int64_t{steps[lane]} * extent + half) >> (bits - 8)) - 128;
  });
}

void from_normalised(const LaneFloats& c, int32_t extent, bool between, LaneIndices& places) {
  constexpr float far = 32;
  const auto scale = static_cast<float>(1 << sampling::coordinate_bits(extent));
  LaneIndices steps;
  for_lanes([&](unsigned lane) {
    float x = c[lane];
    x = x == x ? x : 0;
    x = x > -far ? x : -far;
    x = x < far ? x : far;
    steps[lane] = floor_of(x * scale);
  });
  from_steps(steps, extent, between, places);
}

// Like from_normalised(), but reduces coordinates to one period, which is `times` arrays long.
void from_periodic(const LaneFloats& c, int32_t extent, int32_t times, bool between,
                   LaneIndices& places) {
  constexpr float far = 0x1p24f;  // larger floats have no fraction
  const double scale = 1 << sampling::coordinate_bits(extent), share = 1.0 / times;
  LaneIndices steps;
  for_lanes([&](unsigned lane) {
    const float x = c[lane] > -far && c[lane] < far ? c[lane] : 0;
    const double part = x - static_cast<double>(floor_of(x * share)) * times;
    steps[lane] = floor_of(part * scale);
  });
  from_steps(steps, extent, between, places);
}

}  // namespace

// Finds where a coordinate lies among `extent` elements.
void Sampler::place_axis(int axis, int32_t extent, const LaneFloats& c, bool normalised,
                         bool between, bool gathers, bool seams, const LaneWords* offsets,
                         SampleAxis& to) const {
  // Coordinates on a cube's face are normalised, and may wrap, regardless of the texture's
  // settings.
  const bool wraps = sampling_.address[static_cast<size_t>(axis)] == AddressMode::wrap;
  Reach reach = normalised && wraps ? Reach::wrap : reach_[axis];
  if (seams) reach = Reach::border;  // tells what lies beyond an edge
  LaneIndices low, high;
  if (!normalised)
    from_elements(c, between, low);
  else if (reach == Reach::wrap || reach == Reach::mirror)
    from_periodic(c, extent, reach == Reach::wrap ? 1 : 2, between, low);
  else
    from_normalised(c, extent, between, low);
  if (offsets)
    for_lanes([&](unsigned lane) {
      const int32_t by = static_cast<int32_t>((*offsets)[lane] << 28) >> 28;
      low[lane] += between ? by * 256 : by;
    });
  const int32_t last = extent - 1;
  if (between) {
    const bool clamps = reach == Reach::clamp && !gathers;
    const int32_t least = clamps ? 0 : INT32_MIN, most = clamps ? last * 256 : INT32_MAX;
    for_lanes([&](unsigned lane) {
      int32_t place = low[lane];
      place = place < least ? least : place;
      place = place > most ? most : place;
      low[lane] = place >> 8;
      to.share[lane] = place & 255;
    });
  } else {
    std::memset(to.share, 0, sizeof to.share);
  }
  for_lanes([&](unsigned lane) { high[lane] = low[lane] + 1; });
  if (reach >= Reach::border)
    for_lanes([&](unsigned lane) {
      to.low_outside[lane] = -((low[lane] < 0) | (low[lane] > last));
      to.high_outside[lane] = -((high[lane] < 0) | (high[lane] > last));
    });
  // Offsets may lead beyond one period.
  if (reach == Reach::wrap)
    for (LaneIndices* const one : {&low, &high})
      for_lanes([&](unsigned lane) {
        int32_t place = (*one)[lane];
        place = place < 0 ? place + extent : place;
        (*one)[lane] = place > last ? place - extent : place;
      });
  if (reach == Reach::mirror)
    for (LaneIndices* const one : {&low, &high})
      for_lanes([&](unsigned lane) {
        const int32_t place = (*one)[lane];
        (*one)[lane] = place > last ? 2 * extent - 1 - place : place;
      });
  for_lanes([&](unsigned lane) {
    to.low[lane] = low[lane] < 0 ? 0 : low[lane] > last ? last : low[lane];
    to.high[lane] = high[lane] < 0 ? 0 : high[lane] > last ? last : high[lane];
  });
}

void Sampler::place_whole(int32_t extent, const LaneWords& c, const LaneWords* offsets,
                          SampleAxis& to) const {
  const int32_t last = extent - 1;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    int64_t at = static_cast<int32_t>(c[lane]);
    if (offsets) at += static_cast<int32_t>((*offsets)[lane] << 28) >> 28;
    to.low_outside[lane] = at < 0 || at > last ? -1 : 0;
    to.low[lane] = static_cast<int32_t>(at < 0 || last < 0 ? 0 : at > last ? last : at);
    to.high[lane] = to.low[lane];
    to.share[lane] = 0;
  }
}

}  // namespace cuvette::device
