// SPDX-License-Identifier: Apache-2.0
// What the tests of Sampler share: textures, directions and coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <random>

#include "sim/device/texture/sampler.hpp"
#include "sim/memory/address.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::device {

inline constexpr TextureLimits any_limits{512, 32, 131072, 65000, 2097120};

// A texture of one channel with up to a few levels.
class Scene {
 public:
  Scene(const ArrayDescriptor& shape, unsigned levels, const TextureSampling& sampling) {
    TextureResource resource;
    resource.kind = TextureResource::Kind::levels;
    resource.levels = MipmappedArray::create(*space_, shape, levels, {}).value();
    texture_ = Texture::create(std::move(resource), sampling, std::nullopt, any_limits, 7).value();
    texels_ = texture_->texels().value();
    sampler_ = Sampler::make(*texture_, texels_).value();
    os::DeviceAccess::allow();  // tests write and read texels, as a command of the device does
  }
  ~Scene() { os::DeviceAccess::deny(); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void* at(unsigned level, int x, int y, int z) const {
    const Texels::Level& one = texels_.levels[level];
    return reinterpret_cast<uint8_t*>(memory::host_pointer(one.address)) +
           static_cast<size_t>(z) * one.layout.slice + static_cast<size_t>(y) * one.layout.pitch +
           static_cast<size_t>(x) * one.layout.element;
  }
  template <typename T>
  void set(unsigned level, int x, int y, int z, T value) const {
    std::memcpy(at(level, x, y, z), &value, sizeof value);
  }
  float number(unsigned level, int x, int y, int z) const {
    float value;
    std::memcpy(&value, at(level, x, y, z), sizeof value);
    return value;
  }
  // Fills each level with what `value` returns.
  template <typename F>
  void fill(const F& value) const {
    for (unsigned level = 0; level < texels_.levels.size(); ++level) {
      const ArrayDescriptor& d = texels_.levels[level].descriptor;
      for (int z = 0; z < static_cast<int>(std::max<size_t>(d.depth, 1)); ++z)
        for (int y = 0; y < static_cast<int>(std::max<size_t>(d.height, 1)); ++y)
          for (int x = 0; x < static_cast<int>(d.width); ++x)
            set(level, x, y, z, value(level, x, y, z));
    }
  }

  std::array<float, sample_lanes> read(const Sample& how,
                                       const std::array<float, 5>* operands) const {
    LaneWords given[Sample::operands] = {}, results[4];
    for (unsigned lane = 0; lane < sample_lanes; ++lane)
      for (unsigned i = 0; i < 5; ++i) given[i][lane] = std::bit_cast<uint32_t>(operands[lane][i]);
    sampler_->read(how, given, UINT32_MAX, results);
    std::array<float, sample_lanes> numbers;
    std::memcpy(numbers.data(), results[0], sizeof results[0]);
    return numbers;
  }
  float read_one(const Sample& how, const std::array<float, 5>& operands) const {
    std::array<float, 5> all[sample_lanes];
    for (auto& one : all) one = operands;
    return read(how, all)[0];
  }

 private:
  std::unique_ptr<memory::AddressSpace> space_ =
      memory::AddressSpace::create({{64 << 20}, memory::Fill::edges}).value();
  Ref<Texture> texture_;
  Texels texels_;
  std::optional<Sampler> sampler_;
};

inline TextureSampling linear(AddressMode mode, FilterMode between) {
  TextureSampling way;
  for (AddressMode& one : way.address) one = mode;
  way.filter = FilterMode::linear;
  way.level_filter = between;
  way.most_level = 20;
  way.flags = texture_flag::normalized_coordinates;
  return way;
}

struct OnFace {
  int face;
  double at[2];
};
// The table of "Cubemap Textures".
inline OnFace on_face(double x, double y, double z) {
  const double ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  double m, s, t;
  int face;
  if (ax > ay && ax > az)
    face = x > 0 ? 0 : 1, m = ax, s = x > 0 ? -z : z, t = -y;
  else if (ay > az)
    face = y > 0 ? 2 : 3, m = ay, s = x, t = y > 0 ? z : -z;
  else
    face = z > 0 ? 4 : 5, m = az, s = z > 0 ? x : -x, t = -y;
  return {face, {(s / m + 1) / 2, (t / m + 1) / 2}};
}

// Draws a coordinate that is anywhere, or in the middle of an element or at its edge.
class Coordinates {
 public:
  explicit Coordinates(unsigned seed) : random_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  float between(float from, float to) {
    return from + (to - from) * static_cast<float>(random_() >> 8) * 0x1p-24f;
  }
  float coordinate(int extent) {
    const auto steps = static_cast<float>(2 * extent);
    if (below(2)) return between(-0.5f, 1.5f);
    const float place = static_cast<float>(below(4 * static_cast<unsigned>(extent))) - steps / 2;
    return place / steps + (below(2) ? between(-1, 1) * 0x1p-12f : 0);
  }
  std::array<float, 3> direction() {
    std::array<float, 3> c;
    for (float& one : c) one = between(-1, 1);
    if (below(2)) c[below(3)] = below(2) ? 1.0f : -1.0f;
    if (below(2)) c[below(3)] = (below(2) ? 1.0f : -1.0f) * (1 - between(0, 0x1p-8f));
    if (below(3) == 0) c[below(3)] = static_cast<float>(below(17)) / 8 - 1;
    const float size = std::ldexp(1.0f, static_cast<int>(below(21)) - 10);
    for (float& one : c) one *= size;
    return c;
  }

 private:
  std::mt19937 random_;
};

// Weights have 8 bits, elements are in [-1, 1]: an error of half a step in each of three weights
// and in the level's.
inline constexpr double tolerance = 4 * 2 * 0.75 / 256;

inline void fill_with_numbers(const Scene& scene, Coordinates& draw) {
  scene.fill([&](unsigned, int, int, int) { return draw.between(-1, 1); });
}

}  // namespace cuvette::device
