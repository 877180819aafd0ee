// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: histograms with even bins and with bins of any width, for one and for
// four channels.
#include <cub/device/device_histogram.cuh>

#include "../cub.hpp"

int main() {
  const int n = 30000;
  Buffer<float> in(corpus::floats(n));
  Buffer<int> bins(16), wide(8);
  CUB(cub::DeviceHistogram::HistogramEven, in.get(), bins.get(), 17, -1.0f, 1.0f, n);
  corpus::show("even", bins.read(), 16);
  Buffer<float> levels(std::vector<float>{-1, -0.9f, -0.5f, 0, 0.1f, 0.2f, 0.75f, 2});
  CUB(cub::DeviceHistogram::HistogramRange, in.get(), wide.get(), 8, levels.get(), n);
  corpus::show("range", wide.read());
  return 0;
}
