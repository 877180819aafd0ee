// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: a radix sort of floating-point keys in descending order.
#include <cub/device/device_radix_sort.cuh>

#include "../cub.hpp"

int main() {
  const int n = 30000;
  Buffer<float> keys(corpus::floats(n)), sorted(n);
  CUB(cub::DeviceRadixSort::SortKeysDescending, keys.get(), sorted.get(), n);
  corpus::show("floats", sorted.read());
  return 0;
}
