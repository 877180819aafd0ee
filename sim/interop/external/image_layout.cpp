// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/image_layout.hpp"

#include <algorithm>
#include <optional>

#include "sim/base/rounding.hpp"
#include "sim/device/texture/array.hpp"

namespace cuvette::interop {
namespace {

using device::ArrayDescriptor;
using device::ArrayLayout;

// lavapipe: rows begin at cache lines, which have 64 bytes on all x86-64 processors; a level's rows
// and columns are padded to the rasteriser's blocks of 4 x 4, except where the format has blocks of
// its own. All slices and layers of a level lie together, and each level begins at a multiple of
// 64.
void place_lavapipe(const ArrayDescriptor& descriptor, std::vector<ArrayLayout>& layouts) {
  constexpr size_t line = 64, block = 4;
  size_t end = 0;
  for (ArrayLayout& level : layouts) {
    const bool compressed = level.block > 1;
    const size_t rows =
        descriptor.height == 0 || compressed ? level.height : round_up(level.height, block);
    level.pitch = compressed ? level.row_bytes()
                             : round_up(round_up(level.width, block) * level.element, line);
    level.slice = level.pitch * rows;
    level.offset = end;
    end = round_up(end + level.slice * level.depth, line);
  }
}

// SwiftShader: rows and columns are padded to quads of 2 x 2, and slices to 16 bytes; faces of
// cubes have a border of one element all around. Formats with blocks have neither. All levels of a
// layer lie together.
void place_swiftshader(const ArrayDescriptor& descriptor, std::vector<ArrayLayout>& layouts) {
  constexpr size_t quad = 2, unit = 16;
  size_t end = 0;
  for (ArrayLayout& level : layouts) {
    const bool compressed = level.block > 1;
    const size_t border =
        descriptor.has(device::array_flag::cubemap) && !compressed ? size_t{1} : size_t{0};
    if (compressed) {
      level.pitch = level.row_bytes();
      level.slice = level.pitch * level.height;
    } else {
      level.pitch = round_up(level.width + 2 * border, quad) * level.element;
      level.slice = round_up(level.pitch * round_up(level.height + 2 * border, quad), unit);
    }
    level.offset = end + border * (level.pitch + level.element);
    end += level.slice * (descriptor.layered() ? 1 : level.depth);
  }
  if (!descriptor.layered()) return;
  for (ArrayLayout& level : layouts) level.slice = end;
}

}  // namespace

Result<std::vector<ArrayLayout>> image_layouts(MemoryFormat format,
                                               const ArrayDescriptor& descriptor, unsigned levels) {
  std::vector<ArrayLayout> layouts = device::level_layouts(descriptor, levels);
  // The usual layout is the smallest; padding makes the others less than 1024 times as large.
  constexpr size_t most = SIZE_MAX / 1024;
  if (layouts.empty() || layouts.back().offset > most || layouts.back().extent() > most)
    return refuse(Error::invalid_value, "The array is larger than any memory.");
  switch (format) {
    case MemoryFormat::plain:
      break;
    case MemoryFormat::lavapipe:
      place_lavapipe(descriptor, layouts);
      break;
    case MemoryFormat::swiftshader:
      place_swiftshader(descriptor, layouts);
      break;
  }
  return layouts;
}

}  // namespace cuvette::interop
