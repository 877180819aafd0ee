// SPDX-License-Identifier: Apache-2.0
// Changes two numbers in three streams, with a kernel of the legacy stream in between.
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
__global__ void touch(int* other) { *other = 7; }

int main() {
  int *x, *y, *other, one = 1, result;
  for (int** number : {&x, &y, &other}) {
    CHECK(cudaMalloc(number, sizeof(int)));
    CHECK(cudaMemcpy(*number, &one, sizeof(int), cudaMemcpyHostToDevice));
  }
  CHECK(cudaDeviceSynchronize());
  cudaStream_t a, b, c;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  CHECK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));

  add<<<1, 1, 0, a>>>(x, 1);
  add<<<1, 1, 0, c>>>(y, 1);
  touch<<<1, 1>>>(other);
  multiply<<<1, 1, 0, b>>>(x, 10);
  multiply<<<1, 1, 0, b>>>(y, 10);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("x = %d\n", result);
  CHECK(cudaMemcpy(&result, y, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("y = %d\n", result);
  for (cudaStream_t stream : {a, b, c}) CHECK(cudaStreamDestroy(stream));
  for (int* number : {x, y, other}) CHECK(cudaFree(number));
}
