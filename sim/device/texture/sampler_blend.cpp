// SPDX-License-Identifier: Apache-2.0
// Fetching, converting and blending elements.
#include "sim/device/texture/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sim/device/texture/sample_place.hpp"
#include "sim/device/texture/sampling.hpp"
#include "sim/device/texture/sum_of_numbers.hpp"

namespace cuvette::device {

namespace {

template <typename Stored, unsigned channels, typename Raw>
void fetch_all(const SampledLevel& level, const LaneIndices& x, const LaneIndices& y,
               const LaneIndices& z, Raw* raw) {
  for (unsigned lane = 0; lane < sample_lanes; ++lane) {
    const uint8_t* const at = level.elements + static_cast<size_t>(z[lane]) * level.slice +
                              static_cast<size_t>(y[lane]) * level.pitch +
                              static_cast<size_t>(x[lane]) * (sizeof(Stored) * channels);
    Stored element[channels];
    std::memcpy(element, at, sizeof element);
    for (unsigned channel = 0; channel < channels; ++channel)
      raw[channel][lane] = static_cast<uint32_t>(static_cast<int64_t>(element[channel]));
  }
}

template <typename Stored>
void fetch_some(unsigned channels, const SampledLevel& level, const LaneIndices& x,
                const LaneIndices& y, const LaneIndices& z, LaneWords* raw) {
  if (channels == 1) return fetch_all<Stored, 1>(level, x, y, z, raw);
  if (channels == 2) return fetch_all<Stored, 2>(level, x, y, z, raw);
  fetch_all<Stored, 4>(level, x, y, z, raw);
}

}  // namespace

// Returns the channels as they are stored, extended to 32 bits.
void Sampler::fetch(const SampledLevel& level, const LaneIndices& x, const LaneIndices& y,
                    const LaneIndices& z, LaneWords* raw) const {
  switch (storage_) {
    case Storage::u8:
      return fetch_some<uint8_t>(channels_, level, x, y, z, raw);
    case Storage::s8:
      return fetch_some<int8_t>(channels_, level, x, y, z, raw);
    case Storage::u16:
      return fetch_some<uint16_t>(channels_, level, x, y, z, raw);
    case Storage::s16:
      return fetch_some<int16_t>(channels_, level, x, y, z, raw);
    case Storage::word:
      return fetch_some<uint32_t>(channels_, level, x, y, z, raw);
    case Storage::packed:
      fetch_all<uint32_t, 1>(level, x, y, z, raw);
      for (unsigned lane = 0; lane < sample_lanes; ++lane) {
        const uint32_t all = raw[0][lane];
        for (unsigned channel = 0; channel < 3; ++channel)
          raw[channel][lane] = all >> (10 * channel) & 0x3ff;
        raw[3][lane] = all >> 30;
      }
      return;
  }
}

// Turns one element's channels into results.
void Sampler::convert(LaneWords* raw) const {
  for (unsigned channel = 0; channel < channels_; ++channel) {
    uint32_t* const r = raw[channel];
    switch (meaning_) {
      case Meaning::whole:
      case Meaning::number:
        break;
      case Meaning::unorm: {
        const float most = storage_ == Storage::u8    ? 255.0f
                           : storage_ == Storage::u16 ? 65535.0f
                           : channel == 3             ? 3.0f
                                                      : 1023.0f;
        for (unsigned lane = 0; lane < sample_lanes; ++lane)
          r[lane] =
              std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(r[lane])) / most);
        break;
      }
      case Meaning::snorm: {
        const float most = storage_ == Storage::s8 ? 127.0f : 32767.0f;
        for (unsigned lane = 0; lane < sample_lanes; ++lane) {
          const float value = static_cast<float>(static_cast<int32_t>(r[lane])) / most;
          r[lane] = std::bit_cast<uint32_t>(value < -1 ? -1.0f : value);
        }
        break;
      }
      case Meaning::half:
        for (unsigned lane = 0; lane < sample_lanes; ++lane) r[lane] = sampling::of_half(r[lane]);
        break;
      case Meaning::srgb:
        if (channel == 3) {
          for (unsigned lane = 0; lane < sample_lanes; ++lane)
            r[lane] =
                std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(r[lane])) / 255.0f);
        } else {
          for (unsigned lane = 0; lane < sample_lanes; ++lane)
            r[lane] = std::bit_cast<uint32_t>(sampling::of_srgb(r[lane]));
        }
        break;
    }
  }
  for (unsigned channel = channels_; channel < 4; ++channel)
    std::memset(raw[channel], 0, sizeof raw[channel]);
}

// Scales a channel for blending: to 0 ... 65535, or to -32767 ... 32767. Numbers of 8 bits with a
// sign are blended as they are: what is scaled is the sum, by wide_of_sum().
void Sampler::widen(unsigned channel, uint32_t* raw) const {
  const auto each = [&](const auto& wide) {
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      raw[lane] = static_cast<uint32_t>(wide(static_cast<int32_t>(raw[lane])));
  };
  if (meaning_ == Meaning::whole) return;
  if (floats(channel)) return;  // bytes of sRGB, too: they are summed as numbers of a table
  if (storage_ == Storage::u8) return each([](int32_t r) { return r * 257; });
  if (storage_ == Storage::packed) {
    if (channel == 3) return each([](int32_t r) { return r * 0x5555; });
    return each([](int32_t r) { return r << 6 | r >> 4; });
  }
}

void Sampler::nearest(const SampledLevel& level, const SamplePlace& place,
                      LaneWords* results) const {
  fetch(level, place.axis[0].low, place.axis[1].low, place.axis[2].low, results);
  convert(results);
}

// Like convert(), but as if it were blended, with all the weight on one element.
void Sampler::convert_gathered(LaneWords* raw) const {
  if (meaning_ != Meaning::snorm || storage_ != Storage::s8) return convert(raw);
  for (unsigned channel = 0; channel < channels_; ++channel)
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const int32_t whole = static_cast<int32_t>(raw[channel][lane]) * 256;
      raw[channel][lane] =
          std::bit_cast<uint32_t>(static_cast<float>(sampling::wide_of_sum(whole)) / 32767.0f);
    }
}

void Sampler::gather(const SampledLevel& level, const SamplePlace& place, unsigned component,
                     LaneWords* results) const {
  if (place.seams) return gather_seams(level, place, component, results);
  const SampleAxis &x = place.axis[0], &y = place.axis[1];
  const LaneIndices* const columns[] = {&x.low, &x.high, &x.high, &x.low};
  const LaneIndices* const rows[] = {&y.high, &y.high, &y.low, &y.low};
  const LaneIndices* const columns_outside[] = {&x.low_outside, &x.high_outside, &x.high_outside,
                                                &x.low_outside};
  const LaneIndices* const rows_outside[] = {&y.high_outside, &y.high_outside, &y.low_outside,
                                             &y.low_outside};
  for (int corner = 0; corner < 4; ++corner) {
    LaneWords element[4];
    fetch(level, *columns[corner], *rows[corner], place.axis[2].low, element);
    convert_gathered(element);
    LaneIndices outside{};
    if (place.outside) {
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        outside[lane] = (reach_[0] >= Reach::border ? (*columns_outside[corner])[lane] : 0) |
                        (reach_[1] >= Reach::border ? (*rows_outside[corner])[lane] : 0);
      set_border(outside, border_, element);
    }
    place.tell(level, *columns[corner], *rows[corner], place.axis[2].low, outside, nullptr);
    std::memcpy(results[corner], element[component], sizeof results[corner]);
  }
}

// --- Blending ---

// Adds the nearest elements of one of two levels. Outside, whole coordinates find zeros.
void Sampler::add_nearest(const Sample& how, const SampledLevel& level, const SamplePlace& place,
                          const LaneIndices& outside, SampleSums& sums) const {
  LaneWords raw[4];
  fetch(level, place.axis[0].low, place.axis[1].low, place.axis[2].low, raw);
  if (how.whole) set_border(outside, {}, raw);
  sums.begin_pass();
  add(raw, *sums.weights, place.outside && !how.whole ? &outside : nullptr, sums);
}

void Sampler::blend(const SampledLevel& level, const SamplePlace& place, int dimensions,
                    SampleSums* to, LaneWords* results) const {
  if (to) return add_corners(level, place, dimensions, *to);
  SampleSums sums;
  add_corners(level, place, dimensions, sums);
  finish(sums, results);
}

// Weighs the corners and adds them up. The bits of a corner's number are x, y and z, lowest first.
// z divides the weight among slices, x then divides each slice's, and y each column's. Ties go up
// along x and down along z; along y they go down in the lower column and up in the other one.
void Sampler::add_corners(const SampledLevel& level, const SamplePlace& place, int dimensions,
                          SampleSums& sums) const {
  const SampleAxis &x = place.axis[0], &y = place.axis[1], &z = place.axis[2];
  LaneIndices weights[8];
  const int slices = dimensions == 3 ? 2 : 1, rows = dimensions >= 2 ? 2 : 1;
  LaneIndices all;
  for (unsigned lane = 0; lane < sample_lanes; ++lane)
    all[lane] = sums.weights ? (*sums.weights)[lane] : 256;
  for (int slice = 0; slice < slices; ++slice) {
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const int32_t behind = slices == 1 ? 0 : (all[lane] * z.share[lane] + 127) >> 8;
      const int32_t of_slice = slice ? behind : all[lane] - behind;
      const int32_t upper = (of_slice * x.share[lane] + 128) >> 8;
      weights[4 * slice][lane] = of_slice - upper;
      weights[4 * slice + 1][lane] = upper;
    }
    if (rows == 1) continue;
    for (int column = 0; column < 2; ++column) {
      LaneIndices &low = weights[4 * slice + column], &high = weights[4 * slice + 2 + column];
      for (unsigned lane = 0; lane < sample_lanes; ++lane) {
        high[lane] = (low[lane] * y.share[lane] + 127 + column) >> 8;
        low[lane] -= high[lane];
      }
    }
  }
  if (place.seams) return add_seams(level, place, weights, sums);
  for (int corner = 0; corner < 4 * slices; ++corner) {
    const int column = corner & 1, row = corner >> 1 & 1, slice = corner >> 2;
    if (row >= rows) continue;
    if ((corner & 3) == 0) sums.begin_pass();
    LaneWords raw[4];
    const LaneIndices &x_here = column ? x.high : x.low, &y_here = row ? y.high : y.low,
                      &z_here = slice ? z.high : z.low;
    fetch(level, x_here, y_here, z_here, raw);
    LaneIndices outside{};
    if (place.outside)
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        outside[lane] =
            (reach_[0] >= Reach::border ? (column ? x.high_outside : x.low_outside)[lane] : 0) |
            (rows == 2 && reach_[1] >= Reach::border ? (row ? y.high_outside : y.low_outside)[lane]
                                                     : 0) |
            (slices == 2 && reach_[2] >= Reach::border
                 ? (slice ? z.high_outside : z.low_outside)[lane]
                 : 0);
    place.tell(level, x_here, y_here, z_here, outside, &weights[corner]);
    add(raw, weights[corner], place.outside ? &outside : nullptr, sums);
  }
}

// Whether a channel is blended as numbers of a floating format, not as whole ones.
bool Sampler::floats(unsigned channel) const {
  return meaning_ == Meaning::number || meaning_ == Meaning::half ||
         (meaning_ == Meaning::srgb && channel < 3);
}

// Adds an element's channels, or the border's where the place lies outside.
void Sampler::add(LaneWords* raw, const LaneIndices& weight, const LaneIndices* outside,
                  SampleSums& sums) const {
  SampleTerm* const term = floats(0) ? &sums.terms[sums.count++] : nullptr;
  if (term) std::memcpy(term->weight, weight, sizeof weight);
  for (unsigned channel = 0; channel < channels_; ++channel) {
    uint32_t* const r = raw[channel];
    const bool number = floats(channel);
    if (meaning_ == Meaning::half)
      for (unsigned lane = 0; lane < sample_lanes; ++lane) r[lane] = sampling::of_half(r[lane]);
    else if (!number)
      widen(channel, r);
    if (outside) {
      const bool wide = !number || meaning_ == Meaning::srgb;
      const uint32_t beyond =
          wide ? static_cast<uint32_t>(border_wide_[channel]) : border_[channel];
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        r[lane] = (*outside)[lane] ? beyond : r[lane];
    }
    if (number) {
      std::memcpy(term->channels[channel], r, sizeof(LaneWords));
    } else {
      int32_t* const sum = sums.whole[channel];
      for (unsigned lane = 0; lane < sample_lanes; ++lane)
        sum[lane] += static_cast<int32_t>(r[lane]) * weight[lane];
    }
  }
}

void Sampler::finish(const SampleSums& sums, LaneWords* results) const {
  for (unsigned channel = 0; channel < channels_; ++channel) {
    uint32_t* const r = results[channel];
    if (floats(channel)) {
      if (meaning_ == Meaning::srgb)
        sampling::sum_of_srgb(sums, channel, r);
      else
        sampling::sum_of_numbers(sums, channel, meaning_ == Meaning::half, r);
      continue;
    }
    const float most = meaning_ == Meaning::snorm ? 32767.0f : 65535.0f;
    for (unsigned lane = 0; lane < sample_lanes; ++lane) {
      const int32_t exact = sums.whole[channel][lane];
      int32_t sum = (exact + 128) >> 8;
      if (meaning_ == Meaning::snorm)
        sum = storage_ == Storage::s8 ? sampling::wide_of_sum(exact) : std::max(sum, -32767);
      r[lane] = meaning_ == Meaning::whole
                    ? static_cast<uint32_t>(sum)
                    : std::bit_cast<uint32_t>(static_cast<float>(sum) / most);
    }
  }
  for (unsigned channel = channels_; channel < 4; ++channel)
    std::memset(results[channel], 0, sizeof results[channel]);
}

}  // namespace cuvette::device
