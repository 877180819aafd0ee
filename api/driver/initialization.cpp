// SPDX-License-Identifier: Apache-2.0
#include "api/driver/cuda.hpp"

#include "api/driver/call.hpp"
#include "sim/check/check.hpp"
#include "sim/device/machine.hpp"
#include "sim/trace/trace.hpp"

using namespace cuvette;

extern "C" {

CUresult cuInit(unsigned int Flags) {
  // "Currently, the Flags parameter must be 0."
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto start = []() -> Result<> {
    TRY(device::Machine::start());
    check::attach();
    trace::attach();
    return {};
  };
  return static_cast<CUresult>(driver::detail::guarded(start));
}

CUresult cuDriverGetVersion(int* driverVersion) {
  if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = CUDA_VERSION;
  return CUDA_SUCCESS;
}

}  // extern "C"
