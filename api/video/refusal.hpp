// SPDX-License-Identifier: Apache-2.0
// What the libraries of video engines say: a device of software has none. They are there because
// GStreamer, for one, offers nothing of CUDA where it does not find them.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdio>

namespace cuvette::video {

// Says once for each `said` that the function is not supported.
inline void refuse(const char* name, std::atomic<bool>& said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    fprintf(stderr, "cuvette: %s is not supported: a device of software has no video engine.\n",
            name);
}

}  // namespace cuvette::video
