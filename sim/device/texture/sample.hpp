// SPDX-License-Identifier: Apache-2.0
// Sample: how the 32 lanes of a warp read a texture; SampledLevel: what they read.
//
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuvette::device {

constexpr unsigned sample_lanes = 32;
// One number for each lane.
using LaneWords = uint32_t[sample_lanes];
using LaneFloats = float[sample_lanes];
using LaneIndices = int32_t[sample_lanes];

// One level of an array, or linear memory, as it is read.
struct SampledLevel {
  const uint8_t* elements = nullptr;
  int32_t width = 1, height = 1, depth = 1;  // of a layer
  size_t pitch = 0, slice = 0;               // bytes
};

// Hears of the elements that are read, for each of `lanes` one.
class SampleObserver {
 public:
  virtual void reads(const SampledLevel& level, const LaneIndices& x, const LaneIndices& y,
                     const LaneIndices& z, uint32_t lanes) const = 0;

 protected:
  ~SampleObserver() = default;
};

// How an instruction reads.
struct Sample {
  enum class Geometry : uint8_t { d1, d2, d3, a1d, a2d, cube, acube };
  enum class Levels : uint8_t { base, level, gradient };
  Geometry geometry = Geometry::d2;
  Levels levels = Levels::base;
  bool whole = false;                 // coordinates count elements, as s32, not f32
  bool offsets = false;               // offsets in elements are added to coordinates
  std::optional<unsigned> component;  // gather: this channel of four neighbours
  uint32_t lanes = UINT32_MAX;        // the lanes that want elements
  const SampleObserver* observer = nullptr;

  unsigned dimensions() const {
    constexpr uint8_t all[] = {1, 2, 3, 1, 2, 3, 3};
    return all[static_cast<int>(geometry)];
  }
  bool layered() const {
    return geometry == Geometry::a1d || geometry == Geometry::a2d || geometry == Geometry::acube;
  }
  bool cube() const { return geometry == Geometry::cube || geometry == Geometry::acube; }

  // The operands' indices: the layer, if there is one, and the coordinates; the level, or the
  // derivatives along x and those along y; the offsets.
  static constexpr unsigned first_coordinate = 0, first_level = 4, first_along_y = 8,
                            first_offset = 12, operands = 16;
};

}  // namespace cuvette::device
