// SPDX-License-Identifier: Apache-2.0
// The difference between each number and the one to its left. Blocks have 128 threads.
__global__ void differences(int* out, const int* in, int count) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i < count) tile[t] = in[i];
  if (i < count) out[i] = t == 0 ? tile[0] : tile[t] - tile[t - 1];
}
