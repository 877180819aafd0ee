// SPDX-License-Identifier: Apache-2.0
// Results go to and fro through memory that was not pinned.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUdeviceptr memory = 0;
  TIMED(cuMemAlloc, &memory, size_t{16} << 20);
  std::vector<char> host(size_t{16} << 20, 1);
  for (const size_t size : {size_t{24}, size_t{8} << 10, size_t{48} << 10, size_t{200} << 10,
                            size_t{700} << 10, size_t{3} << 20, size_t{10} << 20})
    for (int i = 0; i < 12; ++i) {
      TIMED(cuMemcpyHtoD, memory, static_cast<const void*>(host.data()), size);
      scene.launch(memory, nullptr);
      TIMED(cuMemcpyDtoH, static_cast<void*>(host.data()), memory, size);
    }
  TIMED(cuMemFree, memory);
}
