// SPDX-License-Identifier: Apache-2.0
// Warps in which only some lanes take part: shuffles with widths and masks, sums, matches and votes
// of subsets, exited lanes, __syncwarp() after divergence.
#include <algorithm>

#include "../corpus.hpp"

__global__ void widths(int* out) {
  const int t = threadIdx.x;
  int r = 0;
  for (int width = 2; width <= 32; width *= 2) {
    r = r * 3 + __shfl_sync(~0u, t, 5, width);
    r = r * 3 + __shfl_up_sync(~0u, t * 2, 1, width);
    r = r * 3 + __shfl_down_sync(~0u, t * 3, width / 2, width);
    r = r * 3 + __shfl_xor_sync(~0u, t * 5, width - 1, width);
    r = r * 3 + __shfl_sync(~0u, t, t * 7 - 40, width);
    r = r * 3 + __shfl_up_sync(~0u, t, 33, width);
  }
  out[t] = r;
}

template <typename T>
__device__ T moved(T v) {
  return static_cast<T>(__shfl_xor_sync(~0u, v, 3) + __shfl_down_sync(~0u, v, 2, 8));
}
__global__ void types(double* out) {
  const int t = threadIdx.x;
  out[t] = moved(t * 1.5f) + moved(t * 0.25) + moved(static_cast<long long>(t) << 40) * 1e-12 +
           moved(static_cast<unsigned long long>(t)) + moved(static_cast<unsigned>(t) * 7) +
           moved(static_cast<long>(-t));
}

__global__ void halves(int* out) {
  const int t = threadIdx.x;
  int r;
  if (t % 2)
    r = __shfl_sync(0xaaaaaaaau, t * 10, (t + 2) % 32);
  else
    r = __shfl_down_sync(0x55555555u, t * 100, 2);
  if (t < 7) r += __reduce_add_sync(0x7f, r);
  __syncwarp();
  if (t >= 20) {
    const unsigned mask = 0xfff00000u;
    r += __reduce_max_sync(mask, t) + __reduce_min_sync(mask, static_cast<unsigned>(t)) * 3 +
         static_cast<int>(__reduce_xor_sync(mask, static_cast<unsigned>(t) * 77) & 1023) +
         static_cast<int>(__reduce_or_sync(mask, 1u << t % 10)) +
         static_cast<int>(__reduce_and_sync(mask, ~(1u << t % 5)) & 0xff);
    r += __all_sync(mask, t > 19) + 2 * __any_sync(mask, t == 25) +
         4 * (__ballot_sync(mask, t % 3 == 0) >> 20);
  }
  out[t] = r;
}

__global__ void matches(const int* in, unsigned* out) {
  const int t = threadIdx.x;
  int all;
  unsigned r = __match_any_sync(~0u, in[t] % 4);
  r ^= __match_any_sync(~0u, static_cast<long long>(in[t] % 3) << 33) * 5;
  r += __match_all_sync(~0u, in[t], &all) + all;
  r += __match_all_sync(~0u, 7.5, &all) * 3 + all;
  if (in[t] % 2) {
    const unsigned here = __activemask();
    const unsigned peers = __match_any_sync(here, in[t] % 5);
    r += __popc(peers) * 100 + (__ffs(peers) - 1 == t);
  }
  out[t] = r;
}

// Each distinct value is handled once, by its first lane.
__global__ void leaders(const int* in, int* count, int* out) {
  const int t = threadIdx.x;
  const int key = in[t] % 6;
  unsigned left = ~0u;
  int turn = 0;
  while (true) {
    const int leader = __ffs(left) - 1;
    const int chosen = __shfl_sync(left, key, leader);
    const bool mine = key == chosen;
    const unsigned group = __ballot_sync(left, mine);
    if (mine) {
      if (t == leader) atomicAdd(&count[key], __popc(group));
      break;
    }
    left ^= group;
    ++turn;
  }
  __syncwarp();
  out[t] = turn;
}

// Reserves places for the lanes that want one, with one atomic addition per group.
__device__ int places(int* counter) {
  const unsigned here = __activemask();
  const int lane = threadIdx.x % 32, leader = __ffs(here) - 1;
  int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(here));
  return __shfl_sync(here, first, leader) + __popc(here & ((1u << lane) - 1));
}
__global__ void compact(const int* in, int* counter, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (in[i] % 3 == 0) out[places(counter)] = in[i];
}

__global__ void left_early(const int* in, int* out) {
  const int t = threadIdx.x;
  const unsigned mask = __ballot_sync(~0u, t % 4 != 1);
  if (t % 4 == 1) return;
  int v = in[t];
  for (int offset = 16; offset; offset /= 2) {
    const int other = __shfl_xor_sync(mask, v, offset & ~3);
    v = max(v, offset > 3 ? other : v);
  }
  const unsigned some = __ballot_sync(mask, v % 2);
  if (v % 2) {
    out[t] = __reduce_add_sync(some, in[t]);
    return;
  }
  __syncwarp(mask & ~some);
  out[t] = -static_cast<int>(__popc(__ballot_sync(mask & ~some, in[t] > 50)));
}

// Lanes exchange values through memory in turns separated by __syncwarp().
__global__ void by_memory(int* out) {
  __shared__ int volatile cells[64];
  const int t = threadIdx.x, lane = t % 32, base = t & ~31;
  cells[t] = t;
  __syncwarp();
  for (int turn = 0; turn < 10; ++turn) {
    int v;
    if (lane < 16)
      v = cells[base + (lane * 3 + turn) % 32];
    else
      v = cells[base + 31 - lane] * 2;
    __syncwarp();
    cells[t] = (v + turn) % 1000;
    __syncwarp();
  }
  out[t] = cells[t];
}

__global__ void scans(const int* in, int* out) {
  const int t = threadIdx.x, lane = t % 32;
  int inclusive = in[t], segmented = in[t];
  const unsigned heads = __ballot_sync(~0u, in[t] % 5 == 0) | 1;
  const int start = 31 - __clz(heads & (~0u >> (31 - lane)));
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int a = __shfl_up_sync(~0u, inclusive, d), b = __shfl_up_sync(~0u, segmented, d);
    if (lane >= d) inclusive += a;
    if (lane - d >= start) segmented += b;
  }
  out[t] = inclusive * 1000 + segmented;
}

__global__ void bitonic(int* data) {
  const int lane = threadIdx.x;
  int v = data[lane];
  for (int size = 2; size <= 32; size *= 2)
    for (int d = size / 2; d; d /= 2) {
      const int other = __shfl_xor_sync(~0u, v, d);
      const bool up = (lane & size) == 0, low = (lane & d) == 0;
      v = up == low ? min(v, other) : max(v, other);
    }
  data[lane] = v;
}

__global__ void barriers(const int* in, int* out) {
  const int t = threadIdx.x;
  int r = __syncthreads_count(in[t] % 3 == 0) * 10000;
  r += __syncthreads_and(in[t] >= 0) * 100 + __syncthreads_or(in[t] > 98) * 10;
  for (int k = 0; k < 4; ++k) {
    // The whole block decides, so all threads wait here or none do.
    if (__syncthreads_or(in[t] == k * 7)) {
      r += k;
      __syncthreads();
    }
  }
  if (t < 64)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("barrier.sync 2, 32;");
  if (t < 32)
    asm volatile("bar.arrive 3, 96;");
  else
    asm volatile("bar.sync 3, 96;");
  out[t] = r;
}

int main() {
  Buffer<int> in(corpus::numbers(1024, 100)), out(1024), counter(8);
  Buffer<double> wide(32);
  Buffer<unsigned> masks(32);
  RUN(widths<<<1, 32>>>(out));
  corpus::show("widths", out.read());
  RUN(types<<<1, 32>>>(wide));
  corpus::show("types", wide.read());
  RUN(halves<<<1, 32>>>(out));
  corpus::show("halves", out.read());
  RUN(matches<<<1, 32>>>(in, masks));
  corpus::show("matches", masks.read());
  RUN(leaders<<<1, 32>>>(in, counter, out));
  corpus::show("leaders", counter.read());
  corpus::show("turns", out.read());
  counter.write({0});
  RUN(compact<<<3, 96>>>(in, counter, out, 1024));
  auto kept = out.read();
  kept.resize(counter(0));
  std::sort(kept.begin(), kept.end());
  corpus::show("kept", kept);
  CHECK(cudaMemset(out, 0, 4096));
  RUN(left_early<<<1, 32>>>(in, out));
  corpus::show("left", out.read());
  RUN(by_memory<<<1, 64>>>(out));
  corpus::show("memory", out.read());
  RUN(scans<<<1, 128>>>(in, out));
  corpus::show("scans", out.read());
  RUN(barriers<<<1, 96>>>(in, out));
  corpus::show("barriers", out.read());
  RUN(bitonic<<<1, 32>>>(in));
  corpus::show("sorted", in.read());
  return 0;
}
