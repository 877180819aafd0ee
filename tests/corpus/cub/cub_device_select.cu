// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: selection by flags and by a condition, unique neighbours, two-way
// partitions.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "../cub.hpp"

struct Even {
  __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};

int main() {
  const int n = 20011;
  Buffer<int> in(corpus::numbers(n, 10)), out(n), count(1);
  std::vector<char> host(n);
  for (int i = 0; i < n; ++i) host[i] = corpus::scramble(i + 5) % 3 == 0;
  Buffer<char> flags(host);
  CUB(cub::DeviceSelect::Flagged, in.get(), flags.get(), out.get(), count.get(), n);
  printf("%d ", count(0));
  corpus::show("flagged", out.read());
  CUB(cub::DeviceSelect::If, in.get(), out.get(), count.get(), n, Even());
  printf("%d ", count(0));
  corpus::show("even", out.read());
  CUB(cub::DeviceSelect::Unique, in.get(), out.get(), count.get(), n);
  printf("%d ", count(0));
  corpus::show("unique", out.read());
  CUB(cub::DevicePartition::If, in.get(), out.get(), count.get(), n, Even());
  printf("%d ", count(0));
  corpus::show("partition", out.read());
  return 0;
}
