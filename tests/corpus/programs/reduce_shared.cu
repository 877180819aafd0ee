// SPDX-License-Identifier: Apache-2.0
// Sums by a tree in shared memory, by a warp's shuffles, and with a partial last block.
#include "../corpus.hpp"

__global__ void tree(const int* in, int* out, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += in[i];
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

template <typename T>
__global__ void shuffled(const T* in, T* out, int n) {
  __shared__ T part[32];
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : T(0);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

int main() {
  const int n = 50021;
  Buffer<int> in(corpus::numbers(n, 1000)), out(16);
  RUN(tree<<<16, 256>>>(in, out, n));
  corpus::show("blocks", out.read(), 16);
  Buffer<int> sum(1);
  RUN(shuffled<<<11, 352>>>(in.get(), sum.get(), n));
  printf("ints %d\n", sum(0));
  Buffer<float> reals(corpus::floats(n)), real(1);
  RUN(shuffled<<<5, 1024>>>(reals.get(), real.get(), n));
  printf("floats %.6f\n", real(0));
  std::vector<double> doubles(n);
  for (int i = 0; i < n; ++i) doubles[i] = i % 1000 * 0.25;
  Buffer<double> d(doubles), dsum(1);
  RUN(shuffled<<<3, 64>>>(d.get(), dsum.get(), n));
  printf("doubles %.3f\n", dsum(0));
  return 0;
}
