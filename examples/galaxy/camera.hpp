// SPDX-License-Identifier: Apache-2.0
// Camera: from where the galaxy is looked at. The same arithmetic stands in the shaders.
#pragma once

#include <array>
#include <cmath>

namespace galaxy {

struct Camera {
  int width, height;  // of the picture in pixels

  // The disc is turned around the line of sight, then tipped over, and seen from this far.
  static constexpr float turn = 0.5f, inclination = 0.88f, distance = 4.2f, zoom = 4.35f;

  float aspect() const { return static_cast<float>(width) / static_cast<float>(height); }
  // How many pixels of this picture equal one of a picture of 720 rows.
  float scale() const { return static_cast<float>(height) / 720; }

  // Rows of the rotation: right, up, and towards the camera, in the galaxy's coordinates.
  using Axis = std::array<float, 3>;
  static Axis right() { return {std::cos(turn), std::sin(turn), 0}; }
  static Axis up() {
    const float cosine = std::cos(inclination), sine = std::sin(inclination);
    return {-std::sin(turn) * cosine, std::cos(turn) * cosine, sine};
  }
  static Axis towards() {
    const float cosine = std::cos(inclination), sine = std::sin(inclination);
    return {std::sin(turn) * sine, -std::cos(turn) * sine, cosine};
  }
};

}  // namespace galaxy
