// SPDX-License-Identifier: Apache-2.0
// Records an event twice, and waits for it in between.
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

int main() {
  int *x, result = 1;
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemcpy(x, &result, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t a, b;
  cudaEvent_t e;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

  add<<<1, 1, 0, a>>>(x, 1);
  CHECK(cudaEventRecord(e, a));
  CHECK(cudaStreamWaitEvent(b, e, 0));
  add<<<1, 1, 0, a>>>(x, 4);
  CHECK(cudaEventRecord(e, a));
  multiply<<<1, 1, 0, b>>>(x, 10);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("x = %d\n", result);
  CHECK(cudaEventDestroy(e));
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
  CHECK(cudaFree(x));
}
