// SPDX-License-Identifier: Apache-2.0
// Products of matrices that fetch the next tiles while they use the current ones: with cp.async
// written by hand, the primitives, cuda::pipeline, and bulk copies counted by an mbarrier.
#include <cuda_pipeline_primitives.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

constexpr int T = 16;

__device__ void tile_product(const float (*a)[T], const float (*b)[T], float& sum) {
  for (int k = 0; k < T; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
}

// By hand: commits groups, and waits for all but one.
__global__ void by_hand(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float as[2][T][T], bs[2][T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  const auto fetch = [&](int stage, int k) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&as[stage][y][x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(a + row * n + k * T + x)
                 : "memory");
    if (x % 4 == 0) {
      const unsigned four = static_cast<unsigned>(__cvta_generic_to_shared(&bs[stage][y][x]));
      asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(four),
                   "l"(b + (k * T + y) * n + column)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float sum = 0;
  fetch(0, 0);
  for (int k = 0; k < n / T; ++k) {
    if (k + 1 < n / T) {
      fetch((k + 1) % 2, k + 1);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    tile_product(as[k % 2], bs[k % 2], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void by_primitives(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float as[3][T][T], bs[3][T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  const auto fetch = [&](int k) {
    if (k < n / T) {
      __pipeline_memcpy_async(&as[k % 3][y][x], a + row * n + k * T + x, 4);
      // The last row is filled with zeros, so it adds nothing.
      __pipeline_memcpy_async(&bs[k % 3][y][x], b + (k * T + y) * n + column, 4,
                              k * T + y == n - 1 ? 4 : 0);
    }
    __pipeline_commit();
  };
  fetch(0), fetch(1);
  float sum = 0;
  for (int k = 0; k < n / T; ++k) {
    fetch(k + 2);
    __pipeline_wait_prior(2);
    __syncthreads();
    tile_product(as[k % 3], bs[k % 3], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <int Stages>
__global__ void by_pipeline(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float as[Stages][T][T], bs[Stages][T][T];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0;
  for (int next = 0, k = 0; k < n / T; ++k) {
    for (; next < n / T && next < k + Stages; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&as[next % Stages][y][x], a + row * n + next * T + x,
                         cuda::aligned_size_t<4>(4), pipeline);
      cuda::memcpy_async(&bs[next % Stages][y][x], b + (next * T + y) * n + column,
                         cuda::aligned_size_t<4>(4), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    block.sync();
    tile_product(as[k % Stages], bs[k % Stages], sum);
    block.sync();
    pipeline.consumer_release();
  }
  c[row * n + column] = sum;
}

// Half of the warps fetch, and the other half compute.
__global__ void by_roles(const int* in, long long* out, int tiles) {
  constexpr int stages = 3;
  __shared__ int room[stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto block = cg::this_thread_block();
  const auto role =
      threadIdx.x < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipeline = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int k = 0; k < tiles; ++k) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&room[k % stages][threadIdx.x], in + k * 64 + threadIdx.x, sizeof(int),
                         pipeline);
      pipeline.producer_commit();
    }
  } else {
    long long sum = 0;
    for (int k = 0; k < tiles; ++k) {
      pipeline.consumer_wait();
      for (int i = 0; i < 64; i += 7) sum = sum * 3 + room[k % stages][(threadIdx.x + i) % 64];
      pipeline.consumer_release();
    }
    out[threadIdx.x - 64] = sum;
  }
}

// Bulk copies; the code itself waits for the barrier's parity.
__global__ void by_bulk(const int* in, int* out, int tiles) {
  __shared__ __align__(16) int room[2][256];
  __shared__ __align__(8) unsigned long long barriers[2];
  const unsigned bar[2] = {static_cast<unsigned>(__cvta_generic_to_shared(&barriers[0])),
                           static_cast<unsigned>(__cvta_generic_to_shared(&barriers[1]))};
  if (threadIdx.x == 0) {
    for (unsigned b : bar) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const auto fetch = [&](int k) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(room[k % 2]));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(bar[k % 2])
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, "
        "[%2];" ::"r"(to),
        "l"(in + k * 256), "r"(bar[k % 2])
        : "memory");
  };
  if (threadIdx.x == 0) fetch(0);
  for (int k = 0; k < tiles; ++k) {
    if (threadIdx.x == 0 && k + 1 < tiles) fetch(k + 1);
    asm volatile(
        "{\n .reg .pred done;\n again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
        "%1;\n @!done bra again;\n}" ::"r"(bar[k % 2]),
        "r"(k / 2 % 2)
        : "memory");
    int* const mine = &room[k % 2][threadIdx.x];
    *mine = *mine * 2 + room[k % 2][threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(room[k % 2]));
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out + k * 256),
          "r"(from)
          : "memory");
      asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
  }
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void by_barrier(const int* in, int* out) {
  __shared__ int room[256];
  __shared__ Barrier barrier;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, room, in, cuda::aligned_size_t<16>(sizeof room), barrier);
  auto token = barrier.arrive();
  barrier.wait(std::move(token));
  int sum = room[(threadIdx.x * 7) % 256];
  barrier.arrive_and_wait();
  cg::memcpy_async(block, room, in + 256, sizeof room);
  cg::wait(block);
  sum += room[threadIdx.x];
  block.sync();
  cg::memcpy_async(block, room, 200, in + 300, 100);
  cg::memcpy_async(block, room + 200, 56, in + 400, 56);
  cg::wait_prior<1>(block);
  sum += room[threadIdx.x % 100];
  cg::wait(block);
  out[threadIdx.x] = sum + room[200 + threadIdx.x % 56];
  // Threads leave the barrier one after another.
  if (threadIdx.x >= 128) {
    barrier.arrive_and_drop();
    return;
  }
  for (int k = 0; k < 4; ++k) {
    room[threadIdx.x] = k;
    barrier.arrive_and_wait();
    out[threadIdx.x] += room[127 - threadIdx.x];
    auto next = barrier.arrive();
    barrier.wait(std::move(next));
  }
}

int main() {
  const int n = 64;
  Buffer<float> a(corpus::floats(n * n)), b(corpus::floats(n * n, 5)), c(n * n);
  const dim3 grid(n / T, n / T), block(T, T);
  RUN(by_hand<<<grid, block>>>(a, b, c, n));
  corpus::show("hand", c.read());
  RUN(by_primitives<<<grid, block>>>(a, b, c, n));
  corpus::show("primitives", c.read());
  RUN(by_pipeline<1><<<grid, block>>>(a, b, c, n));
  corpus::show("one stage", c.read());
  RUN(by_pipeline<2><<<grid, block>>>(a, b, c, n));
  corpus::show("two stages", c.read());
  RUN(by_pipeline<4><<<grid, block>>>(a, b, c, n));
  corpus::show("four stages", c.read());
  Buffer<int> in(corpus::numbers(4096, 1000)), out(4096);
  Buffer<long long> wide(64);
  RUN(by_roles<<<1, 128>>>(in, wide, 20));
  corpus::show("roles", wide.read());
  RUN(by_bulk<<<1, 256>>>(in, out, 16));
  corpus::show("bulk", out.read());
  RUN(by_barrier<<<1, 256>>>(in, out));
  corpus::show("barrier", out.read());
  return 0;
}
