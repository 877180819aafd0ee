// SPDX-License-Identifier: Apache-2.0
// A file of the program that is not CUDA C++.
#include <cuda_runtime_api.h>

#include <numeric>
#include <vector>

#include "pieces.hpp"

int sum(const int* values, int count) {
  std::vector<int> host(static_cast<size_t>(count));
  if (cudaMemcpy(host.data(), values, host.size() * sizeof(int), cudaMemcpyDeviceToHost) !=
      cudaSuccess)
    return -1;
  return std::accumulate(host.begin(), host.end(), 0);
}
