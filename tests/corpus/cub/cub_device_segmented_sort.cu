// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: sorts many segments of every length.
#include <cub/device/device_segmented_sort.cuh>

#include "../cub.hpp"

int main() {
  const int n = 8000;
  std::vector<int> host{0, 1, 1, 4, 30, 62, 500, 2000, 2031, 8000};
  Buffer<int> in(corpus::numbers(n, 10000)), out(n), offsets(host);
  CUB(cub::DeviceSegmentedSort::SortKeys, in.get(), out.get(), n, 9, offsets.get(),
      offsets.get() + 1);
  corpus::show("sorted", out.read(), 30);
  return 0;
}
