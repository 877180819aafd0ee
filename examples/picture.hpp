// SPDX-License-Identifier: Apache-2.0
// Picture: pixels of red, green and blue, the highest row first; and PNG files of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

class Picture {
 public:
  Picture(int width, int height)
      : width_(width),
        height_(height),
        bytes_(static_cast<size_t>(width) * static_cast<size_t>(height) * 3) {}

  int width() const { return width_; }
  int height() const { return height_; }
  uint8_t* at(int x, int y) { return &bytes_[index(x, y)]; }
  const uint8_t* at(int x, int y) const { return &bytes_[index(x, y)]; }

 private:
  size_t index(int x, int y) const {
    return (static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)) * 3;
  }

  int width_, height_;
  std::vector<uint8_t> bytes_;
};

// False if the file cannot be written.
bool write_png(const Picture& picture, const std::string& file);
// Returns a picture without pixels if the file is no PNG.
Picture read_png(const std::string& file);
