// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/stream/host_call.hpp"

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    if (!fn) return refuse(Error::invalid_value, "The host function is null.");
    if (TRY(device::Capture::takes(*stream)))
      return device::Capture::add(*stream, device::NodeType::host, device::HostWork{fn, userData});
    stream->context().submit(*stream, device::HostCall(fn, userData, call_site()));
    return {};
  });
}

}  // extern "C"
