// SPDX-License-Identifier: Apache-2.0
// libcu++'s pipelines: stages of copies per thread and per block, and the older primitives.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda/pipeline>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__global__ void by_thread(const float* in, float* out, int tiles) {
  __shared__ float stage[3][64];
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int load = 0, use = 0; use < tiles; ++use) {
    for (; load < tiles && load < use + 3; ++load) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[load % 3][threadIdx.x], &in[load * 64 + threadIdx.x], sizeof(float),
                         pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[use % 3][threadIdx.x] * (use + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void by_block(const int* in, int* out, int tiles) {
  constexpr int stages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ alignas(16) int stage[stages][128];
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int load = 0, use = 0; use < tiles; ++use) {
    for (; load < tiles && load < use + stages; ++load) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[load % stages], in + load * 128,
                         cuda::aligned_size_t<16>(sizeof(int) * 128), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 3 + stage[use % stages][127 - threadIdx.x];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void roles(const int* in, int* out, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[2][32];
  const auto block = cg::this_thread_block();
  const bool producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[i % 2][threadIdx.x], &in[i * 32 + threadIdx.x], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += stage[i % 2][threadIdx.x % 32] * (threadIdx.x / 32);
      pipe.consumer_release();
    }
  }
  out[threadIdx.x] = sum;
}

__global__ void primitives(const int4* in, int4* out) {
  __shared__ int4 stage[64];
  __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&stage[32 + threadIdx.x], &in[32 + threadIdx.x], 16,
                          threadIdx.x % 2 ? 8 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[threadIdx.x] = stage[31 - threadIdx.x];
  __pipeline_wait_prior(0);
  __syncthreads();
  out[32 + threadIdx.x] = stage[63 - threadIdx.x];
}

int main() {
  Buffer<float> f(corpus::floats(1024)), g(64);
  RUN(by_thread<<<1, 64>>>(f, g, 10));
  corpus::show("thread", g.read());
  Buffer<int> in(corpus::numbers(2048, 1000)), out(256);
  RUN(by_block<<<1, 128>>>(in, out, 9));
  corpus::show("block", out.read());
  RUN(roles<<<1, 96>>>(in, out, 12));
  corpus::show("roles", out.read());
  RUN(primitives<<<1, 32>>>(reinterpret_cast<int4*>(in.get()), reinterpret_cast<int4*>(out.get())));
  corpus::show("primitives", out.read());
  return 0;
}
