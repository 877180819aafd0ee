// SPDX-License-Identifier: Apache-2.0
// ArrayFormat: what the elements of an array are, and how many bytes they take.
//
// Threads: any; nothing here changes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::device {

// CUDA's array formats with CUDA's names and numbers.
enum class ArrayFormat : uint32_t {
#define ARRAY_FORMAT(name, number, kind, bytes, channels) name = number,
#define BLOCK_FORMAT(name, number, kind, bytes, channels) name = number,
#define PLANAR_FORMAT(name, number, bytes, planes, x, y) name = number,
#include "sim/device/texture/array_formats.def"
#undef ARRAY_FORMAT
#undef BLOCK_FORMAT
#undef PLANAR_FORMAT
};

// The type of a channel.
enum class ChannelKind : uint8_t {
  unsigned_integer,
  signed_integer,
  floating,
  unorm,  // read as 0 to 1
  snorm,  // read as -1 to 1
  packed_yuv,
  planar_yuv,
};

struct FormatFacts {
  ArrayFormat format;
  const char* name;  // CUDA's, without CU_AD_FORMAT_
  ChannelKind kind;
  uint8_t bytes;                       // of a channel, or of a block
  uint8_t channel_bits;                // bit n - 1: an element may have n channels
  uint8_t block;                       // elements along the edge of a block: 1, or 4
  uint8_t planes;                      // 1, or the planes of a planar format
  uint8_t subsampled_x, subsampled_y;  // elements of the first plane for one of the others
  bool encoded;                        // in sRGB

  bool channels_allowed(unsigned channels) const {
    return channels >= 1 && channels <= 4 && (channel_bits >> (channels - 1) & 1) != 0;
  }
  bool compressed() const { return block > 1; }
  bool planar() const { return planes > 1; }
  // Returns the bytes of an element with `channels` channels, or of a block if the format is
  // block-compressed.
  size_t element_bytes(unsigned channels) const {
    return compressed() ? bytes : size_t{bytes} * channels;
  }
};

// Returns the facts of a format, or null for a number that is not a format.
const FormatFacts* facts(ArrayFormat format);

}  // namespace cuvette::device
