// SPDX-License-Identifier: Apache-2.0
// Model: a galaxy whose stars go round on ellipses, as a function of time.
//
// A star's place follows from its orbit and the time alone, so each picture can be computed anew,
// and a test does. Nothing here knows of CUDA or OpenGL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace galaxy {

// What the vertex buffer holds for each star: a place in space, the disc being z = 0, and a size in
// pixels of a picture of 720 rows.
struct Vertex {
  float x, y, z, size;
};

// Red, green and blue, and a brightness where others have an opacity.
using Colour = std::array<uint8_t, 4>;

// How much light the disc emits at each point of a square around its centre: that of old stars, and
// that of young ones with the gas that they light up.
struct Glow {
  static constexpr int size = 96;        // cells each way
  static constexpr float extent = 1.5f;  // from the centre to the edge
  static constexpr int channels = 2;     // old, young
  static constexpr size_t row_bytes = size * channels * sizeof(float);

  std::vector<float> cells = std::vector<float>(size * size * channels);
};

// A star's way around the centre.
struct Orbit {
  float radius, roundness;  // long half axis, and the short one divided by it
  float tilt, phase, speed;
  float height, size;
  bool young;
};

class Model {
 public:
  explicit Model(int stars);

  int stars() const { return static_cast<int>(orbits_.size()); }
  // The first few are clouds of gas: large and faint.
  int clouds() const { return clouds_; }
  // One for each star; they do not change.
  const std::vector<Colour>& colours() const { return colours_; }

  // Writes the place of each star in `frame`.
  void place(int frame, Vertex* vertices) const;
  // Lets the earlier glow fade, and adds that of these stars.
  void brighten(const Vertex* vertices, Glow& glow) const;

  // Returns the stars that the shock wave of an explosion in the centre has reached in `frame`, and
  // how they look: behind the clouds, stars are in the order of their orbits.
  struct Range {
    int first, count;
  };
  Range shocked(int frame) const;
  static constexpr Colour shock_colour = {150, 215, 255, 255};

 private:
  std::vector<Orbit> orbits_;
  std::vector<Colour> colours_;
  const int clouds_;
};

}  // namespace galaxy
