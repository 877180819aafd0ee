// SPDX-License-Identifier: Apache-2.0
// Shared memory whose size the launch sets: several arrays in it, more than 48 KiB of it.
#include "../corpus.hpp"

extern __shared__ __align__(16) unsigned char memory[];

__global__ void arrays(float* out, int n) {
  double* const d = reinterpret_cast<double*>(memory);
  int* const i = reinterpret_cast<int*>(d + n);
  char* const c = reinterpret_cast<char*>(i + n);
  for (int k = threadIdx.x; k < n; k += blockDim.x)
    d[k] = k * 0.5, i[k] = k * 3, c[k] = static_cast<char>(k);
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x)
    out[k] = static_cast<float>(d[n - 1 - k] + i[(k + 7) % n] + c[(k * 5) % n]);
}

__global__ void large(int* out, int words) {
  __shared__ int total;
  int* const all = reinterpret_cast<int*>(memory);
  if (threadIdx.x == 0) total = 0;
  for (int k = threadIdx.x; k < words; k += blockDim.x) all[k] = k ^ blockIdx.x;
  __syncthreads();
  int sum = 0;
  for (int k = threadIdx.x; k < words; k += blockDim.x) sum += all[words - 1 - k] % 17;
  atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

int main() {
  Buffer<float> f(300);
  RUN(arrays<<<1, 96, 300 * 13>>>(f, 300));
  corpus::show("arrays", f.read());
  const int bytes = 96 * 1024;
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  Buffer<int> out(4);
  RUN(large<<<4, 256, bytes>>>(out, bytes / 4));
  corpus::show("large", out.read());
  large<<<1, 32, 300 * 1024>>>(out, 1);
  printf("too much: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
