// SPDX-License-Identifier: Apache-2.0
// Refines each of the n items, item i in rounds_of(i) rounds. There is at least one thread for
// each.
__global__ void refine(unsigned* items, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  // First all even items, then all odd ones: neighbours in a warp have the same number of rounds.
  const int evens = (n + 1) / 2;
  const int item = t < evens ? 2 * t : 2 * (t - evens) + 1;
  items[item] = refined(items[item], rounds_of(item));
}
