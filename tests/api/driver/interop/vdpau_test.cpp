// SPDX-License-Identifier: Apache-2.0
// VDPAU, with the results of a driver that does not have it.
#include <cuda.h>

#include <cstdint>

#include "tests/api/driver/gate.hpp"

// As <cudaVDPAU.h> declares them.
extern "C" {
CUresult cuVDPAUGetDevice(CUdevice*, uint32_t device, void* get_proc_address);
CUresult cuVDPAUCtxCreate(CUcontext*, unsigned flags, CUdevice, uint32_t device,
                          void* get_proc_address);
CUresult cuVDPAUCtxCreate_v2(CUcontext*, unsigned flags, CUdevice, uint32_t device,
                             void* get_proc_address);
CUresult cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource*, uint32_t surface, unsigned flags);
CUresult cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource*, uint32_t surface,
                                              unsigned flags);
}

namespace {

int no_function(uint32_t, uint32_t, void** function) {
  *function = nullptr;
  return 1;
}
void* const functions = reinterpret_cast<void*>(no_function);

TEST(cuVDPAUGetDevice, FindsNone) {
  OK(cuInit(0));
  CUdevice device = 9;
  EXPECT_EQ(cuVDPAUGetDevice(nullptr, 1, functions), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuVDPAUGetDevice(&device, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuVDPAUGetDevice(&device, 1, functions), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(device, 9);
}

void expect_no_context(decltype(&cuVDPAUCtxCreate) create) {
  CUcontext context = nullptr;
  EXPECT_EQ(create(nullptr, 0, 0, 1, functions), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(&context, 3, 0, 1, functions), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(&context, 0, 1000, 1, functions), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(create(&context, 0, 0, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(&context, 0, 0, 1, functions), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(context, nullptr);
}
TEST(cuVDPAUCtxCreate, MakesNone) {
  OK(cuInit(0));
  expect_no_context(cuVDPAUCtxCreate);
}
TEST(cuVDPAUCtxCreate_v2, MakesNone) {
  OK(cuInit(0));
  expect_no_context(cuVDPAUCtxCreate_v2);
}

void expect_no_surface(decltype(&cuGraphicsVDPAURegisterVideoSurface) register_surface) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(nullptr));
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(register_surface(&resource, 0, 0), CUDA_ERROR_INVALID_CONTEXT);
  const Scene scene;
  EXPECT_EQ(register_surface(&resource, 0, 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(register_surface(nullptr, 0, 77), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(resource, nullptr);
}
TEST(cuGraphicsVDPAURegisterVideoSurface, NeedsAContextOfVdpau) {
  expect_no_surface(cuGraphicsVDPAURegisterVideoSurface);
}
TEST(cuGraphicsVDPAURegisterOutputSurface, NeedsAContextOfVdpau) {
  expect_no_surface(cuGraphicsVDPAURegisterOutputSurface);
}

}  // namespace
