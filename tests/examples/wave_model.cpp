// SPDX-License-Identifier: Apache-2.0
// Compiled with -ffp-contract=off: only what is written as std::fma is one operation.
#include "tests/examples/wave_model.hpp"

#include <cmath>

using wave::Basin;

WaveModel::WaveModel(const Basin& basin)
    : basin_(basin), current_(basin.cells()), other_(basin.cells()), image_(basin.cells()) {}

void WaveModel::advance() {
  if (const auto drop = basin_.drop(++frame_)) add(*drop);
  for (int i = 0; i < basin_.steps(); ++i) step();
  for (size_t at = 0; at < image_.size(); ++at)
    image_[at] = basin_.walls()[at] ? Basin::stone : current_[at];
}

void WaveModel::add(const wave::Drop& drop) {
  const float closeness = 1 / (drop.radius * drop.radius);
  for (int y = 0; y < basin_.height(); ++y)
    for (int x = 0; x < basin_.width(); ++x) {
      const size_t at = static_cast<size_t>(y * basin_.width() + x);
      const float right = static_cast<float>(x) - drop.x, down = static_cast<float>(y) - drop.y;
      const float square = down * down;
      const float distance = std::fma(right, right, square) * closeness;
      if (basin_.walls()[at] || distance >= 1) continue;
      const float inside = 1 - distance, shape = inside * inside;
      const float height = shape * std::fma(distance, -4.0f, 1.0f);
      current_[at] = std::fma(height, drop.height, current_[at]);
      other_[at] = std::fma(height, drop.height, other_[at]);
    }
}

void WaveModel::step() {
  const auto width = static_cast<size_t>(basin_.width());
  for (size_t at = 0; at < current_.size(); ++at) {
    if (basin_.walls()[at]) continue;
    const float here = current_[at];
    const auto beside = [&](size_t other) {
      return basin_.walls()[other] ? here : current_[other];
    };
    const float across = beside(at - 1) + beside(at + 1),
                along = beside(at - width) + beside(at + width);
    const float bend = std::fma(here, -4.0f, across + along);
    const float motion = here - other_[at];
    other_[at] = std::fma(bend, Basin::speed_squared, std::fma(motion, Basin::kept, here));
  }
  std::swap(current_, other_);
}
