// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: run lengths, sums by key, sums of segments.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <cuda/std/functional>

#include "../cub.hpp"

int main() {
  const int n = 15000;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<int>(corpus::scramble(i / 7 + i / 50) % 20);
  Buffer<int> in(host), keys(n), lengths(n), count(1), sums(n), values(corpus::numbers(n, 10));
  CUB(cub::DeviceRunLengthEncode::Encode, in.get(), keys.get(), lengths.get(), count.get(), n);
  printf("%d\n", count(0));
  corpus::show("keys", keys.read());
  corpus::show("lengths", lengths.read());
  CUB(cub::DeviceReduce::ReduceByKey, in.get(), keys.get(), values.get(), sums.get(), count.get(),
      cuda::std::plus<>(), n);
  corpus::show("sums", sums.read());
  Buffer<int> offsets(std::vector<int>{0, 5, 5, 1000, 1001, 9000, 15000}), totals(6);
  CUB(cub::DeviceSegmentedReduce::Sum, values.get(), totals.get(), 6, offsets.get(),
      offsets.get() + 1);
  corpus::show("segments", totals.read());
  return 0;
}
