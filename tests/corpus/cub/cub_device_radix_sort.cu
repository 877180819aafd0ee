// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: radix sorts of keys and pairs, small (one block) and large (several
// passes).
#include <cub/device/device_radix_sort.cuh>

#include "../cub.hpp"

int main() {
  const int n = 40009;
  std::vector<unsigned> host(n);
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) host[i] = corpus::scramble(i), order[i] = i;
  Buffer<unsigned> keys(host), sorted(n);
  Buffer<int> values(order), moved(n);
  CUB(cub::DeviceRadixSort::SortPairs, keys.get(), sorted.get(), values.get(), moved.get(), n);
  corpus::show("keys", sorted.read());
  corpus::show("values", moved.read());
  CUB(cub::DeviceRadixSort::SortPairs, keys.get(), sorted.get(), values.get(), moved.get(), 1500, 8,
      20);
  corpus::show("small", moved.read());
  return 0;
}
