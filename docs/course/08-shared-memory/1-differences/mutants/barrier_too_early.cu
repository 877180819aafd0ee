// SPDX-License-Identifier: Apache-2.0
// The barrier comes before the writes, where it orders nothing.
__global__ void differences(int* out, const int* in, int count) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  __syncthreads();
  if (i < count) tile[t] = in[i];
  if (i < count) out[i] = t == 0 ? tile[0] : tile[t] - tile[t - 1];
}
