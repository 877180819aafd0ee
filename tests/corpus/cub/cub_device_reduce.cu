// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: sums, extremes and their indices, and a user-defined operator.
#include <cub/device/device_reduce.cuh>

#include "../cub.hpp"

struct Multiply {
  __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return a * b; }
};

int main() {
  const int n = 70001;
  Buffer<int> in(corpus::numbers(n, 1000000)), out(4);
  CUB(cub::DeviceReduce::Sum, in.get(), out.get(), n);
  CUB(cub::DeviceReduce::Min, in.get(), out.get() + 1, n);
  CUB(cub::DeviceReduce::Max, in.get(), out.get() + 2, 1000);
  corpus::show("int", out.read());
  Buffer<cub::KeyValuePair<int, int>> where(1);
  CUB(cub::DeviceReduce::ArgMax, in.get(), where.get(), n);
  printf("at %d %d\n", where(0).key, where(0).value);
  Buffer<double> reals(std::vector<double>(5000, 0.25)), real(1);
  CUB(cub::DeviceReduce::Sum, reals.get(), real.get(), 5000);
  printf("double %g\n", real(0));
  std::vector<unsigned> odd(3000);
  for (unsigned i = 0; i < 3000; ++i) odd[i] = 2 * i + 1;
  Buffer<unsigned> factors(odd), product(1);
  CUB(cub::DeviceReduce::Reduce, factors.get(), product.get(), 3000, Multiply(), 1u);
  printf("product %u\n", product(0));
  return 0;
}
