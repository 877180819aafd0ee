// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/texture_query.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

using ptx::TextureQuery;

// PTX has OpenCL's numbers for them.
uint32_t channel_data_type(const ArrayDescriptor& d) {
  constexpr uint32_t snorm_int8 = 0x10d0, unorm_int8 = 0x10d2, unorm_int_101010 = 0x10d6,
                     signed_int8 = 0x10d7, unsigned_int8 = 0x10da, half_float = 0x10dd,
                     single_float = 0x10de;
  const FormatFacts& format = *facts(d.format);
  const uint32_t size = format.bytes == 1 ? 0 : format.bytes == 2 ? 1 : 2;
  if (d.format == ArrayFormat::UNORM_INT_101010_2) return unorm_int_101010;
  switch (format.kind) {
    case ChannelKind::snorm:
      return snorm_int8 + size;
    case ChannelKind::unorm:
      return unorm_int8 + size;
    case ChannelKind::signed_integer:
      return signed_int8 + size;
    case ChannelKind::unsigned_integer:
      return unsigned_int8 + size;
    default:
      return format.bytes == 2 ? half_float : single_float;
  }
}

uint32_t channel_order(const ArrayDescriptor& d) {
  constexpr uint32_t r = 0x10b0, rg = 0x10b2, rgb = 0x10b4, rgba = 0x10b5;
  return d.channels == 1 ? r : d.channels == 2 ? rg : d.channels == 3 ? rgb : rgba;
}

// Measured: the number of layers takes the place of the next extent; a cube map has one layer.
uint32_t height_of(const ArrayDescriptor& d, uint32_t height, bool one_at_least) {
  if (d.height == 0 && d.layered()) return static_cast<uint32_t>(d.layers());
  return d.height == 0 ? one_at_least : height;
}

uint32_t depth_of(const ArrayDescriptor& d, uint32_t depth) {
  const bool cube = d.has(array_flag::cubemap);
  const bool layered = d.has(array_flag::layered);
  if (d.height == 0 || d.depth == 0 || (cube && !layered)) return 0;
  return layered ? static_cast<uint32_t>(cube ? d.depth / 6 : d.depth) : depth;
}

// Answers the queries that depend neither on the sampler nor on the level.
uint32_t answer_of(const ArrayDescriptor& d, TextureQuery query) {
  switch (query) {
    case TextureQuery::channel_data_type:
      return channel_data_type(d);
    case TextureQuery::channel_order:
      return channel_order(d);
    case TextureQuery::array_size:
      return d.layered() ? static_cast<uint32_t>(d.layers()) : 0;
    default:
      return 0;
  }
}

}  // namespace

void answer_query(const ptx::TextureOperation& operation, const Sampler& sampler,
                  const LaneWords* operands, uint32_t mask, LaneWords& result) {
  const ArrayDescriptor& d = sampler.descriptor();
  const TextureSampling& sampling = sampler.sampling();
  const auto& levels = sampler.levels();
  const bool linear = sampler.is_linear();
  const bool of_level =
      operation.levels == static_cast<uint32_t>(ptx::TextureOperation::Levels::level);
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const uint32_t number = of_level ? operands[ptx::TextureOperation::first_level][lane] : 0;
    const bool there = number < levels.size();
    const SampledLevel& level = levels[there ? number : 0];
    uint32_t answer = 0;
    switch (static_cast<TextureQuery>(operation.query)) {
      case TextureQuery::width:
        answer = there ? static_cast<uint32_t>(level.width) : 0;
        break;
      case TextureQuery::height:
        answer = there ? height_of(d, static_cast<uint32_t>(level.height), !linear) : 0;
        break;
      case TextureQuery::depth:
        answer = there ? depth_of(d, static_cast<uint32_t>(level.depth)) : 0;
        break;
      case TextureQuery::normalized_coords:
        answer = (sampling.flags & texture_flag::normalized_coordinates) != 0;
        break;
      case TextureQuery::force_unnormalized_coords:
        answer = (sampling.flags & texture_flag::normalized_coordinates) == 0;
        break;
      case TextureQuery::num_mipmap_levels:
        answer = static_cast<uint32_t>(levels.size());
        break;
      case TextureQuery::num_samples:
        answer = 1;
        break;
      case TextureQuery::filter_mode:
        answer = static_cast<uint32_t>(sampling.filter);
        break;
      case TextureQuery::addr_mode_0:
      case TextureQuery::addr_mode_1:
      case TextureQuery::addr_mode_2:
        answer = static_cast<uint32_t>(
            sampling.address[operation.query - static_cast<uint32_t>(TextureQuery::addr_mode_0)]);
        break;
      default:
        answer = answer_of(d, static_cast<TextureQuery>(operation.query));
    }
    result[lane] = answer;
  }
}

void answer_query(const ptx::SurfaceOperation& operation, const SurfaceView& view, uint32_t mask,
                  LaneWords& result) {
  const ArrayDescriptor& d = view.descriptor;
  uint32_t answer = 0;
  switch (static_cast<TextureQuery>(operation.query)) {
    case TextureQuery::width:
      answer = static_cast<uint32_t>(d.width);
      break;
    case TextureQuery::height:
      answer = height_of(d, static_cast<uint32_t>(d.height), false);
      break;
    case TextureQuery::depth:
      answer = depth_of(d, static_cast<uint32_t>(d.depth));
      break;
    default:
      answer = answer_of(d, static_cast<TextureQuery>(operation.query));
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane)
    if (mask >> lane & 1) result[lane] = answer;
}

}  // namespace cuvette::device
