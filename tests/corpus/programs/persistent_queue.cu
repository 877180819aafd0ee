// SPDX-License-Identifier: Apache-2.0
// Persistent kernels: blocks that take work from a queue and add more, blocks that hand over in
// order, hand-written barriers of the whole grid, a flag that another kernel sets.
#include <cooperative_groups.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

struct Queue {
  unsigned head, tail, pending, unused;
  unsigned items[1 << 16];
};

// A work item is a number; one above 20 adds two smaller ones to the queue.
__global__ void workers(Queue* q, unsigned long long* sum) {
  __shared__ unsigned item;
  while (true) {
    if (threadIdx.x == 0) {
      item = 0;
      while (true) {
        const unsigned head = atomicAdd(&q->head, 0u);
        const unsigned tail = *reinterpret_cast<volatile unsigned*>(&q->tail);
        if (head < tail && atomicCAS(&q->head, head, head + 1) == head) {
          volatile unsigned* const cell = &q->items[head];
          while ((item = *cell) == 0) {
          }
          break;
        }
        if (*reinterpret_cast<volatile unsigned*>(&q->pending) == 0) break;
      }
    }
    __syncthreads();
    const unsigned mine = item;
    __syncthreads();
    if (mine == 0) return;
    if (threadIdx.x < mine % 32)
      atomicAdd(sum, static_cast<unsigned long long>(mine) * threadIdx.x);
    if (threadIdx.x == 0) {
      if (mine > 20) {
        atomicAdd(&q->pending, 2u);
        for (unsigned child : {mine / 2, mine / 3}) {
          const unsigned at = atomicAdd(&q->tail, 1u);
          __threadfence();
          atomicExch(&q->items[at], child);
        }
      }
      __threadfence();
      atomicSub(&q->pending, 1u);
    }
  }
}

// Each block waits for the previous one.
__global__ void in_order(volatile int* turn, unsigned* hash) {
  if (threadIdx.x == 0) {
    while (*turn != static_cast<int>(blockIdx.x)) {
    }
    __threadfence();
    *hash = *hash * 31 + blockIdx.x;
    __threadfence();
    *turn = blockIdx.x + 1;
  }
}

__device__ unsigned arrived = 0;
__device__ volatile unsigned sense = 0;
__device__ void all_blocks() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned old = sense;
    __threadfence();
    if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      sense = old + 1;
    } else {
      while (sense == old) __nanosleep(20);
    }
    __threadfence();
  }
  __syncthreads();
}
__global__ void jacobi(float* a, float* b, int n, int steps) {
  for (int s = 0; s < steps; ++s) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * a[i - 1] + 0.5f * a[i + 1];
    all_blocks();
    float* const t = a;
    a = b, b = t;
  }
}
__global__ void cooperative(int* data, int n, int* out) {
  const auto grid = cg::this_grid();
  for (int stride = 1; stride < n; stride *= 2) {
    int add = 0;
    const int i = grid.thread_rank();
    if (i >= stride && i < n) add = data[i - stride];
    grid.sync();
    if (i < n) data[i] += add;
    grid.sync();
  }
  auto token = grid.barrier_arrive();
  const int mine = grid.block_rank();
  grid.barrier_wait(std::move(token));
  if (grid.thread_rank() == 0) *out = data[n - 1] + grid.num_blocks() + mine;
}

__global__ void waits(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out = *flag + 1;
}
__global__ void sets(volatile int* flag) { *flag = 41; }

// A single-pass prefix sum: each block looks back at what earlier blocks have published.
__global__ void look_back(const int* in, int* out, unsigned long long* told, unsigned* ticket) {
  __shared__ int warp_sums[4];
  __shared__ unsigned mine;
  __shared__ int before;
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
  __syncthreads();
  const int i = mine * 128 + threadIdx.x, lane = threadIdx.x % 32, w = threadIdx.x / 32;
  int v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const int o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) warp_sums[w] = v;
  __syncthreads();
  for (int k = 0; k < w; ++k) v += warp_sums[k];
  if (threadIdx.x == 127) {
    __threadfence();
    atomicExch(&told[mine], 1ull << 32 | static_cast<unsigned>(v));
  }
  if (threadIdx.x < 32) {
    int sum = 0;
    for (int at = static_cast<int>(mine) - 1; at >= 0;) {
      const int k = at - lane;
      unsigned long long seen = 2ull << 32;
      if (k >= 0) do
          seen = *reinterpret_cast<volatile unsigned long long*>(&told[k]);
        while (seen >> 32 == 0);
      const unsigned complete = __ballot_sync(~0u, seen >> 32 == 2);
      const int last = __ffs(complete) - 1;
      int part = last < 0 || lane <= last ? static_cast<int>(seen) : 0;
      sum += __reduce_add_sync(~0u, part);
      if (complete) break;
      at -= 32;
    }
    if (lane == 0) before = sum;
  }
  __syncthreads();
  v += before;
  out[i] = v;
  if (threadIdx.x == 127) {
    __threadfence();
    atomicExch(&told[mine], 2ull << 32 | static_cast<unsigned>(v));
  }
}

int main() {
  Buffer<Queue> queue(1);
  Buffer<unsigned long long> sum(1);
  std::vector<unsigned> begin{0, 40, 40, 0};
  for (int i = 0; i < 40; ++i) begin.push_back(1000 + i * 7);
  CHECK(cudaMemcpy(queue, begin.data(), begin.size() * 4, cudaMemcpyHostToDevice));
  RUN(workers<<<24, 64>>>(queue, sum));
  printf("work %llu\n", sum(0));
  Buffer<int> turn(4);
  Buffer<unsigned> hash(1);
  RUN(in_order<<<300, 32>>>(turn, hash));
  printf("order %u\n", hash(0));
  Buffer<float> a(corpus::floats(1000)), b(1000);
  RUN(jacobi<<<12, 96>>>(a, b, 1000, 20));
  corpus::show("jacobi", a.read());
  Buffer<int> data(corpus::numbers(2000, 50)), out(4096);
  int* pointer = data;
  int n = 2000;
  int* result = out;
  void* arguments[] = {&pointer, &n, &result};
  RUN(corpus::check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperative), dim3(16),
                                                dim3(128), arguments, 0, nullptr)));
  printf("cooperative %d\n", out(0));
  cudaStream_t s, t;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  // Loads the kernel now, since loading may require that nothing else runs.
  RUN(sets<<<1, 1>>>(turn.get() + 2));
  waits<<<1, 1, 0, s>>>(turn.get() + 1, out);
  sets<<<1, 1, 0, t>>>(turn.get() + 1);
  CHECK(cudaDeviceSynchronize());
  printf("flag %d\n", out(0));
  Buffer<int> in(corpus::numbers(4096, 1000));
  Buffer<unsigned long long> told(32);
  CHECK(cudaMemset(hash, 0, 4));
  RUN(look_back<<<32, 128>>>(in, out, told, hash));
  corpus::show("look back", out.read());
  return 0;
}
