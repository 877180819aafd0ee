// SPDX-License-Identifier: Apache-2.0
// Which contexts share their objects, and when the last of them goes: it takes the objects along,
// and what CUDA has mapped of them with it.
//
// Neither EGL nor GLX can be asked, so each context is noted when it is made. A context that is
// destroyed lives on while it is current in a thread.
//
// Threads: any; a leaf lock.
#pragma once

#include <cstdint>

namespace cuvette::gl_watch {

// Notes a new context; `share` is one that it shares with, or null.
void note_made(void* display, void* context, void* share);

// The number of contexts that share their objects, unique in the process; 0 for an unknown context.
uint64_t group_of(void* context);

// Each notes what is about to happen to a context, and returns the group that thereby loses its
// last context, or 0.
uint64_t note_destroyed(void* display, void* context);
// One of the contexts of a display that ends; to be called until it returns 0.
uint64_t note_terminated(void* display);

// The calling thread changes its current context from one to another, or to none.
class Change {
 public:
  // Constructed before the call; `ended` is the group that thereby loses its last context, or 0.
  Change();
  uint64_t ended() const { return ended_; }
  // To be called after it; `made` says whether it worked.
  void finish(bool made, void* context);

 private:
  struct Context* left_;
  uint64_t ended_ = 0;
};

}  // namespace cuvette::gl_watch
