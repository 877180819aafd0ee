// SPDX-License-Identifier: Apache-2.0
// GlContext: an OpenGL context of some window system, as tests need it: made current and let go at
// will, with others that share its objects.
//
// A window system that gives no context ends the program with a sentence: without one nothing of a
// test is left. Nothing here needs GoogleTest.
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

  // Makes it the calling thread's.
  virtual void make_current() = 0;
  // Leaves the calling thread, in which it is current, without a context.
  virtual void release() = 0;
  // Whether it is the calling thread's.
  virtual bool is_current() const = 0;
  // Another one that shares objects with it; current nowhere.
  virtual std::unique_ptr<GlContext> shared() = 0;
};

// Ends the program unless `condition` holds.
inline void need_gl(bool condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "There is no %s here.\n", what);
  exit(3);
}
