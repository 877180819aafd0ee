// SPDX-License-Identifier: Apache-2.0
// CUB within blocks and warps: exchanges, ranks, neighbours, shuffles, run-length decoding, loads
// and stores of every kind, warps that sort, scan and reduce.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>

#include <cuda/functional>
#include <cuda/std/functional>

#include "../corpus.hpp"

constexpr int threads = 96, items = 4;

template <cub::BlockLoadAlgorithm load, cub::BlockStoreAlgorithm store>
__global__ void load_store(const int* in, int* out, int n) {
  using Load = cub::BlockLoad<int, threads, items, load>;
  using Store = cub::BlockStore<int, threads, items, store>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } room;
  int mine[items];
  Load(room.load).Load(in, mine, n, -1);
  __syncthreads();
  for (int k = 0; k < items; ++k) mine[k] = mine[k] * 2 + threadIdx.x;
  Store(room.store).Store(out, mine, n - 3);
}

__global__ void exchanges(const int* in, int* out) {
  using Exchange = cub::BlockExchange<int, threads, items>;
  __shared__ typename Exchange::TempStorage room;
  int mine[items], ranks[items];
  for (int k = 0; k < items; ++k)
    mine[k] = in[threadIdx.x * items + k],
    ranks[k] = (threadIdx.x * items + k) * 5 % (threads * items);
  Exchange(room).BlockedToStriped(mine, mine);
  __syncthreads();
  mine[1] += 3;
  Exchange(room).StripedToBlocked(mine, mine);
  __syncthreads();
  Exchange(room).BlockedToWarpStriped(mine, mine);
  __syncthreads();
  mine[2] *= 2;
  Exchange(room).WarpStripedToBlocked(mine, mine);
  __syncthreads();
  Exchange(room).ScatterToBlocked(mine, mine, ranks);
  __syncthreads();
  Exchange(room).ScatterToStriped(mine, mine, ranks);
  for (int k = 0; k < items; ++k) out[k * threads + threadIdx.x] = mine[k];
}

__global__ void neighbours(const int* in, int* out) {
  using Discontinuity = cub::BlockDiscontinuity<int, threads>;
  using Difference = cub::BlockAdjacentDifference<int, threads>;
  using Shuffle = cub::BlockShuffle<int, threads>;
  __shared__ union {
    typename Discontinuity::TempStorage discontinuity;
    typename Difference::TempStorage difference;
    typename Shuffle::TempStorage shuffle;
  } room;
  int mine[items], heads[items], tails[items], left[items], right[items], up[items];
  for (int k = 0; k < items; ++k) mine[k] = in[threadIdx.x * items + k] / 20;
  Discontinuity(room.discontinuity)
      .FlagHeadsAndTails(heads, tails, mine, cuda::std::not_equal_to<int>());
  __syncthreads();
  Difference(room.difference).SubtractLeft(mine, left, cuda::std::minus<int>());
  __syncthreads();
  Difference(room.difference).SubtractRight(mine, right, [](int a, int b) { return a * 3 - b; });
  __syncthreads();
  int suffix;
  Shuffle(room.shuffle).Up(mine, up, suffix);
  __syncthreads();
  int rotated;
  Shuffle(room.shuffle).Rotate(mine[0], rotated, 7);
  __syncthreads();
  int offset = 0;
  Shuffle(room.shuffle).Offset(mine[1], offset, 3);
  for (int k = 0; k < items; ++k)
    out[threadIdx.x * items + k] = heads[k] + 2 * tails[k] + left[k] * 10 + right[k] * 100 +
                                   up[k] * 1000 + rotated + suffix + offset;
}

__global__ void ranks(const unsigned* in, int* out) {
  using Rank = cub::BlockRadixRank<128, 4, false>;
  __shared__ typename Rank::TempStorage room;
  unsigned keys[items];
  int places[items];
  for (int k = 0; k < items; ++k) keys[k] = in[threadIdx.x * items + k];
  Rank(room).RankKeys(keys, places, cub::BFEDigitExtractor<unsigned>(2, 4));
  for (int k = 0; k < items; ++k) out[threadIdx.x * items + k] = places[k];
}

__global__ void runs(const int* in, int* out, int* total) {
  using Decode = cub::BlockRunLengthDecode<int, 64, 2, 4>;
  __shared__ typename Decode::TempStorage room;
  int values[2], lengths[2];
  for (int k = 0; k < 2; ++k)
    values[k] = in[threadIdx.x * 2 + k], lengths[k] = in[200 + threadIdx.x * 2 + k] % 5 + 1;
  unsigned size = 0;
  Decode decode(room, values, lengths, size);
  for (unsigned from = 0; from < size; from += 64 * 4) {
    int mine[4];
    unsigned offsets[4];
    decode.RunLengthDecode(mine, offsets, from);
    for (int k = 0; k < 4; ++k)
      if (from + threadIdx.x * 4 + k < size)
        out[from + threadIdx.x * 4 + k] = mine[k] * 10 + offsets[k];
  }
  if (threadIdx.x == 0) *total = size;
}

template <int Width>
__global__ void warps(const int* in, int* out) {
  constexpr int count = 128 / Width;
  using Sort = cub::WarpMergeSort<int, items, Width>;
  using Reduce = cub::WarpReduce<int, Width>;
  using Scan = cub::WarpScan<int, Width>;
  using Exchange = cub::WarpExchange<int, items, Width>;
  using Load = cub::WarpLoad<int, items, cub::WARP_LOAD_TRANSPOSE, Width>;
  using Store = cub::WarpStore<int, items, cub::WARP_STORE_TRANSPOSE, Width>;
  __shared__ typename Sort::TempStorage sort[count];
  __shared__ typename Reduce::TempStorage reduce[count];
  __shared__ typename Scan::TempStorage scan[count];
  __shared__ typename Exchange::TempStorage exchange[count];
  __shared__ typename Load::TempStorage load[count];
  __shared__ typename Store::TempStorage store[count];
  const int w = threadIdx.x / Width, lane = threadIdx.x % Width;
  int mine[items];
  Load(load[w]).Load(in + w * Width * items, mine);
  Sort(sort[w]).Sort(mine, [](int a, int b) { return a % 10 != b % 10 ? a % 10 < b % 10 : a > b; });
  int sum = Reduce(reduce[w]).Sum(mine[0]);
  __syncwarp();
  int most = Reduce(reduce[w]).Reduce(
      mine[1], [](int a, int b) { return a > b ? a : b; }, Width - 2);
  __syncwarp();
  const int tail = Reduce(reduce[w]).TailSegmentedSum(mine[2], mine[2] % 3 == 0);
  __syncwarp();
  int inclusive, exclusive, total;
  Scan(scan[w]).InclusiveSum(mine[3], inclusive, total);
  __syncwarp();
  Scan(scan[w]).ExclusiveScan(mine[3], exclusive, 5, [](int a, int b) { return a * 3 + b; });
  __syncwarp();
  const int told = Scan(scan[w]).Broadcast(mine[0], 2);
  Exchange(exchange[w]).BlockedToStriped(mine, mine);
  __syncwarp();
  Store(store[w]).Store(out + w * Width * items, mine);
  if (lane) sum = most = 0;
  out[512 + threadIdx.x] =
      sum + most * 3 + inclusive * 5 + exclusive % 1000 + total + told + (lane == 0 ? tail : 0);
}

int main() {
  Buffer<int> in(corpus::numbers(1024, 100)), out(1024);
  const auto show = [&](const char* name) {
    corpus::show(name, out.read());
    CHECK(cudaMemset(out, 0, 4096));
  };
  RUN(load_store<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_TRANSPOSE><<<1, threads>>>(in, out, 380));
  show("direct");
  RUN(load_store<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>
      <<<1, threads>>>(in, out, 384));
  show("vectors");
  RUN(load_store<cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
                 cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED><<<1, threads>>>(in, out, 300));
  show("in turns");
  RUN(exchanges<<<1, threads>>>(in, out));
  show("exchanges");
  RUN(neighbours<<<1, threads>>>(in, out));
  show("neighbours");
  std::vector<unsigned> keys(512);
  for (int i = 0; i < 512; ++i) keys[i] = corpus::scramble(i);
  RUN(ranks<<<1, 128>>>(Buffer<unsigned>(keys), out));
  show("ranks");
  Buffer<int> total(1);
  RUN(runs<<<1, 64>>>(in, out, total));
  printf("%d of runs\n", total(0));
  show("runs");
  RUN(warps<32><<<1, 128>>>(in, out));
  show("32 lanes");
  RUN(warps<8><<<1, 128>>>(in, out));
  show("8 lanes");
  return 0;
}
