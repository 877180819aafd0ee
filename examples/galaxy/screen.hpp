// SPDX-License-Identifier: Apache-2.0
// Screen: where the pictures go: into a window, or nowhere but into memory.
#pragma once

#include <memory>

#include "examples/picture.hpp"

namespace galaxy {

class Screen {
 public:
  Screen() = default;
  virtual ~Screen() = default;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Returns the framebuffer to draw into; 0 is the window's own.
  virtual unsigned framebuffer() const = 0;
  // Shows what was drawn. Returns false if the user closes the window.
  virtual bool show() = 0;
  // What is drawn and not yet shown.
  virtual Picture read() const = 0;
};

// Both make an OpenGL 4.5 context current, or end the program with a sentence.
std::unique_ptr<Screen> open_memory(int width, int height);
std::unique_ptr<Screen> open_window(int width, int height);

// The pixels of the framebuffer that is bound for reading.
Picture read_pixels(int width, int height);

}  // namespace galaxy
