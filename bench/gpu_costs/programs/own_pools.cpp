// SPDX-License-Identifier: Apache-2.0
// A pool for each job, with scratch memory for its kernels, trimmed at the end.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream stream = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  for (int job = 0; job < 8; ++job) {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemoryPool pool = nullptr;
    uint64_t keep = size_t{64} << 20;
    TIMED(cuMemPoolCreate, &pool, &properties);
    TIMED(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
    for (int step = 0; step < 25; ++step) {
      CUdeviceptr large = 0, small = 0;
      TIMED(cuMemAllocFromPoolAsync, &large, size_t{5} << 20, pool, stream);
      TIMED(cuMemsetD8Async, large, static_cast<unsigned char>(0), size_t{5} << 20, stream);
      TIMED(cuMemAllocFromPoolAsync, &small, size_t{40} << 10, pool, stream);
      scene.launch(small, stream);
      scene.launch(large, stream);
      TIMED(cuMemFreeAsync, large, stream);
      TIMED(cuMemFreeAsync, small, stream);
      if (step % 5 == 4) TIMED(cuStreamSynchronize, stream);
    }
    TIMED(cuMemPoolTrimTo, pool, size_t{0});
    TIMED(cuMemPoolDestroy, pool);
  }
  TIMED(cuStreamDestroy, stream);
}
