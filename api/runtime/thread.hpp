// SPDX-License-Identifier: Apache-2.0
// The runtime's state of the calling thread: its last error, the device that it chose, and
// whether the null stream is its own.
#pragma once

#include <cuda.h>
#include "api/runtime/cuda_runtime.hpp"

namespace cuvette::runtime {

// The configuration between <<< and >>>. It is read right after it was written: each part is read
// as it was written, since a load that takes parts of two stores waits until both are in the cache.
struct LaunchConfiguration {
  alignas(16) dim3 grid;
  alignas(16) dim3 block;
  size_t shared_bytes;
  cudaStream_t stream;
  const void* site;            // where the program says <<<>>>
  LaunchConfiguration* outer;  // of the launch that this one's result is an argument of
};

struct Thread {
  // The error of the last call that failed; cudaGetLastError() clears it.
  cudaError_t last_error = cudaSuccess;
  // The device whose primary context is used when none is current.
  int device = 0;
  // While set, the null stream is the thread's own: a twin of per_thread.def is being called.
  bool null_stream_is_own = false;
  // Where the driver reads which call of the program it works for; null until it was asked for.
  const void** call_site_slot = nullptr;
  // Where the driver records calls; null: it does not, or was not asked yet.
  void* (*begin_call)() = nullptr;
  void (*end_call)(void* call, int result) = nullptr;
  // The <<<>>> whose configuration was popped last, until its launch, which is the next call.
  const void* launch_site = nullptr;
  // The configuration of the innermost <<<>>> that has not launched its kernel yet; null if there
  // is none. The outermost one's is in `outermost`.
  LaunchConfiguration* configured = nullptr;
  LaunchConfiguration outermost{};

  // Trivial to construct and to destroy, so an access costs no more than computing its address. In
  // a shared library that is a call: keep the reference where it is needed more than once.
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
