// SPDX-License-Identifier: Apache-2.0
// CUB on the whole device: loops over an index, transformations, batched copies, adjacent
// differences.
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_memcpy.cuh>

#include "../cub.hpp"

struct Square {
  int* out;
  __device__ void operator()(int i) const { out[i] = i * i; }
};

int main() {
  const int n = 5000;
  Buffer<int> out(n), other(n);
  RUN(corpus::check(cub::DeviceFor::Bulk(n, Square{out.get()})));
  corpus::show("squares", out.read());
  CUB(cub::DeviceAdjacentDifference::SubtractLeftCopy, out.get(), other.get(), n);
  corpus::show("differences", other.read());
  std::vector<void*> from, to;
  std::vector<unsigned> sizes;
  for (int i = 0; i < 20; ++i)
    from.push_back(out.get() + i * 200), to.push_back(other.get() + (19 - i) * 200),
        sizes.push_back(4 * (i * 9 + 3));
  Buffer<void*> sources(from), targets(to);
  Buffer<unsigned> bytes(sizes);
  CUB(cub::DeviceMemcpy::Batched, sources.get(), targets.get(), bytes.get(), 20);
  corpus::show("copied", other.read());
  return 0;
}
