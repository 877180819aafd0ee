// SPDX-License-Identifier: Apache-2.0
// Includes the headers of CUDA C++ that `cuvette c++` has, and counts with an atomic variable of
// each scope.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <cuda/atomic>
#include <cuda/std/atomic>

__global__ void count(int* counts) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(counts[0]).fetch_add(1);
  cuda::std::atomic_ref<int>(counts[1]).fetch_add(1);
}

int main() {
  int* counts;
  if (cudaMallocManaged(&counts, 2 * sizeof *counts) != cudaSuccess) return 1;
  counts[0] = counts[1] = 0;
  count<<<2, 64>>>(counts);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return counts[0] == 128 && counts[1] == 128 ? 0 : 1;
}
