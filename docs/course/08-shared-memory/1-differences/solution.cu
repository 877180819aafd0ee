// SPDX-License-Identifier: Apache-2.0
// The difference between each number and the one to its left. Blocks have 128 threads.
__global__ void differences(int* out, const int* in, int count) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (i < count) tile[t] = in[i];
  // Thread t reads what thread t - 1 has written. For t = 32, 64 and 96 that is a thread of another
  // warp. The barrier is outside of the condition, since all threads of the block have to reach it.
  __syncthreads();
  if (i < count) out[i] = t == 0 ? tile[0] : tile[t] - tile[t - 1];
}
