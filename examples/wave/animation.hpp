// SPDX-License-Identifier: Apache-2.0
// Animation: pictures one after the other, in a file that any browser shows: an animated WebP.
#pragma once

#include <string>

#include "examples/picture.hpp"

struct WebPAnimEncoder;

namespace wave {

class Animation {
 public:
  // The quality is 0 to 100, and with 100 every pixel is kept as it is.
  Animation(int width, int height, int frames_per_second, int quality);
  ~Animation();
  Animation(const Animation&) = delete;
  Animation& operator=(const Animation&) = delete;

  void add(const Picture& picture);
  // False if the file cannot be written.
  bool write(const std::string& file);

 private:
  int time() const { return frames_ * 1000 / frames_per_second_; }

  const int frames_per_second_, quality_;
  int frames_ = 0;
  WebPAnimEncoder* encoder_;
};

}  // namespace wave
