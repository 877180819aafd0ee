// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: prefix sums, also by key and with a user-defined operator.
#include <cub/device/device_scan.cuh>

#include "../cub.hpp"

struct Most {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

int main() {
  const int n = 50003;
  Buffer<int> in(corpus::numbers(n, 100)), out(n);
  CUB(cub::DeviceScan::ExclusiveSum, in.get(), out.get(), n);
  corpus::show("exclusive", out.read());
  CUB(cub::DeviceScan::InclusiveScan, in.get(), out.get(), Most(), n);
  corpus::show("most", out.read());
  std::vector<int> keys(n);
  for (int i = 0; i < n; ++i) keys[i] = i / 37;
  Buffer<int> key(keys);
  CUB(cub::DeviceScan::InclusiveSumByKey, key.get(), in.get(), out.get(), n);
  corpus::show("by key", out.read());
  Buffer<double> d(std::vector<double>(9000, 0.5)), e(9000);
  CUB(cub::DeviceScan::InclusiveSum, d.get(), e.get(), 9000);
  corpus::show("double", e.read());
  return 0;
}
