// SPDX-License-Identifier: Apache-2.0
// CUB within a block: radix sort, merge sort, ranks, and exchanges of the items' order.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#include "../corpus.hpp"

__global__ void radix(const float* in, float* keys, int* values) {
  using Sort = cub::BlockRadixSort<float, 64, 4, int>;
  __shared__ typename Sort::TempStorage storage;
  float key[4];
  int value[4];
  for (int i = 0; i < 4; ++i) key[i] = in[threadIdx.x * 4 + i], value[i] = threadIdx.x * 4 + i;
  Sort(storage).SortDescending(key, value);
  for (int i = 0; i < 4; ++i)
    keys[threadIdx.x * 4 + i] = key[i], values[threadIdx.x * 4 + i] = value[i];
}

__global__ void merge(const float* in, float* out) {
  using Load = cub::BlockLoad<float, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<float, 64, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Sort = cub::BlockMergeSort<float, 64, 4>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } storage;
  float items[4];
  Load(storage.load).Load(in, items, 250, 1e9f);
  __syncthreads();
  Sort(storage.sort).Sort(items, [](float a, float b) { return a < b; });
  __syncthreads();
  Store(storage.store).Store(out, items, 250);
}

int main() {
  Buffer<float> in(corpus::floats(256)), keys(256);
  Buffer<int> values(256);
  RUN(radix<<<1, 64>>>(in, keys, values));
  corpus::show("keys", keys.read());
  corpus::show("values", values.read());
  RUN(merge<<<1, 64>>>(in, keys));
  corpus::show("merged", keys.read());
  return 0;
}
