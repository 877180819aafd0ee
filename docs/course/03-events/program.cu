// SPDX-License-Identifier: Apache-2.0
// One stream fills an array, another adds it up; an event lies between them.
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

__global__ void fill(int* numbers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = i + 1;
}

// One thread is enough to show the order.
__global__ void add_up(const int* numbers, int n, int* sum) {
  *sum = 0;
  for (int i = 0; i < n; ++i) *sum += numbers[i];
}

int main() {
  const int n = 100;
  int *numbers, *sum, result;
  CHECK(cudaMalloc(&numbers, n * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemset(numbers, 0, n * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t maker, user;
  CHECK(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking));
  cudaEvent_t filled;
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));

  fill<<<1, 128, 0, maker>>>(numbers, n);
  CHECK(cudaEventRecord(filled, maker));
  CHECK(cudaStreamWaitEvent(user, filled, 0));
  add_up<<<1, 1, 0, user>>>(numbers, n, sum);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(user));

  CHECK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("1 + 2 + ... + 100 = %d\n", result);
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaStreamDestroy(maker));
  CHECK(cudaStreamDestroy(user));
  CHECK(cudaFree(numbers));
  CHECK(cudaFree(sum));
}
