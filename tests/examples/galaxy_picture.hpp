// SPDX-License-Identifier: Apache-2.0
// ExpectedPicture: the example's picture as its model says it must be, computed pixel by pixel and
// without OpenGL.
#pragma once

#include <array>
#include <vector>

#include "examples/galaxy/camera.hpp"
#include "examples/galaxy/model.hpp"
#include "examples/galaxy/picture.hpp"

class ExpectedPicture {
 public:
  // After `frames` frames, with trails or without.
  ExpectedPicture(int stars, int frames, const galaxy::Camera& camera, bool trails);

  // What a pixel of the developed picture should be, the highest row first.
  std::array<uint8_t, 3> at(int x, int y) const;

 private:
  using Light = std::array<double, 3>;

  void add_stars(const std::vector<galaxy::Vertex>& vertices,
                 const std::vector<galaxy::Colour>& colours, int first, double brightness);
  void add_glow(const galaxy::Glow& glow);
  Light& light(int x, int row_from_below);

  const galaxy::Camera camera_;
  std::vector<Light> lights_;  // OpenGL's rows, the lowest first
};
