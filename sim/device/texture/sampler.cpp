// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/device/texture/level_of_slopes.hpp"
#include "sim/device/texture/sample_place.hpp"
#include "sim/device/texture/sampling.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::device {
namespace {

using Geometry = Sample::Geometry;

SampledLevel sampled(const Texels::Level& level) {
  const ArrayDescriptor& d = level.descriptor;
  const auto extent = [](size_t of) { return static_cast<int32_t>(std::max<size_t>(of, 1)); };
  return {reinterpret_cast<const uint8_t*>(memory::host_pointer(level.address)),
          extent(d.width),
          extent(d.height),
          d.layered() ? 1 : extent(d.depth),
          level.layout.pitch,
          level.layout.slice};
}

}  // namespace

Result<Sampler> Sampler::make(const Texture& texture, const Texels& texels) {
  Sampler sampler;
  const ArrayDescriptor& d = texels.levels.front().descriptor;
  const FormatFacts& format = *facts(d.format);
  if (format.compressed())
    return refuse(Error::not_supported, "Elements of format %s are not decoded.", format.name);
  for (const Texels::Level& level : texels.levels) sampler.levels_.push_back(sampled(level));
  const TextureSampling& sampling = texture.sampling();
  sampler.descriptor_ = d;
  sampler.sampling_ = sampling;
  sampler.channels_ = d.channels;
  sampler.element_bytes_ = format.element_bytes(d.channels);
  sampler.layers_ = static_cast<int32_t>(d.layers());
  sampler.fetches_ = texture.resource().kind == TextureResource::Kind::linear;
  if (sampler.fetches_) sampler.levels_.front().width = static_cast<int32_t>(d.width);  // or 0
  sampler.normalised_ = (sampling.flags & texture_flag::normalized_coordinates) != 0;
  const bool whole = (sampling.flags & texture_flag::read_as_integer) != 0;
  switch (format.kind) {
    case ChannelKind::unsigned_integer:
    case ChannelKind::unorm:
      sampler.storage_ = format.bytes == 1   ? Storage::u8
                         : format.bytes == 2 ? Storage::u16
                                             : Storage::word;
      sampler.meaning_ = format.bytes == 4 || (whole && format.kind != ChannelKind::unorm)
                             ? Meaning::whole
                             : Meaning::unorm;
      break;
    case ChannelKind::signed_integer:
    case ChannelKind::snorm:
      sampler.storage_ = format.bytes == 1   ? Storage::s8
                         : format.bytes == 2 ? Storage::s16
                                             : Storage::word;
      sampler.meaning_ = format.bytes == 4 || (whole && format.kind != ChannelKind::snorm)
                             ? Meaning::whole
                             : Meaning::snorm;
      break;
    case ChannelKind::floating:
      sampler.storage_ = format.bytes == 2 ? Storage::u16 : Storage::word;
      sampler.meaning_ = format.bytes == 2 ? Meaning::half : Meaning::number;
      break;
    default:
      return refuse(Error::not_supported, "Elements of format %s are not read.", format.name);
  }
  // 32-bit integers are blended as if they were f32 (measured).
  sampler.wide_integers_ = sampler.meaning_ == Meaning::whole && sampler.storage_ == Storage::word;
  if (sampler.wide_integers_) sampler.meaning_ = Meaning::number;
  if (d.format == ArrayFormat::UNORM_INT_101010_2) sampler.storage_ = Storage::packed;
  if ((sampling.flags & texture_flag::srgb) && sampler.storage_ == Storage::u8 && !whole)
    sampler.meaning_ = Meaning::srgb;
  sampler.blends_ = sampling.filter == FilterMode::linear;
  sampler.has_levels_ = texture.resource().kind == TextureResource::Kind::levels;
  sampler.seamless_ = (sampling.flags & texture_flag::seamless_cubemap) != 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const AddressMode mode = sampling.address[axis];
    Reach reach = mode == AddressMode::border ? Reach::border : Reach::clamp;
    // "CU_TR_ADDRESS_MODE_WRAP and _MIRROR are only supported for normalized coordinates"; with
    // others they clamp (measured).
    if (sampler.normalised_ && mode == AddressMode::wrap) reach = Reach::wrap;
    if (sampler.normalised_ && mode == AddressMode::mirror) reach = Reach::mirror;
    if (sampler.fetches_) reach = Reach::nothing;
    sampler.reach_[axis] = reach;
  }
  if (!sampler.fetches_) sampler.make_border();
  return sampler;
}

// Limits a border's colour to what an element of the texture's format could be. Integer formats
// take the lowest bits of the colour's words (measured).
void Sampler::make_border() {
  LaneWords raw[4] = {};
  for (unsigned channel = 0; channel < channels_; ++channel) {
    const float number = sampling_.border[channel];
    const uint32_t bits = std::bit_cast<uint32_t>(number);
    uint32_t& r = raw[channel][0];
    switch (meaning_) {
      case Meaning::number:
        r = bits;
        break;
      case Meaning::half:
        r = sampling::to_half(number);
        break;
      case Meaning::whole:
        r = storage_ == Storage::u8    ? static_cast<uint8_t>(bits)
            : storage_ == Storage::s8  ? static_cast<uint32_t>(static_cast<int8_t>(bits))
            : storage_ == Storage::u16 ? static_cast<uint16_t>(bits)
            : storage_ == Storage::s16 ? static_cast<uint32_t>(static_cast<int16_t>(bits))
                                       : bits;
        break;
      case Meaning::unorm:
      case Meaning::srgb: {
        const int32_t wide = sampling::border_as_whole(number, false);
        border_wide_[channel] = wide;
        r = static_cast<uint32_t>(storage_ == Storage::u8       ? (wide + 128) / 257
                                  : storage_ == Storage::packed ? wide >> 6
                                                                : wide);
        break;
      }
      case Meaning::snorm: {
        const int32_t wide = sampling::border_as_whole(number, true);
        r = static_cast<uint32_t>(storage_ == Storage::s8
                                      ? static_cast<int32_t>(std::floor(wide * 127.0 / 32767 + 0.5))
                                      : wide);
        break;
      }
    }
  }
  LaneWords wide[4];
  std::memcpy(wide, raw, sizeof wide);
  for (unsigned channel = 0; channel < channels_; ++channel) {
    if (storage_ == Storage::packed) continue;  // a packed border keeps all bits
    widen(channel, wide[channel]);
    border_wide_[channel] = static_cast<int32_t>(wide[channel][0]);
  }
  convert(raw);
  for (unsigned channel = 0; channel < 4; ++channel) border_[channel] = raw[channel][0];
  if (storage_ == Storage::packed)
    border_[3] = std::bit_cast<uint32_t>(static_cast<float>(border_wide_[3]) / 65535.0f);
}

void Sampler::read(const Sample& how, const LaneWords* operands, uint32_t mask,
                   LaneWords* results) const {
  // Linear memory is read only by a single integer coordinate, which reads nothing else; all other
  // combinations read 0 (measured).
  const bool fetches = how.geometry == Geometry::d1 && how.whole;
  const bool solid = how.geometry == Geometry::d3;
  const bool is_solid = descriptor_.dimensions() == 3;
  if (fetches != fetches_ || solid != is_solid) {
    for (unsigned channel = 0; channel < 4; ++channel)
      std::memset(results[channel], 0, sizeof results[channel]);
    return;
  }
  Sample part = how;
  part.lanes = mask;
  // Gathers, and whole coordinates without a level, read the first level, whatever the texture's
  // limits say (measured).
  const bool first_only = how.component || (how.whole && how.levels == Sample::Levels::base);
  if ((levels_.size() == 1 && !has_levels_) || first_only)
    return read_level(part, levels_.front(), operands, nullptr, results);
  LaneIndices first, share;
  choose_levels(how, operands, first, share);
  // Reads each level once, for all lanes that need it.
  uint32_t left = mask;
  while (left != 0) {
    const int32_t number = first[std::countr_zero(left)];
    uint32_t same = 0;
    // Blended values are rounded differently from others, and with a filter between levels even a
    // single one is (measured: it shows in 8 bits with a sign, and in subnormal numbers).
    bool between = sampling_.level_filter == FilterMode::linear && !wide_integers_;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      if (!(left >> lane & 1) || first[lane] != number) continue;
      same |= 1u << lane;
      between |= share[lane] != 0;
    }
    left &= ~same;
    part.lanes = same;
    LaneWords here[4];
    const auto level = static_cast<unsigned>(number);
    if (number < 0)
      std::memset(here, 0, sizeof here);
    else if (between)
      read_two_levels(part, level, operands, share, here);
    else
      read_level(part, levels_[level], operands, nullptr, here);
    for (unsigned channel = 0; channel < 4; ++channel)
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        if (same >> lane & 1) results[channel][lane] = here[channel][lane];
  }
}

// Reads `level` and the next one, which weighs `share` of 256.
void Sampler::read_two_levels(const Sample& how, unsigned level, const LaneWords* operands,
                              const LaneIndices& share, LaneWords* results) const {
  SampleSums sums;
  LaneIndices rest;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) rest[lane] = 256 - share[lane];
  sums.weights = &rest;
  read_level(how, levels_[level], operands, &sums, results);
  sums.weights = &share;
  if (std::all_of(share, share + sample_lanes, [](int32_t part) { return part == 0; }))
    return finish(sums, results);
  read_level(how, levels_[std::min<size_t>(level + 1, levels_.size() - 1)], operands, &sums,
             results);
  finish(sums, results);
}

// Chooses each lane's first level, and the share of the next one in 1/256.
void Sampler::choose_levels(const Sample& how, const LaneWords* operands, LaneIndices& first,
                            LaneIndices& share) const {
  const auto last = static_cast<int32_t>(levels_.size()) - 1;
  LaneFloats wanted;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    switch (how.levels) {
      case Sample::Levels::base:
        wanted[lane] = 0;
        break;
      case Sample::Levels::level:
        wanted[lane] = std::bit_cast<float>(operands[Sample::first_level][lane]);
        break;
      case Sample::Levels::gradient:
        wanted[lane] = sampling::level_of_slopes(how, operands, lane, levels_.front());
        break;
    }
  }
  const bool between = sampling_.level_filter == FilterMode::linear;
  if (how.whole && how.levels == Sample::Levels::level) {
    // An integer level needs no blending; beyond the last level, zeros are read.
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const uint32_t level = operands[Sample::first_level][lane];
      first[lane] = level > static_cast<uint32_t>(last) ? -1 : static_cast<int32_t>(level);
      share[lane] = 0;
    }
    return;
  }
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    const float bias = how.levels == Sample::Levels::base ? 0 : sampling_.level_bias;
    const int32_t level = sampling::level_in_steps(wanted[lane], bias, sampling_, last);
    first[lane] = between ? level >> 8 : (level + 128) >> 8;
    share[lane] = between ? level & 255 : 0;
  }
}

void Sampler::read_level(const Sample& how, const SampledLevel& level, const LaneWords* operands,
                         SampleSums* sums, LaneWords* results) const {
  SamplePlace place;
  place.lanes = how.lanes;
  place.observer = how.observer;
  LaneIndices no_layer{};
  const int dimensions = static_cast<int>(how.cube() ? 2 : how.dimensions());
  const int32_t extents[] = {level.width, level.height, level.depth};
  const bool between = how.component ? true : blends_ && !how.whole;
  unsigned operand = Sample::first_coordinate;
  for (unsigned lane = 0; lane < sample_lanes; ++lane) place.layer[lane] = 0;
  if (how.layered()) {
    const int32_t most = std::max(how.cube() ? layers_ / 6 : layers_, 1) - 1;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      place.layer[lane] = sampling::layer(operands[operand][lane], most);
      no_layer[lane] = operands[operand][lane] > static_cast<uint32_t>(most) ? -1 : 0;
    }
    ++operand;
  }
  LaneFloats on_face[2];
  LaneIndices face;
  const bool seamless = seamless_ && how.cube() && between;
  if (how.cube()) {
    sampling::faces(&operands[operand], on_face, face);
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      place.layer[lane] = std::min(place.layer[lane] * 6 + face[lane], layers_ - 1);
  }
  for (int axis = 0; axis < 3; ++axis) {
    SampleAxis& to = place.axis[axis];
    if (axis >= dimensions) {
      if (axis == 2 && dimensions == 2 && !how.cube()) {
        for (unsigned lane = 0; lane < sample_lanes; ++lane)
          to.low[lane] = to.high[lane] = place.layer[lane];
      } else {
        for (unsigned lane = 0; lane < sample_lanes; ++lane) to.low[lane] = to.high[lane] = 0;
      }
      continue;
    }
    const LaneWords* const offsets =
        how.offsets ? &operands[Sample::first_offset + static_cast<unsigned>(axis)] : nullptr;
    if (how.whole) {
      place_whole(extents[axis], operands[operand + static_cast<unsigned>(axis)], offsets, to);
    } else {
      LaneFloats c;
      if (how.cube())
        std::memcpy(c, on_face[axis], sizeof c);
      else
        std::memcpy(c, operands[operand + static_cast<unsigned>(axis)], sizeof c);
      place_axis(axis, extents[axis], c, normalised_ || how.cube(), between,
                 how.component.has_value(), seamless, offsets, to);
    }
  }
  if (dimensions < 3) {
    std::memcpy(place.axis[2].low, place.layer, sizeof place.layer);
    std::memcpy(place.axis[2].high, place.layer, sizeof place.layer);
  }
  SampleSeams seams;
  if (seamless) {
    place_seams(face, level.width, place, seams);
    place.seams = &seams;
  } else {
    for (int axis = 0; axis < dimensions; ++axis)
      place.outside |= how.whole || reach_[axis] >= Reach::border;
  }
  // A texture of one dimension is one row that is read at y = 0: halfway between the border and the
  // row.
  if (how.geometry == Geometry::d1 && between && reach_[1] == Reach::border) {
    LaneFloats zero{};
    place_axis(1, 1, zero, false, true, false, false, nullptr, place.axis[1]);
    place.outside = true;
    return blend(level, place, 2, sums, results);
  }
  if (how.component) return gather(level, place, *how.component, results);
  if (between) return blend(level, place, dimensions, sums, results);
  LaneIndices outside{};
  const SampleAxis* const axis = place.axis;
  if (place.outside) {
    if (how.whole) std::memcpy(outside, no_layer, sizeof outside);
    for (int along = 0; along < dimensions; ++along) {
      if (!how.whole && reach_[along] < Reach::border) continue;
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        outside[lane] |= axis[along].low_outside[lane];
    }
  }
  place.tell(level, axis[0].low, axis[1].low, axis[2].low, outside, sums ? sums->weights : nullptr);
  if (sums) return add_nearest(how, level, place, outside, *sums);
  nearest(level, place, results);
  constexpr std::array<uint32_t, 4> nothing{};
  if (place.outside) set_border(outside, how.whole ? nothing : border_, results);
}

void Sampler::set_border(const LaneIndices& outside, const std::array<uint32_t, 4>& border,
                         LaneWords* results) {
  for (unsigned channel = 0; channel < 4; ++channel)
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      results[channel][lane] = outside[lane] ? border[channel] : results[channel][lane];
}

void pack_halves(LaneWords* results) {
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    uint32_t halves[4];
    for (unsigned channel = 0; channel < 4; ++channel)
      halves[channel] = sampling::nearest_half(std::bit_cast<float>(results[channel][lane]));
    results[0][lane] = halves[0] | halves[1] << 16;
    results[1][lane] = halves[2] | halves[3] << 16;
  }
}

}  // namespace cuvette::device
