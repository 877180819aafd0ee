// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/stream/value_operations.hpp"
#include "sim/device/graph/submission.hpp"

using namespace cuvette;
using namespace cuvette::driver;

namespace {

CUresult submit(CUstream hStream, const Result<device::ValueOperation>& operation) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    const device::ValueOperation one = TRY(operation);
    return device::submit_values(*stream, {&one, 1}, call_site());
  });
}

}  // namespace

extern "C" {

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  return submit(stream, wait_operation(addr, value, 4, flags));
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return submit(stream, wait_operation(addr, value, 8, flags));
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  return submit(stream, write_operation(addr, value, 4, flags));
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  return submit(stream, write_operation(addr, value, 8, flags));
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto object = TRY(find_usable(stream));
    const auto operations = TRY(operations_of(paramArray, count, flags));
    return device::submit_values(*object, operations, call_site());
  });
}

}  // extern "C"
