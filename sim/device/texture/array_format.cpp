// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/array_format.hpp"

#include <string_view>

namespace cuvette::device {
namespace {

constexpr uint8_t ONE = 1, TWO = 2, THREE = 4, FOUR = 8;

constexpr bool is_encoded(std::string_view name) { return name.ends_with("_SRGB"); }

constexpr FormatFacts all[] = {
#define ARRAY_FORMAT(name, number, kind, bytes, channels) \
  {ArrayFormat::name, #name, ChannelKind::kind, bytes, channels, 1, 1, 1, 1, false},
#define BLOCK_FORMAT(name, number, kind, bytes, channels) \
  {ArrayFormat::name, #name, ChannelKind::kind, bytes, channels, 4, 1, 1, 1, is_encoded(#name)},
#define PLANAR_FORMAT(name, number, bytes, planes, x, y) \
  {ArrayFormat::name, #name, ChannelKind::planar_yuv, bytes, THREE, 1, planes, x, y, false},
#include "sim/device/texture/array_formats.def"
#undef ARRAY_FORMAT
#undef BLOCK_FORMAT
#undef PLANAR_FORMAT
};

}  // namespace

const FormatFacts* facts(ArrayFormat format) {
  for (const FormatFacts& one : all)
    if (one.format == format) return &one;
  return nullptr;
}

}  // namespace cuvette::device
