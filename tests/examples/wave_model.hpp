// SPDX-License-Identifier: Apache-2.0
// WaveModel: the water of the example wave, computed without CUDA but with the same operations on
// the same numbers, so that every bit must be the same.
#pragma once

#include <vector>

#include "examples/wave/basin.hpp"

class WaveModel {
 public:
  explicit WaveModel(const wave::Basin& basin);

  // Computes the next frame, the first of which is number 1.
  void advance();

  // The frame's heights, row by row, as the image has them.
  const std::vector<float>& heights() const { return image_; }

 private:
  void add(const wave::Drop& drop);
  void step();

  const wave::Basin& basin_;
  int frame_ = 0;
  std::vector<float> current_, other_, image_;
};
