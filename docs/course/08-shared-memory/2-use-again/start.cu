// SPDX-License-Identifier: Apache-2.0
// How much the next number is larger, in pieces of 64. The block has 64 threads; count is a
// multiple of 64.
__global__ void growth(int* out, const int* in, int count) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  for (int begin = 0; begin < count; begin += 64) {
    tile[t] = in[begin + t];
    __syncthreads();
    out[begin + t] = t == 63 ? tile[t] : tile[t + 1] - tile[t];
  }
}
