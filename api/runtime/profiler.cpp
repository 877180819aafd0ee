// SPDX-License-Identifier: Apache-2.0
// The range that a profiler should look at.
//
// Reference: CUDA Runtime API, "Profiler Control".
#include <cudaProfiler.h>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {

// Without a context there is no range to end.
Status stop() {
  CUcontext current = nullptr;
  CHECK(DRIVER(cuCtxGetCurrent)(&current));
  if (current == nullptr) return {};
  return DRIVER(cuProfilerStop)();
}

}  // namespace

extern "C" {

cudaError_t cudaProfilerStart() {
  return call([&] { return DRIVER(cuProfilerStart)(); });
}

cudaError_t cudaProfilerStop() {
  return call_with_driver([&] { return stop(); });
}
}
