// SPDX-License-Identifier: Apache-2.0
// TextureOperation and SurfaceOperation: an instruction on a texture or surface, encoded as the
// number that compiled code passes. Kept on disk: see abi.hpp.
//
// A texture's operands are 16 words: from 0 on the layer, if there is one, and the coordinates;
// from 4 on the level, or the coordinates' derivatives along x; from 8 on those along y; from 12 on
// offsets. A surface's are 4 words, of which 3 are used: the layer, if there is one, and the
// coordinates, x in bytes.
#pragma once

#include <bit>
#include <cstdint>

namespace cuvette::ptx {

enum class TextureGeometry : uint8_t { d1, d2, d3, a1d, a2d, cube, acube };

// txq, suq; the names are PTX's.
// clang-format off
#define CUVETTE_PTX_TEXTURE_QUERIES(X) \
  X(width)                             \
  X(height)                            \
  X(depth)                             \
  X(channel_data_type)                 \
  X(channel_order)                     \
  X(normalized_coords)                 \
  X(array_size)                        \
  X(num_mipmap_levels)                 \
  X(num_samples)                       \
  X(force_unnormalized_coords)         \
  X(filter_mode)                       \
  X(addr_mode_0)                       \
  X(addr_mode_1)                       \
  X(addr_mode_2)                       \
  X(memory_layout)
// clang-format on
enum class TextureQuery : uint8_t {
#define X(name) name,
  CUVETTE_PTX_TEXTURE_QUERIES(X)
#undef X
};

struct TextureOperation {
  static constexpr unsigned operands = 16, first_level = 4, first_along_y = 8, first_offset = 12;
  enum class Levels : uint32_t { base, level, gradient };

  uint32_t geometry : 3 = 0;  // TextureGeometry
  uint32_t levels : 2 = 0;    // Levels
  uint32_t whole : 1 = 0;     // coordinates, and the level, are s32
  uint32_t offsets : 1 = 0;
  uint32_t gathers : 1 = 0;
  uint32_t component : 2 = 0;  // of what is gathered
  uint32_t halves : 1 = 0;     // results are two words of two f16 each
  uint32_t uniform : 1 = 0;    // all lanes have the first handle
  uint32_t asks : 1 = 0;
  uint32_t query : 4 = 0;  // TextureQuery; of a level, if `levels` says so
  uint32_t unused : 15 = 0;

  uint32_t number() const { return std::bit_cast<uint32_t>(*this); }
  static TextureOperation of(uint32_t number) { return std::bit_cast<TextureOperation>(number); }
};

struct SurfaceOperation {
  static constexpr unsigned operands = 4;
  enum class Kind : uint32_t { load, store, store_formatted, add, min, max, bit_and, bit_or, ask };
  enum class Outside : uint32_t { trap, clamp, zero };

  uint32_t kind : 4 = 0;
  uint32_t geometry : 3 = 0;  // TextureGeometry
  uint32_t outside : 2 = 0;   // Outside
  uint32_t bytes : 4 = 0;     // of an element
  uint32_t count : 3 = 0;     // of elements; of 8 bytes, each is two words, the lower one first
  uint32_t is_signed : 1 = 0;
  uint32_t uniform : 1 = 0;
  uint32_t query : 4 = 0;
  uint32_t unused : 10 = 0;

  uint32_t number() const { return std::bit_cast<uint32_t>(*this); }
  static SurfaceOperation of(uint32_t number) { return std::bit_cast<SurfaceOperation>(number); }
};

}  // namespace cuvette::ptx
