// SPDX-License-Identifier: Apache-2.0
// How the video engines' libraries refuse: a software device has no such engines. The libraries
// exist because some programs, such as GStreamer, offer no CUDA support without them.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdio>

namespace cuvette::video {

// Reports, once for each `said`, that the function is not supported.
inline void refuse(const char* name, std::atomic<bool>& said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    fprintf(stderr, "cuvette: %s is not supported: a software device has no video engine.\n", name);
}

}  // namespace cuvette::video
