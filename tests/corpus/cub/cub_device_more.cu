// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device, what the other programs leave out: adjacent differences,
// transformations, three-way partitions, batched copies, unique keys, sums by key and by segment,
// histograms of several channels, merging.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_copy.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/tuple>

#include <algorithm>

#include "../cub.hpp"

struct Below {
  int limit;
  __host__ __device__ bool operator()(int x) const { return x < limit; }
};
struct Times {
  __host__ __device__ int operator()(int a, int b) const { return a * 3 + b; }
};

int main() {
  const int n = 5000;
  Buffer<int> in(corpus::numbers(n, 1000)), more(corpus::numbers(n, 50, 3)), out(n), second(n),
      third(n), counts(4);
  CUB(cub::DeviceAdjacentDifference::SubtractLeftCopy, in.get(), out.get(), n,
      cuda::std::minus<int>());
  corpus::show("left", out.read());
  CUB(cub::DeviceAdjacentDifference::SubtractRight, out.get(), n);
  corpus::show("right", out.read());
  corpus::doing = "transform";
  CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(in.get(), more.get()), out.get(), n,
                                        Times()));
  CHECK(cudaDeviceSynchronize());
  corpus::show("transform", out.read());
  CHECK(cudaMemset(out, 0, n * 4));
  CHECK(cudaMemset(second, 0, n * 4));
  CHECK(cudaMemset(third, 0, n * 4));
  CUB(cub::DevicePartition::If, in.get(), out.get(), second.get(), third.get(), counts.get(), n,
      Below{200}, Below{700});
  corpus::show("three ways", out.read()), corpus::show("", second.read()),
      corpus::show("", third.read());
  printf("%d %d\n", counts(0), counts(1));
  CUB(cub::DevicePartition::Flagged, in.get(),
      thrust::make_transform_iterator(more.get(), Below{20}), out.get(), counts.get(), n);
  corpus::show("flagged", out.read());
  // Makes runs of equal keys.
  std::vector<int> runs(n);
  for (int i = 0; i < n; ++i) runs[i] = i / (7 + i / 300) % 40;
  Buffer<int> keys(runs);
  CHECK(cudaMemset(out, 0, n * 4));
  CHECK(cudaMemset(second, 0, n * 4));
  CUB(cub::DeviceSelect::UniqueByKey, keys.get(), in.get(), out.get(), second.get(), counts.get(),
      n);
  corpus::show("unique keys", out.read()), corpus::show("", second.read());
  CUB(cub::DeviceScan::InclusiveSumByKey, keys.get(), in.get(), out.get(), n);
  corpus::show("sums by key", out.read());
  CUB(cub::DeviceScan::ExclusiveScanByKey, keys.get(), in.get(), out.get(), cuda::maximum<int>(),
      17, n);
  corpus::show("maxima by key", out.read());
  Buffer<int> offsets(std::vector<int>{0, 0, 1, 40, 1000, 1000, 3333, n});
  CUB(cub::DeviceSegmentedReduce::Sum, in.get(), out.get(), 7, offsets.get(), offsets.get() + 1);
  CUB(cub::DeviceSegmentedReduce::Max, in.get(), out.get() + 7, 7, offsets.get(),
      offsets.get() + 1);
  CUB(cub::DeviceSegmentedReduce::Reduce, in.get(), out.get() + 14, 7, offsets.get(),
      offsets.get() + 1, cuda::minimum<int>(), 123456);
  auto some = out.read();
  some.resize(21);
  corpus::show("segments", some, 21);
  Buffer<cub::KeyValuePair<int, int>> places(7);
  CUB(cub::DeviceSegmentedReduce::ArgMin, in.get(), places.get(), 7, offsets.get(),
      offsets.get() + 1);
  for (const auto& p : places.read()) printf("%d:%d ", p.key, p.value);
  printf("\n");
  // Pixels of four channels, of which three are counted.
  std::vector<unsigned char> pixels(n * 4);
  for (int i = 0; i < n * 4; ++i) pixels[i] = corpus::scramble(i) % 256;
  Buffer<unsigned char> image(pixels);
  Buffer<int> bins(3 * 256);
  int* histograms[3] = {bins, bins.get() + 256, bins.get() + 512};
  const int levels[3] = {257, 129, 17}, lower[3] = {0, 0, 0}, upper[3] = {256, 256, 256};
  CUB((cub::DeviceHistogram::MultiHistogramEven<4, 3>), image.get(), histograms, levels, lower,
      upper, n);
  corpus::show("channels", bins.read());
  // Copies of many different sizes.
  std::vector<const void*> from;
  std::vector<void*> to;
  std::vector<unsigned> sizes;
  std::vector<char> bytes(100000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(corpus::scramble(i));
  Buffer<char> source(bytes), target(100000);
  for (unsigned at = 0, k = 0; k < 60; ++k) {
    const unsigned size = k % 20 == 7 ? 9000 : corpus::scramble(k) % 300;
    from.push_back(source.get() + at), to.push_back(target.get() + 99000 - at - size),
        sizes.push_back(size);
    at += size;
  }
  Buffer<const void*> dfrom(from);
  Buffer<void*> dto(to);
  Buffer<unsigned> dsizes(sizes);
  CUB(cub::DeviceMemcpy::Batched, dfrom.get(), dto.get(), dsizes.get(), 60u);
  corpus::show("batch", target.read());
  auto a = corpus::numbers(2000, 5000), b = corpus::numbers(1500, 5000, 9);
  std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
  Buffer<int> da(a), db(b);
  CUB(cub::DeviceMerge::MergeKeys, da.get(), 2000, db.get(), 1500, out.get());
  corpus::show("merged", out.read());
  return 0;
}
