// SPDX-License-Identifier: Apache-2.0
// One of several files of a program: a kernel, its launch, and a variable whose name another file
// uses, too.
#include "pieces.hpp"

#ifndef FACTOR
#error "the option -D did not arrive"
#endif

__device__ static int offset = 5;

__global__ void scale(int* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] = values[i] * FACTOR + offset;
}

void launch_scale(int* values, int count) { scale<<<(count + 63) / 64, 64>>>(values, count); }
