// SPDX-License-Identifier: Apache-2.0
// In the last block, some threads do not reach the barrier.
__global__ void differences(int* out, const int* in, int count) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i < count) {
    tile[t] = in[i];
    __syncthreads();
    out[i] = t == 0 ? tile[0] : tile[t] - tile[t - 1];
  }
}
