// SPDX-License-Identifier: Apache-2.0
// CUB within a block: reductions and prefix sums by each algorithm, of numbers and of structures.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "../corpus.hpp"

template <cub::BlockReduceAlgorithm algorithm>
__global__ void reduce(const int* in, int* out, int valid) {
  using Reduce = cub::BlockReduce<int, 128, algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  int items[3] = {in[threadIdx.x * 3], in[threadIdx.x * 3 + 1], in[threadIdx.x * 3 + 2]};
  const int sum = Reduce(storage).Sum(items);
  __syncthreads();
  const int most = Reduce(storage).Reduce(
      items[0], [](int a, int b) { return a > b ? a : b; }, valid);
  if (threadIdx.x == 0) out[0] = sum, out[1] = most;
}

struct Line {
  int slope, offset;
};
struct Compose {
  __device__ Line operator()(Line a, Line b) const {
    return {a.slope * b.slope, a.offset * b.slope + b.offset};
  }
};

template <cub::BlockScanAlgorithm algorithm>
__global__ void scan(const int* in, int* out) {
  using Scan = cub::BlockScan<int, 96, algorithm>;
  using Lines = cub::BlockScan<Line, 96, algorithm>;
  __shared__ union {
    typename Scan::TempStorage numbers;
    typename Lines::TempStorage lines;
  } storage;
  int items[2] = {in[threadIdx.x * 2], in[threadIdx.x * 2 + 1]}, total;
  Scan(storage.numbers).ExclusiveSum(items, items, total);
  __syncthreads();
  Line line = {in[threadIdx.x] % 3 + 1, in[threadIdx.x]};
  Lines(storage.lines).InclusiveScan(line, line, Compose());
  out[threadIdx.x * 2] = items[0] + total,
                    out[threadIdx.x * 2 + 1] = items[1] + line.slope + line.offset;
}

int main() {
  Buffer<int> in(corpus::numbers(384, 1000)), out(192);
  RUN(reduce<cub::BLOCK_REDUCE_RAKING><<<1, 128>>>(in, out, 100));
  printf("raking %d %d\n", out(0), out(1));
  RUN(reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<1, 128>>>(in, out, 77));
  printf("commutative %d %d\n", out(0), out(1));
  RUN(reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, 128>>>(in, out, 33));
  printf("warps %d %d\n", out(0), out(1));
  RUN(scan<cub::BLOCK_SCAN_RAKING><<<1, 96>>>(in, out));
  corpus::show("raking", out.read());
  RUN(scan<cub::BLOCK_SCAN_WARP_SCANS><<<1, 96>>>(in, out));
  corpus::show("warps", out.read());
  return 0;
}
