// SPDX-License-Identifier: Apache-2.0
// PixelState: while it lives, OpenGL copies pixels unchanged, from or to plain rows without gaps;
// afterwards it restores the program's settings.
//
// Threads: it concerns the calling thread's context.
#pragma once

#include <cstddef>

#include "sim/interop/gl/gl_context.hpp"

namespace cuvette::interop::gl {

class PixelState {
 public:
  enum class Way { pack, unpack };  // from OpenGL, to OpenGL
  // `legacy`: the context also has the state from before OpenGL 3.1.
  PixelState(const Functions& gl, Way way, bool legacy);
  ~PixelState();
  PixelState(const PixelState&) = delete;
  PixelState& operator=(const PixelState&) = delete;

 private:
  static constexpr size_t stored = 8, transferred = 10;

  const Functions& gl_;
  const Way way_;
  const bool legacy_;
  GLint stored_[stored] = {};
  GLfloat transferred_[transferred] = {};
  GLint buffer_ = 0;
};

}  // namespace cuvette::interop::gl
