// SPDX-License-Identifier: Apache-2.0
// Thrust: unique elements, unions, intersections and differences of sorted sets, merging.
#include <thrust/device_vector.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/unique.h>

#include "../corpus.hpp"

template <typename I>
void print(const char* name, const thrust::device_vector<int>& v, I end) {
  std::vector<int> host(end - v.begin());
  thrust::copy(v.begin(), v.begin() + host.size(), host.begin());
  corpus::show(name, host);
}

int main() {
  std::vector<int> x, y;
  for (int i = 0; i < 3000; ++i) {
    if (corpus::scramble(i) % 3) x.push_back(i / 2);
    if (corpus::scramble(i + 9999) % 2) y.push_back(i);
  }
  thrust::device_vector<int> a(x.begin(), x.end()), b(y.begin(), y.end()), c(6000);
  RUN(a.erase(thrust::unique(a.begin(), a.end()), a.end()));
  print("unique", a, a.end());
  print("union", c, thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), c.begin()));
  print("intersection", c,
        thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), c.begin()));
  print("difference", c, thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), c.begin()));
  print("merge", c, thrust::merge(a.begin(), a.end(), b.begin(), b.end(), c.begin()));
  return 0;
}
