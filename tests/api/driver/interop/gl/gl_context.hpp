// SPDX-License-Identifier: Apache-2.0
// GlContext: an OpenGL context of some window system, as tests need it: made current and released
// at will, with others that share its objects.
//
// If a window system provides no context, the program ends with a message: no test can do without.
// Nothing here needs GoogleTest.
//
// Threads: any, one at a time; a context is current in one thread at most.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>

class GlContext {
 public:
  GlContext() = default;
  virtual ~GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Makes it current in the calling thread.
  virtual void make_current() = 0;
  // Leaves the calling thread, in which it is current, without a context.
  virtual void release() = 0;
  // Whether it is current in the calling thread.
  virtual bool is_current() const = 0;
  // Returns a new context that shares objects with this one and is not current.
  virtual std::unique_ptr<GlContext> shared() = 0;
};

// Ends the program unless `condition` holds.
inline void need_gl(bool condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "There is no %s here.\n", what);
  exit(3);
}
