// SPDX-License-Identifier: Apache-2.0
// VDPAU where it is missing.
#include "graphics.hpp"

// As in cudaVDPAU.h; the headers of VDPAU itself are rarely installed.
extern "C" {
CUresult cuVDPAUGetDevice(CUdevice*, uint32_t device, void* get_proc_address);
CUresult cuVDPAUCtxCreate_v2(CUcontext*, unsigned flags, CUdevice, uint32_t device,
                             void* get_proc_address);
CUresult cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource*, uint32_t surface, unsigned flags);
CUresult cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource*, uint32_t surface,
                                              unsigned flags);
}

namespace {

// A VDPAU without devices and functions.
int no_function(uint32_t, uint32_t, void** function) {
  *function = nullptr;
  return 1;
}
CASE(vdpau) {
  CUdevice d = 9;
  CUcontext c = nullptr;
  CUgraphicsResource r = nullptr;
  SURVIVE(cuVDPAUGetDevice(&d, 0, nullptr));
  SURVIVE(cuGraphicsVDPAURegisterVideoSurface(&r, 0, 0));
  PREPARE(cuInit(0));
  SURVIVE(cuGraphicsVDPAURegisterVideoSurface(&r, 0, 0));
  SURVIVE(cuGraphicsVDPAURegisterOutputSurface(nullptr, 0, 77));
  SURVIVE(cuVDPAUGetDevice(nullptr, 0, nullptr));
  SURVIVE(cuVDPAUGetDevice(&d, 0, nullptr));
  SURVIVE(cuVDPAUCtxCreate_v2(nullptr, 0, 0, 0, nullptr));
  SURVIVE(cuVDPAUCtxCreate_v2(&c, 0, 0, 0, nullptr));
  SURVIVE(cuVDPAUCtxCreate_v2(&c, 3, 0, 0, nullptr));
  SURVIVE(cuVDPAUCtxCreate_v2(&c, 0, 1000, 0, nullptr));
  graphics::start_cuda();
  SURVIVE(cuGraphicsVDPAURegisterVideoSurface(nullptr, 0, 0));
  SURVIVE(cuGraphicsVDPAURegisterVideoSurface(&r, 0, 0));
  SURVIVE(cuGraphicsVDPAURegisterVideoSurface(&r, 0, 77));
  SURVIVE(cuGraphicsVDPAURegisterOutputSurface(nullptr, 0, 0));
  SURVIVE(cuGraphicsVDPAURegisterOutputSurface(&r, 0, 0));
  SURVIVE(cuGraphicsVDPAURegisterOutputSurface(&r, 0, 77));
}
CASE(vdpau_without_functions) {
  graphics::start_cuda();
  CUdevice d = 9;
  CUcontext c = nullptr;
  const auto functions = reinterpret_cast<void*>(no_function);
  SURVIVE(cuVDPAUGetDevice(&d, 1, functions));
  ASK(d);
  SURVIVE(cuVDPAUCtxCreate_v2(&c, 0, 0, 1, functions));
}

}  // namespace
