// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/basin.hpp"

#include <algorithm>
#include <cmath>

namespace wave {

// Lengths here are those of a picture of 270 rows.
float Basin::scaled(float length) const { return length * static_cast<float>(height_) / 270; }

Basin::Basin(int width, int height)
    : width_(width),
      height_(height),
      steps_(std::max(1, (8 * height + 135) / 270)),
      walls_(static_cast<size_t>(width) * static_cast<size_t>(height)) {
  const auto cells = [&](float length) {
    return std::max(1, static_cast<int>(std::lround(scaled(length))));
  };
  const int rim = cells(9);
  build(0, 0, width, rim);
  build(0, height - rim, width, height);
  build(0, 0, rim, height);
  build(width - rim, 0, width, height);

  // The wall, in three pieces.
  const int left = width / 2, right = left + cells(8), middle = height / 2;
  const int near = cells(26), far = near + cells(38);
  build(left, 0, right, middle - far);
  build(left, middle - near, right, middle + near);
  build(left, middle + far, right, height);
}

void Basin::build(int left, int top, int right, int bottom) {
  for (int y = std::max(0, top); y < std::min(bottom, height_); ++y)
    for (int x = std::max(0, left); x < std::min(right, width_); ++x)
      walls_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)] = 1;
}

// Three drops on the left, one after the other, and when their waves have crossed the basin a last
// one on the right.
std::optional<Drop> Basin::drop(uint64_t frame) const {
  const auto width = static_cast<float>(width_), height = static_cast<float>(height_);
  const float radius = scaled(24), bump = 4;
  if (frame == 1 || frame == 9 || frame == 17)
    return Drop{width * 0.25f, height * 0.5f, radius, bump};
  if (frame == 64) return Drop{width * 0.78f, height * 0.4f, radius, bump};
  return std::nullopt;
}

}  // namespace wave
