// SPDX-License-Identifier: Apache-2.0
// Changes a number in a blocking stream, the legacy stream and a non-blocking stream.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                               \
    }                                                             \
  } while (false)

__global__ void add(int* x, int addend) { *x += addend; }
__global__ void multiply(int* x, int factor) { *x *= factor; }
__global__ void square(int* x) { *x *= *x; }

int main() {
  int *x, result = 1;
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemcpy(x, &result, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t a, b;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));

  add<<<1, 1, 0, a>>>(x, 1);
  multiply<<<1, 1>>>(x, 10);
  square<<<1, 1, 0, b>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("x = %d\n", result);
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
  CHECK(cudaFree(x));
}
