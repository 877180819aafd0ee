// SPDX-License-Identifier: Apache-2.0
// Sampler: reads a texture for the 32 lanes of a warp at once, at coordinates in elements or
// normalised: the nearest element or a blend of neighbours, from one level or between two.
//
// The rules are an H100's: coordinates have 8 fractional bits where elements are blended, weights
// add up to 256, and rounding is at the very end. tests/api/driver/texture/sweep keeps its answers.
//
// Threads: any; immutable. Its creator keeps the memory allocated and readable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/texture/sample.hpp"
#include "sim/device/texture/texture.hpp"

namespace cuvette::device {

struct SampleAxis;
struct SamplePlace;
struct SampleSeams;
struct SampleSums;

class Sampler {
 public:
  // Makes a sampler from a texture's texels(). Errors: not_supported for block-compressed elements,
  // which nothing here reads.
  static Result<Sampler> make(const Texture& texture, const Texels& texels);

  // Reads for the lanes in `mask`. The results are four 32-bit words for each lane: f32, or whole
  // numbers where the texture says so; 0 for channels that the texture does not have.
  void read(const Sample& how, const LaneWords* operands, uint32_t mask, LaneWords* results) const;

  // Returns where the elements of each level lie, and how many there are.
  const std::vector<SampledLevel>& levels() const { return levels_; }
  size_t element_bytes() const { return element_bytes_; }
  // Whether it reads linear memory, without rows.
  bool is_linear() const { return fetches_; }
  const ArrayDescriptor& descriptor() const { return descriptor_; }
  const TextureSampling& sampling() const { return sampling_; }

 private:
  // How elements are stored, and how they become results.
  enum class Storage : uint8_t { u8, s8, u16, s16, word, packed };
  enum class Meaning : uint8_t { whole, unorm, snorm, half, number, srgb };
  enum class Reach : uint8_t { wrap, clamp, mirror, border, nothing };

  void choose_levels(const Sample& how, const LaneWords* operands, LaneIndices& first,
                     LaneIndices& share) const;
  void read_two_levels(const Sample& how, unsigned level, const LaneWords* operands,
                       const LaneIndices& share, LaneWords* results) const;
  // Reads one level, or adds what is there to the sums if there are any.
  void read_level(const Sample& how, const SampledLevel& level, const LaneWords* operands,
                  SampleSums* sums, LaneWords* results) const;
  void place_axis(int axis, int32_t extent, const LaneFloats& c, bool normalised, bool between,
                  bool gathers, bool seams, const LaneWords* offsets, SampleAxis& to) const;
  void place_seams(const LaneIndices& face, int32_t size, const SamplePlace& place,
                   SampleSeams& to) const;
  void place_whole(int32_t extent, const LaneWords& c, const LaneWords* offsets,
                   SampleAxis& to) const;
  void nearest(const SampledLevel& level, const SamplePlace& place, LaneWords* results) const;
  void blend(const SampledLevel& level, const SamplePlace& place, int dimensions, SampleSums* to,
             LaneWords* results) const;
  void add_nearest(const Sample& how, const SampledLevel& level, const SamplePlace& place,
                   const LaneIndices& outside, SampleSums& sums) const;
  void add_corners(const SampledLevel& level, const SamplePlace& place, int dimensions,
                   SampleSums& sums) const;
  void add(LaneWords* raw, const LaneIndices& weight, const LaneIndices* outside,
           SampleSums& sums) const;
  void finish(const SampleSums& sums, LaneWords* results) const;
  void gather(const SampledLevel& level, const SamplePlace& place, unsigned component,
              LaneWords* results) const;
  void add_seams(const SampledLevel& level, const SamplePlace& place, LaneIndices* weights,
                 SampleSums& sums) const;
  void gather_seams(const SampledLevel& level, const SamplePlace& place, unsigned component,
                    LaneWords* results) const;
  void fetch(const SampledLevel& level, const LaneIndices& x, const LaneIndices& y,
             const LaneIndices& z, LaneWords* raw) const;
  void convert(LaneWords* raw) const;
  void convert_gathered(LaneWords* raw) const;
  void widen(unsigned channel, uint32_t* raw) const;
  bool floats(unsigned channel) const;
  static void set_border(const LaneIndices& outside, const std::array<uint32_t, 4>& border,
                         LaneWords* results);
  void make_border();

  std::vector<SampledLevel> levels_;
  ArrayDescriptor descriptor_;  // of the first level
  TextureSampling sampling_;
  Reach reach_[3] = {};
  Storage storage_ = Storage::u8;
  Meaning meaning_ = Meaning::whole;
  unsigned channels_ = 1;
  size_t element_bytes_ = 1;
  bool normalised_ = false, blends_ = false, fetches_ = false;  // fetches: linear memory
  bool seamless_ = false, has_levels_ = false, wide_integers_ = false;
  int32_t layers_ = 1;
  std::array<uint32_t, 4> border_{};      // as it appears in a result
  std::array<int32_t, 4> border_wide_{};  // as it is blended
};

// Turns results into f16 numbers, two in each of the first two words.
void pack_halves(LaneWords* results);

}  // namespace cuvette::device
