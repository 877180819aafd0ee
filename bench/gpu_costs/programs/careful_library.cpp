// SPDX-License-Identifier: Apache-2.0
// A library that asks about everything before it works: where a pointer points, how much memory is
// free, how large a block may be.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream stream = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  int count = 0, units = 0;
  TIMED(cuDeviceGetCount, &count);
  for (int call = 0; call < 60; ++call) {
    CUcontext current = nullptr;
    size_t free = 0, total = 0;
    int blocks = 0;
    CUdeviceptr memory = 0, base = 0;
    CUmemorytype type;
    TIMED(cuCtxGetCurrent, &current);
    TIMED(cuDeviceGetAttribute, &units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, scene.device);
    TIMED(cuMemGetInfo, &free, &total);
    TIMED(cuMemAlloc, &memory, size_t{3} << 20);
    TIMED(cuPointerGetAttribute, static_cast<void*>(&type), CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
          memory);
    TIMED(cuMemGetAddressRange, &base, &total, memory);
    TIMED(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, scene.kernel, 256, size_t{0});
    for (int i = 0; i < 3; ++i) scene.launch(memory, stream);
    TIMED(cuStreamSynchronize, stream);
    TIMED(cuStreamQuery, stream);
    TIMED(cuMemFree, memory);
  }
  TIMED(cuStreamDestroy, stream);
}
