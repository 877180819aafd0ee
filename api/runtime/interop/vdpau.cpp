// SPDX-License-Identifier: Apache-2.0
// VDPAU. <vdpau/vdpau.h> need not be there to build this, so its types are spelt out.
//
// Reference: CUDA Runtime API, "VDPAU Interoperability".
#include <cstdint>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

// VdpDevice, VdpOutputSurface and VdpVideoSurface are numbers.
using VdpGetProcAddress = int(std::uint32_t device, std::uint32_t function, void** pointer);

extern "C" {

CUresult cuVDPAUGetDevice(CUdevice* device, std::uint32_t vdpDevice, VdpGetProcAddress* find);
CUresult cuVDPAUCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device,
                             std::uint32_t vdpDevice, VdpGetProcAddress* find);
CUresult cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource* resource, std::uint32_t surface,
                                              unsigned flags);
CUresult cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource* resource, std::uint32_t surface,
                                             unsigned flags);

#pragma GCC visibility push(default)

cudaError_t cudaVDPAUGetDevice(int* device, std::uint32_t vdpDevice, VdpGetProcAddress* find) {
  return call_with_driver([&] { return DRIVER(cuVDPAUGetDevice)(device, vdpDevice, find); });
}

// The context is the calling thread's, and work with the device's surfaces needs one.
cudaError_t cudaVDPAUSetVDPAUDevice(int device, std::uint32_t vdpDevice, VdpGetProcAddress* find) {
  return call_with_driver([&]() -> Status {
    CHECK(check_device(device));
    CUcontext context = nullptr;
    return DRIVER(cuVDPAUCtxCreate_v2)(&context, 0, device, vdpDevice, find);
  });
}

cudaError_t cudaGraphicsVDPAURegisterOutputSurface(cudaGraphicsResource** resource,
                                                   std::uint32_t surface, unsigned int flags) {
  return call([&] {
    return DRIVER(cuGraphicsVDPAURegisterOutputSurface)(same_layout<CUgraphicsResource>(resource),
                                                        surface, flags);
  });
}

cudaError_t cudaGraphicsVDPAURegisterVideoSurface(cudaGraphicsResource** resource,
                                                  std::uint32_t surface, unsigned int flags) {
  return call([&] {
    return DRIVER(cuGraphicsVDPAURegisterVideoSurface)(same_layout<CUgraphicsResource>(resource),
                                                       surface, flags);
  });
}

#pragma GCC visibility pop
}
