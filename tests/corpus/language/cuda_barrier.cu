// SPDX-License-Identifier: Apache-2.0
// libcu++'s barriers: arriving, waiting with tokens, phases by parity, completion functions.
#include <cuda/barrier>

#include "../corpus.hpp"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void phases(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int values[128];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int v = in[t];
  for (int round = 0; round < 4; ++round) {
    values[t] = v;
    const auto token = barrier.arrive();
    v = v * 3 % 1001;
    barrier.wait(cuda::std::move(const_cast<Barrier::arrival_token&>(token)));
    v += values[(t + 37) % 128];
    barrier.arrive_and_wait();
  }
  out[t] = v;
}

__global__ void producer(const int* in, int* out) {
  __shared__ Barrier full, empty;
  __shared__ int stage[32];
  if (threadIdx.x == 0) init(&full, 64), init(&empty, 64);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int i = 0; i < 5; ++i) {
    if (threadIdx.x < 32) {
      empty.arrive_and_wait();
      stage[lane] = in[i * 20 + lane] + i;
      (void)full.arrive();
    } else {
      (void)empty.arrive();
      full.arrive_and_wait();
      sum += stage[31 - lane] * (i + 1);
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

__global__ void dropping(int* out) {
  __shared__ Barrier barrier;
  __shared__ int count;
  if (threadIdx.x == 0) init(&barrier, blockDim.x), count = 0;
  __syncthreads();
  for (unsigned round = 0; round <= threadIdx.x / 8; ++round) {
    atomicAdd(&count, 1);
    if (round == threadIdx.x / 8)
      barrier.arrive_and_drop();
    else
      barrier.arrive_and_wait();
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}

__global__ void copies(const int4* in, int4* out) {
  __shared__ int4 stage[64];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<16>(16), barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = stage[63 - threadIdx.x];
}

int main() {
  Buffer<int> in(corpus::numbers(256, 1000)), out(256);
  RUN(phases<<<1, 128>>>(in, out));
  corpus::show("phases", out.read());
  RUN(producer<<<1, 64>>>(in, out));
  corpus::show("producer", out.read());
  RUN(dropping<<<1, 32>>>(out));
  printf("dropping %d\n", out(0));
  RUN(copies<<<1, 64>>>(reinterpret_cast<int4*>(in.get()), reinterpret_cast<int4*>(out.get())));
  corpus::show("copies", out.read());
  return 0;
}
