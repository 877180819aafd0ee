// SPDX-License-Identifier: Apache-2.0
// Clusters of several blocks, which read and change each other's shared memory.
#include <cooperative_groups.h>

#include "../corpus.hpp"
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) exchange(int* out) {
  const auto cluster = cg::this_cluster();
  __shared__ int values[64];
  values[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  cluster.sync();
  const int* const other = cluster.map_shared_rank(values, cluster.block_rank() ^ 1);
  out[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x];
  cluster.sync();
}

__global__ void histogram(const int* in, int* bins, int n) {
  extern __shared__ int mine[];
  const auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i];
    atomicAdd(cluster.map_shared_rank(mine, bin / 64) + bin % 64, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * 64 + i], mine[i]);
}

int main() {
  Buffer<int> out(256), in(corpus::numbers(5000, 256)), bins(256);
  RUN(exchange<<<4, 64>>>(out));
  corpus::show("exchange", out.read());
  cudaLaunchConfig_t config{};
  config.gridDim = 8, config.blockDim = 96, config.dynamicSmemBytes = 256;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  config.attrs = &attribute, config.numAttrs = 1;
  RUN(corpus::check(
      cudaLaunchKernelEx(&config, histogram, static_cast<const int*>(in.get()), bins.get(), 5000)));
  corpus::show("bins", bins.read());
  return 0;
}
