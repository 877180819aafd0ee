// SPDX-License-Identifier: Apache-2.0
// Refines each of the n items, item i in rounds_of(i) rounds. There is at least one thread for
// each.
__global__ void refine(unsigned* items, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const int item = t;
  items[item] = refined(items[item], rounds_of(item));
}
