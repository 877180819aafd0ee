// SPDX-License-Identifier: Apache-2.0
// Thrust: sorting by key, and sums by key.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include "../corpus.hpp"

int main() {
  const auto k = corpus::numbers(6000, 50), x = corpus::numbers(6000, 1000, 1);
  thrust::device_vector<int> keys(k.begin(), k.end()), values(x.begin(), x.end()), out_keys(50),
      sums(50);
  RUN(thrust::sort_by_key(keys.begin(), keys.end(), values.begin()));
  const auto end = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), out_keys.begin(),
                                         sums.begin());
  printf("%d keys, sum of all %d\n", static_cast<int>(end.first - out_keys.begin()),
         thrust::reduce(values.begin(), values.end()));
  std::vector<int> host(50);
  thrust::copy(sums.begin(), sums.end(), host.begin());
  corpus::show("sums", host);
  return 0;
}
