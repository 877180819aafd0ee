// SPDX-License-Identifier: Apache-2.0
// CUB within a block: histograms, discontinuities, differences, exchanges, shuffles; and within
// warps.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "../corpus.hpp"

__global__ void histogram(const int* in, int* out) {
  using Atomic = cub::BlockHistogram<unsigned char, 64, 2, 32, cub::BLOCK_HISTO_ATOMIC>;
  using Sorted = cub::BlockHistogram<unsigned char, 64, 2, 32, cub::BLOCK_HISTO_SORT>;
  __shared__ union {
    typename Atomic::TempStorage atomic;
    typename Sorted::TempStorage sorted;
  } storage;
  __shared__ int bins[32];
  unsigned char items[2] = {static_cast<unsigned char>(in[threadIdx.x] % 32),
                            static_cast<unsigned char>(in[64 + threadIdx.x] % 32)};
  Atomic(storage.atomic).Histogram(items, bins);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];
  __syncthreads();
  Sorted(storage.sorted).Histogram(items, bins);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = out[threadIdx.x] * 100 + bins[threadIdx.x];
}

__global__ void neighbours(const int* in, int* out) {
  using Differ = cub::BlockDiscontinuity<int, 64>;
  using Minus = cub::BlockAdjacentDifference<int, 64>;
  using Exchange = cub::BlockExchange<int, 64, 3>;
  using Shuffle = cub::BlockShuffle<int, 64>;
  __shared__ typename Differ::TempStorage differ;
  __shared__ typename Minus::TempStorage minus;
  __shared__ typename Exchange::TempStorage exchange;
  __shared__ typename Shuffle::TempStorage shuffle;
  int items[3], flags[3], differences[3], next;
  for (int i = 0; i < 3; ++i) items[i] = in[threadIdx.x * 3 + i] % 4;
  Differ(differ).FlagHeads(flags, items, [](int a, int b) { return a != b; });
  Minus(minus).SubtractLeft(items, differences, [](int a, int b) { return a - b; });
  Shuffle(shuffle).Offset(items[0], next, 1);
  Exchange(exchange).BlockedToStriped(items, items);
  for (int i = 0; i < 3; ++i)
    out[threadIdx.x * 3 + i] =
        items[i] * 1000 + flags[i] * 100 + differences[i] + next * (threadIdx.x < 63);
}

__global__ void warps(const int* in, int* out) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  using Sort = cub::WarpMergeSort<int, 2, 32>;
  __shared__ typename Reduce::TempStorage reduce[4];
  __shared__ typename Scan::TempStorage scan[2];
  __shared__ typename Sort::TempStorage sort[2];
  const int t = threadIdx.x, v = in[t];
  const int sum = Reduce(reduce[t / 16]).Sum(v);
  const int head = Reduce(reduce[t / 16]).HeadSegmentedSum(v, t % 5 == 0);
  int before, total;
  Scan(scan[t / 32]).ExclusiveSum(v, before, total);
  int items[2] = {v, in[t + 64]};
  Sort(sort[t / 32]).Sort(items, [](int a, int b) { return a > b; });
  out[t] = (t % 16 == 0 ? sum : 0) + before * 3 + total * 5;
  out[t + 64] = items[0] * 1000 + items[1];
  out[t + 128] = t % 16 == 0 || t % 5 == 0 ? head : 0;
}

int main() {
  Buffer<int> in(corpus::numbers(192, 1000)), out(192);
  RUN(histogram<<<1, 64>>>(in, out));
  corpus::show("histogram", out.read());
  RUN(neighbours<<<1, 64>>>(in, out));
  corpus::show("neighbours", out.read());
  RUN(warps<<<1, 64>>>(in, out));
  corpus::show("warps", out.read());
  return 0;
}
