// SPDX-License-Identifier: Apache-2.0
// The switches of a profiler. There is none here, so they do nothing; on NVIDIA's driver, too, they
// succeed where no profiler is attached.
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "sim/device/graph/capture.hpp"

#pragma GCC visibility push(default)
#include <cudaProfiler.h>
#pragma GCC visibility pop

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

// Measured: it is one of the calls that a capture may forbid.
CUresult cuProfilerStart(void) {
  return call_in_context<CUresult>(
      [](device::Context&) { return device::Capture::refuse_unsafe_call(); });
}

CUresult cuProfilerStop(void) {
  return call_in_context<CUresult>(
      [](device::Context&) { return device::Capture::refuse_unsafe_call(); });
}

}  // extern "C"
