// SPDX-License-Identifier: Apache-2.0
// Basin: a ripple tank, as physics teachers have one. Drops fall into its left half; a wall with
// two gaps stands across, and behind the gaps the waves of both add up or cancel.
//
// Nothing here knows of CUDA or Vulkan. A cell of the water is a pixel of the picture, and lengths
// grow with the picture's height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace wave {

// What a falling drop does to the water: a bump, and around it a dent that lacks as much water.
struct Drop {
  float x, y, radius;  // in cells
  float height;
};

class Basin {
 public:
  Basin(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  size_t cells() const { return walls_.size(); }

  // One byte for each cell, row by row: 1 where there is stone. The outermost cells are stone.
  const std::vector<uint8_t>& walls() const { return walls_; }

  // Returns the drop that falls at the beginning of a frame, the first of which is number 1.
  std::optional<Drop> drop(uint64_t frame) const;

  // How many steps a frame has.
  int steps() const { return steps_; }

  // What a step is: the square of how many cells a wave goes on, at most 1/2 or the water explodes;
  // and how much of its motion water keeps.
  static constexpr float speed_squared = 0.45f, kept = 0.9985f;

  // The height that stands for stone, in the image that CUDA writes and Vulkan draws.
  static constexpr float stone = 100;

 private:
  void build(int left, int top, int right, int bottom);
  float scaled(float length) const;

  const int width_, height_, steps_;
  std::vector<uint8_t> walls_;
};

}  // namespace wave
