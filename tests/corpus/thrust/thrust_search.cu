// SPDX-License-Identifier: Apache-2.0
// Thrust: bounds, gather, scatter, partition, remove, replace, fill.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/gather.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/scatter.h>

#include "../corpus.hpp"

struct Odd {
  __host__ __device__ bool operator()(int v) const { return v % 2; }
};

int main() {
  std::vector<int> sorted(2000);
  for (int i = 0; i < 2000; ++i) sorted[i] = i * 3;
  const auto q = corpus::numbers(1000, 6000);
  thrust::device_vector<int> a(sorted.begin(), sorted.end()), b(q.begin(), q.end()), c(1000),
      d(6000);
  std::vector<int> host(1000);
  RUN(thrust::lower_bound(a.begin(), a.end(), b.begin(), b.end(), c.begin()));
  thrust::copy(c.begin(), c.end(), host.begin());
  corpus::show("bounds", host);
  thrust::fill(d.begin(), d.end(), 7);
  RUN(thrust::gather(thrust::device, c.begin(), c.begin() + 900, a.begin(), d.begin()));
  thrust::copy(d.begin(), d.begin() + 1000, host.begin());
  corpus::show("gathered", host);
  const auto middle = thrust::stable_partition(b.begin(), b.end(), Odd());
  printf("odd %d\n", static_cast<int>(middle - b.begin()));
  thrust::copy(b.begin(), b.end(), host.begin());
  corpus::show("divided", host);
  const auto end = thrust::remove_if(b.begin(), b.end(), Odd());
  printf("left %d, found at %d\n", static_cast<int>(end - b.begin()),
         static_cast<int>(thrust::find(d.begin(), d.end(), 7) - d.begin()));
  return 0;
}
