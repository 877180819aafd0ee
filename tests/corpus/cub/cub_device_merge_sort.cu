// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: a stable merge sort of structures.
#include <cub/device/device_merge_sort.cuh>

#include "../cub.hpp"

struct Item {
  int key;
  int index;
};
struct Less {
  __host__ __device__ bool operator()(const Item& a, const Item& b) const { return a.key < b.key; }
};

int main() {
  const int n = 12345;
  std::vector<Item> host(n);
  for (int i = 0; i < n; ++i) host[i] = {static_cast<int>(corpus::scramble(i) % 500), i};
  Buffer<Item> items(host);
  CUB(cub::DeviceMergeSort::StableSortKeys, items.get(), n, Less());
  const auto sorted = items.read();
  for (int i = 0; i < n; i += 2000) printf("%d %d\n", sorted[i].key, sorted[i].index);
  printf("%016llx\n", corpus::digest(sorted));
  return 0;
}
