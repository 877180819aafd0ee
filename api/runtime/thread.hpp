// SPDX-License-Identifier: Apache-2.0
// The runtime's state of the calling thread: its last error, the device that it chose, and
// whether the null stream is its own.
#pragma once

#include <cuda.h>
#include "api/runtime/cuda_runtime.hpp"

namespace cuvette::runtime {

struct Thread {
  // The error of the last call that failed; cudaGetLastError() clears it.
  cudaError_t last_error = cudaSuccess;
  // The device whose primary context is used when none is current.
  int device = 0;
  // While set, the null stream is the thread's own: a twin of per_thread.def is being called.
  bool null_stream_is_own = false;
  // Where the driver reads which call of the program it works for; null until it was asked for.
  const void** call_site_slot = nullptr;
  // The <<<>>> whose configuration was popped last, until its launch, which is the next call.
  const void* launch_site = nullptr;

  // Trivial to construct and to destroy, so an access costs no more than computing its address.
  static Thread& current() noexcept {
    static thread_local constinit Thread thread;
    return thread;
  }
};

// Returns the driver's stream for a stream that the program named.
inline CUstream driver_stream(cudaStream_t stream) noexcept {
  if (stream == nullptr && Thread::current().null_stream_is_own) return CU_STREAM_PER_THREAD;
  return stream;
}

}  // namespace cuvette::runtime
