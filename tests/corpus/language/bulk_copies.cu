// SPDX-License-Identifier: Apache-2.0
// Bulk copies that a barrier counts: a group's copy into shared memory, and copies back by the bulk
// instructions.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "../corpus.hpp"
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void by_group(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int stage[2][256];
  __shared__ Barrier barriers[2];
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barriers[0], block.size()), init(&barriers[1], block.size());
  block.sync();
  cuda::memcpy_async(block, stage[0], in, cuda::aligned_size_t<16>(1024), barriers[0]);
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles)
      cuda::memcpy_async(block, stage[(i + 1) % 2], in + (i + 1) * 256,
                         cuda::aligned_size_t<16>(1024), barriers[(i + 1) % 2]);
    barriers[i % 2].arrive_and_wait();
    sum = sum * 3 + stage[i % 2][255 - block.thread_rank()];
    block.sync();
  }
  out[block.thread_rank()] = sum;
}

__global__ void by_one_thread(const int* in, int* out) {
  __shared__ alignas(128) int stage[256];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(stage, in, cuda::aligned_size_t<16>(sizeof stage), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof stage);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(cuda::std::move(token));
  stage[threadIdx.x] = stage[threadIdx.x] * 2 + 1;
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, stage,
                             sizeof stage);
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
  }
}

int main() {
  Buffer<int> in(corpus::numbers(256 * 6, 1000)), out(256);
  RUN(by_group<<<1, 256>>>(in, out, 6));
  corpus::show("group", out.read());
  RUN(by_one_thread<<<1, 256>>>(in, out));
  corpus::show("thread", out.read());
  return 0;
}
