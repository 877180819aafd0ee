// SPDX-License-Identifier: Apache-2.0
// Clusters of one block: launched as a cluster; its barrier, ranks and shared memory are those of
// the block.
#include <cooperative_groups.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(1, 1, 1) fixed(int* out) {
  const auto cluster = cg::this_cluster();
  __shared__ int value;
  if (threadIdx.x == 0) value = blockIdx.x * 10;
  cluster.sync();
  int* const other = cluster.map_shared_rank(&value, 0);
  out[blockIdx.x * 32 + threadIdx.x] =
      *other + cluster.thread_rank() + cluster.num_blocks() * 100 + cluster.block_rank();
}

__global__ void chosen(int* out) {
  const auto cluster = cg::this_cluster();
  cluster.barrier_arrive();
  out[cg::this_grid().thread_rank()] += cluster.dim_blocks().x + cluster.num_threads() * 3;
  cluster.barrier_wait();
}

int main() {
  Buffer<int> out(128);
  RUN(fixed<<<4, 32>>>(out));
  corpus::show("fixed", out.read());
  cudaLaunchConfig_t config{};
  config.gridDim = 4, config.blockDim = 32;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {1, 1, 1};
  config.attrs = &attribute, config.numAttrs = 1;
  RUN(corpus::check(cudaLaunchKernelEx(&config, chosen, out.get())));
  corpus::show("chosen", out.read());
  return 0;
}
