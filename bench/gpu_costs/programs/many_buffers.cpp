// SPDX-License-Identifier: Apache-2.0
// Buffers of many sizes, allocated together, cleared, and freed.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  for (int round = 0; round < 4; ++round) {
    std::vector<CUdeviceptr> buffers;
    for (size_t size = size_t{10} << 10; size < size_t{120} << 20; size = size * 5 / 3) {
      CUdeviceptr memory = 0;
      TIMED(cuMemAlloc, &memory, size);
      TIMED(cuMemsetD8, memory, static_cast<unsigned char>(0), size);
      buffers.push_back(memory);
    }
    void* pinned = nullptr;
    TIMED(cuMemHostAlloc, &pinned, size_t{10} << 20, 0u);
    TIMED(cuMemcpyHtoD, buffers.back(), static_cast<const void*>(pinned), size_t{10} << 20);
    TIMED(cuMemFreeHost, pinned);
    std::vector<char> plain(size_t{5} << 20, 1);
    TIMED(cuMemHostRegister, static_cast<void*>(plain.data()), plain.size(), 0u);
    TIMED(cuMemcpyHtoD, buffers.back(), static_cast<const void*>(plain.data()), plain.size());
    TIMED(cuMemHostUnregister, static_cast<void*>(plain.data()));
    for (const CUdeviceptr each : buffers) TIMED(cuMemFree, each);
  }
}
