// SPDX-License-Identifier: Apache-2.0
// The VDPAU functions, as on a driver for devices that do not decode video.
#include <cstdint>

#include "api/driver/call.hpp"
#include "api/driver/context/context_flags.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

// Declared as in <cudaVDPAU.h>, but without VDPAU's headers, which few machines have.
using VdpDevice = uint32_t;
using VdpSurface = uint32_t;
using VdpGetProcAddress = int(VdpDevice device, uint32_t function, void** pointer);

namespace {

Error no_device(VdpDevice device) {
  return refuse(Error::unknown, "VDPAU's device %u is not a CUDA device: there is no VDPAU here.",
                device);
}

Result<> create_context(CUcontext* pCtx, unsigned flags, CUdevice device, VdpDevice vdpDevice,
                        VdpGetProcAddress* vdpGetProcAddress) {
  if (!pCtx) return Error::invalid_value;
  TRY(find_device(device));
  TRY(check_context_flags(flags));
  if (!vdpGetProcAddress) return Error::invalid_value;
  return no_device(vdpDevice);
}

// Measured: surfaces can be registered only in contexts that cuVDPAUCtxCreate made.
Result<> register_surface() {
  TRY(usable_context());
  return refuse(Error::invalid_context, "The current context was not made by cuVDPAUCtxCreate.");
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuVDPAUGetDevice(CUdevice* pDevice, VdpDevice vdpDevice,
                          VdpGetProcAddress* vdpGetProcAddress) {
  return call<CUresult>([&]() -> Result<> {
    if (!pDevice || !vdpGetProcAddress) return Error::invalid_value;
    return no_device(vdpDevice);
  });
}

CUresult cuVDPAUCtxCreate(CUcontext* pCtx, unsigned int flags, CUdevice device, VdpDevice vdpDevice,
                          VdpGetProcAddress* vdpGetProcAddress) {
  return call<CUresult>(
      [&] { return create_context(pCtx, flags, device, vdpDevice, vdpGetProcAddress); });
}

CUresult cuVDPAUCtxCreate_v2(CUcontext* pCtx, unsigned int flags, CUdevice device,
                             VdpDevice vdpDevice, VdpGetProcAddress* vdpGetProcAddress) {
  return call<CUresult>(
      [&] { return create_context(pCtx, flags, device, vdpDevice, vdpGetProcAddress); });
}

CUresult cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource*, VdpSurface, unsigned int) {
  return call<CUresult>([] { return register_surface(); });
}

CUresult cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource*, VdpSurface, unsigned int) {
  return call<CUresult>([] { return register_surface(); });
}

}  // extern "C"
#pragma GCC visibility pop
