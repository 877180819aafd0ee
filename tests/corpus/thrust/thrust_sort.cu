// SPDX-License-Identifier: Apache-2.0
// Thrust: sorting numbers, with a user-defined comparison, and values by keys.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include "../corpus.hpp"

struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int main() {
  const auto host = corpus::numbers(9000, 100000);
  thrust::device_vector<int> v(host.begin(), host.end()), w = v;
  RUN(thrust::sort(v.begin(), v.end()));
  std::vector<int> out(v.size());
  thrust::copy(v.begin(), v.end(), out.begin());
  corpus::show("sorted", out);
  RUN(thrust::stable_sort(w.begin(), w.end(), ByLastDigit()));
  thrust::copy(w.begin(), w.end(), out.begin());
  corpus::show("digits", out);
  return 0;
}
