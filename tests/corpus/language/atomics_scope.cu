// SPDX-License-Identifier: Apache-2.0
// Block-wide and system-wide atomics; fences of each scope; memory shared with the host.
#include "../corpus.hpp"

__global__ void scopes(int* block, int* device, int* system, unsigned long long* wide,
                       float* real) {
  atomicAdd_block(&block[blockIdx.x], 1);
  __threadfence_block();
  atomicAdd(device, 2);
  __threadfence();
  atomicAdd_system(system, 3);
  __threadfence_system();
  atomicMax_system(&wide[0], static_cast<unsigned long long>(threadIdx.x) << 33);
  atomicCAS_system(&system[1], 0, 9);
  atomicExch_block(&block[8 + blockIdx.x], 4);
  atomicAdd_system(real, 0.5f);
  atomicOr_block(&block[16 + blockIdx.x], 1 << threadIdx.x % 8);
  atomicMin_system(&system[2], -static_cast<int>(threadIdx.x));
}

int main() {
  Buffer<int> block(32), device(1);
  int* system;
  float* real;
  CHECK(cudaMallocHost(&system, 16));
  CHECK(cudaMallocHost(&real, 4));
  memset(system, 0, 16);
  *real = 0;
  Buffer<unsigned long long> wide(1);
  RUN(scopes<<<4, 64>>>(block, device, system, wide, real));
  corpus::show("block", block.read(), 20);
  printf("%d | %d %d %d | %llu | %g\n", device(0), system[0], system[1], system[2], wide(0), *real);
  CHECK(cudaFreeHost(system));
  CHECK(cudaFreeHost(real));
  return 0;
}
