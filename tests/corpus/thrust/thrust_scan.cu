// SPDX-License-Identifier: Apache-2.0
// Thrust: prefix sums, segmented, with operators and in place; counting and extremes.
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/scan.h>

#include "../corpus.hpp"

int main() {
  const auto x = corpus::numbers(7000, 100);
  thrust::device_vector<int> in(x.begin(), x.end()), out(7000);
  std::vector<int> host(7000);
  RUN(thrust::inclusive_scan(in.begin(), in.end(), out.begin()));
  thrust::copy(out.begin(), out.end(), host.begin());
  corpus::show("inclusive", host);
  RUN(thrust::exclusive_scan(in.begin(), in.end(), in.begin(), 5, thrust::maximum<int>()));
  thrust::copy(in.begin(), in.end(), host.begin());
  corpus::show("most", host);
  printf("count %d, most at %d\n", static_cast<int>(thrust::count(in.begin(), in.end(), 99)),
         static_cast<int>(thrust::max_element(out.begin(), out.end()) - out.begin()));
  return 0;
}
