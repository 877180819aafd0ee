// SPDX-License-Identifier: Apache-2.0
// Functions of a number that device and host both evaluate and must agree on.
#pragma once

#include "corpus.hpp"

namespace corpus {

template <typename F>
__global__ void work_out(unsigned long long* out, unsigned count, F function) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = function(i);
}

template <typename F>
void same(const char* name, unsigned count, F function, unsigned block) {
  Buffer<unsigned long long> out(count);
  doing = name;
  work_out<<<(count + block - 1) / block, block>>>(out.get(), count, function);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const auto device = out.read();
  std::vector<unsigned long long> host(count);
  unsigned wrong = 0, first = 0;
  for (unsigned i = 0; i < count; ++i) {
    host[i] = function(i);
    if (host[i] != device[i] && wrong++ == 0) first = i;
  }
  printf("%s: %016llx\n", name, digest(device));
  if (wrong)
    printf("  %u of %u are not the host's: of %u it is %llx, not %llx\n", wrong, count, first,
           device[first], host[first]);
}

}  // namespace corpus

// Takes a lambda or function for host and device.
#define SAME(name, count, ...) corpus::same(name, count, __VA_ARGS__, 64)
