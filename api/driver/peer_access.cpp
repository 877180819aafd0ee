// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

// No device of Cuvette can reach another one's memory yet, which is an answer and not a gap.
CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return call<CUresult>([&]() -> Result<> {
    if (!canAccessPeer) return Error::invalid_value;
    TRY(find_device(dev));
    TRY(find_device(peerDev));
    *canAccessPeer = 0;
    return {};
  });
}

}  // extern "C"
