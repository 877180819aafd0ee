// SPDX-License-Identifier: Apache-2.0
// ExpectedPicture: the picture that the example should make, computed from its model pixel by pixel
// and without OpenGL.
#pragma once

#include <array>
#include <vector>

#include "examples/galaxy/camera.hpp"
#include "examples/galaxy/model.hpp"
#include "examples/picture.hpp"

class ExpectedPicture {
 public:
  // The picture after `frames` frames, with or without trails.
  ExpectedPicture(int stars, int frames, const galaxy::Camera& camera, bool trails);

  // The expected value of a pixel of the developed picture; row 0 is at the top.
  std::array<uint8_t, 3> at(int x, int y) const;

 private:
  using Light = std::array<double, 3>;

  void add_stars(const std::vector<galaxy::Vertex>& vertices,
                 const std::vector<galaxy::Colour>& colours, int first, double brightness);
  void add_glow(const galaxy::Glow& glow);
  Light& light(int x, int row_from_below);

  const galaxy::Camera camera_;
  std::vector<Light> lights_;  // in OpenGL's order of rows, bottom first
};
