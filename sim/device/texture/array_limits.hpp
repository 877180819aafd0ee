// SPDX-License-Identifier: Apache-2.0
// ArrayLimits: how large arrays may be; check_array() says which descriptors are valid.
//
// The rules are the tables of cuArray3DCreate and cuMipmappedArrayCreate; what they leave open was
// measured on an H200.
//
// Threads: any; plain values.
#pragma once

#include <cstddef>

#include "sim/base/error.hpp"
#include "sim/device/texture/array_descriptor.hpp"

namespace cuvette::device {

struct ArrayLimits {
  // The most elements along each dimension; `depth` counts slices, layers or faces.
  struct Extents {
    size_t width = 0, height = 0, depth = 0;
  };
  // One for each array type in the documentation's table.
  struct Types {
    Extents line, plane, volume, layered_line, layered_plane, cube, layered_cube;
  };

  Types textures;          // any array
  Extents tall_volume;     // a volume may be this instead, unless it is for surfaces
  Types surfaces;          // with array_flag::surface_ldst
  Extents gathered_plane;  // with array_flag::texture_gather
  Extents mipmapped_line, mipmapped_plane;
};

// Checks whether there can be such an array, with mip levels if it is `mipmapped`. Errors:
// invalid_value; not_supported for surfaces of block-compressed formats, for sparse arrays, and for
// arrays with deferred mapping.
Result<> check_array(const ArrayDescriptor& descriptor, const ArrayLimits& limits, bool mipmapped);

}  // namespace cuvette::device
