// SPDX-License-Identifier: Apache-2.0
// The one lock of graphics resources.
//
// Threads: any.
#pragma once

#include "sim/base/mutex.hpp"
#include "sim/interop/gl/watch/gl_watch.hpp"

namespace cuvette::interop {

// Guards every resource, with its group, buffers and images.
extern Mutex graphics_mutex;

// Holds the lock; while it does, the thread's OpenGL calls count as ours.
class SCOPED_CAPABILITY GraphicsLock {
 public:
  GraphicsLock() ACQUIRE(graphics_mutex) {
    graphics_mutex.lock();
    held_ = true;
  }
  ~GraphicsLock() RELEASE() {
    held_ = false;
    graphics_mutex.unlock();
  }
  GraphicsLock(const GraphicsLock&) = delete;
  GraphicsLock& operator=(const GraphicsLock&) = delete;

  // Whether the calling thread holds one.
  static bool is_held() { return held_; }

 private:
  static inline constinit thread_local bool held_ = false;
  const gl::OwnCalls own_calls_;
};

}  // namespace cuvette::interop
