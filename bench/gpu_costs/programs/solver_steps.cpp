// SPDX-License-Identifier: Apache-2.0
// A solver: many kernels on one stream, then one number back to the host, until it has converged.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream stream = nullptr;
  CUdeviceptr fields[3] = {}, sum = 0;
  TIMED(cuStreamCreate, &stream, CU_STREAM_DEFAULT);
  for (CUdeviceptr& field : fields) {
    TIMED(cuMemAlloc, &field, size_t{7} << 20);
    TIMED(cuMemsetD32Async, field, 0u, size_t{7} << 18, stream);
  }
  TIMED(cuMemAlloc, &sum, size_t{8});
  double norm = 0;
  for (int step = 0; step < 90; ++step) {
    for (int i = 0; i < 9; ++i) scene.launch(fields[i % 3], stream);
    scene.launch(sum, stream);
    TIMED(cuMemcpyDtoHAsync, static_cast<void*>(&norm), sum, sizeof norm, stream);
    TIMED(cuStreamSynchronize, stream);
  }
  for (const CUdeviceptr field : fields) TIMED(cuMemFree, field);
  TIMED(cuMemFree, sum);
  TIMED(cuStreamDestroy, stream);
}
