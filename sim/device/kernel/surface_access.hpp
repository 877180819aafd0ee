// SPDX-License-Identifier: Apache-2.0
// SurfaceView: an array as surface instructions see it, rows of bytes; and what they do there for a
// warp.
//
// Threads: any; all threads may access the array's elements, as in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/device/texture/sampler.hpp"
#include "sim/device/texture/texture.hpp"
#include "sim/ptx/abi/texture_operation.hpp"

namespace cuvette::device {

struct SurfaceView {
  uint8_t* elements = nullptr;
  int32_t row_bytes = 0, height = 1, depth = 1;  // depth: slices or layers
  size_t pitch = 0, slice = 0;                   // bytes
  ArrayDescriptor descriptor;

  static SurfaceView of(const Texels::Level& level);
};

struct SurfaceFault {
  enum class Kind : uint8_t { none, outside, misaligned };
  Kind kind = Kind::none;
  unsigned lane = 0;
  uint32_t x = 0, y = 0, z = 0;  // as given, x in bytes
};

// The bytes that lanes have accessed, as many each.
struct SurfaceBytes {
  uint64_t addresses[sample_lanes];
  uint32_t lanes = 0, bytes = 0;
};

// Loads, stores or changes elements for the lanes in `mask`; the names are SurfaceOperation's.
// Stops at the first lane with a refused access. `touched`: null if it is not needed.
SurfaceFault access_surface(const ptx::SurfaceOperation& operation, const SurfaceView& view,
                            const LaneWords* place, uint32_t mask, LaneWords* texels,
                            SurfaceBytes* touched);

}  // namespace cuvette::device
