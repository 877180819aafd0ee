// SPDX-License-Identifier: Apache-2.0
// How many sectors does every_third touch?
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void every_third(float* out, const float* in) {
  const int i = threadIdx.x;
  out[i] = in[3 * i + 1];
}

int main() {
  std::vector<float> numbers(96), thirds(32);
  for (int i = 0; i < 96; ++i) numbers[i] = i;
  float *in, *out;
  CHECK(cudaMalloc(&in, 96 * sizeof(float)));
  CHECK(cudaMalloc(&out, 32 * sizeof(float)));
  CHECK(cudaMemcpy(in, numbers.data(), 96 * sizeof(float), cudaMemcpyHostToDevice));
  every_third<<<1, 32>>>(out, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(thirds.data(), out, 32 * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%g, %g, ... %g\n", thirds[0], thirds[1], thirds[31]);
  CHECK(cudaFree(out));
  CHECK(cudaFree(in));
}
