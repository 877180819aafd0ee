// SPDX-License-Identifier: Apache-2.0
// Memory of the stream's pool for the steps of a computation.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream stream = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CUmemoryPool pool = nullptr;
  uint64_t keep = ~0ull;
  TIMED(cuDeviceGetDefaultMemPool, &pool, scene.device);
  TIMED(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
  for (int step = 0; step < 60; ++step) {
    CUdeviceptr a = 0, b = 0, c = 0;
    TIMED(cuMemAllocAsync, &a, size_t{200} << 10, stream);
    TIMED(cuMemAllocAsync, &b, size_t{3} << 20, stream);
    scene.launch(a, stream);
    TIMED(cuMemAllocAsync, &c, size_t{24} << 20, stream);
    scene.launch(b, stream);
    TIMED(cuMemFreeAsync, a, stream);
    scene.launch(c, stream);
    TIMED(cuMemFreeAsync, b, stream);
    TIMED(cuMemFreeAsync, c, stream);
    if (step % 4 == 3) TIMED(cuStreamSynchronize, stream);
  }
  TIMED(cuStreamSynchronize, stream);
  TIMED(cuStreamDestroy, stream);
}
