// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of a group into shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__global__ void staged(const int* in, int* out, int n) {
  __shared__ int stage[2][128];
  const auto block = cg::this_thread_block();
  int sum = 0;
  cg::memcpy_async(block, stage[0], in, sizeof(int) * 128);
  for (int i = 0; i < n; i += 128) {
    const int now = i / 128 % 2;
    if (i + 128 < n) {
      cg::memcpy_async(block, stage[1 - now], in + i + 128,
                       cuda::aligned_size_t<16>(sizeof(int) * 128));
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += stage[now][127 - threadIdx.x] * (i / 128 + 1);
    block.sync();
  }
  out[threadIdx.x] = sum;
}

__global__ void by_warps(const double* in, double* out) {
  __shared__ double stage[128];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  double* const mine = stage + warp.meta_group_rank() * 32;
  cg::memcpy_async(warp, mine, 32, in + warp.meta_group_rank() * 32, 30);
  cg::wait(warp);
  if (warp.thread_rank() >= 30) mine[warp.thread_rank()] = -1;
  warp.sync();
  out[threadIdx.x] = mine[31 - warp.thread_rank()];
}

int main() {
  Buffer<int> in(corpus::numbers(1024, 1000)), out(128);
  RUN(staged<<<1, 128>>>(in, out, 1024));
  corpus::show("block", out.read());
  std::vector<double> host(128);
  for (int i = 0; i < 128; ++i) host[i] = i * 0.5;
  Buffer<double> a(host), b(128);
  RUN(by_warps<<<1, 128>>>(a, b));
  corpus::show("warps", b.read());
  return 0;
}
