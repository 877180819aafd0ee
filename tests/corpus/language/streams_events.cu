// SPDX-License-Identifier: Apache-2.0
// Concurrent streams, events between them, and host functions among kernels.
#include "../corpus.hpp"

__global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value + i;
}
__global__ void combine(const int* a, const int* b, int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] * 3 - b[n - 1 - i];
}

int main() {
  const int n = 5000;
  cudaStream_t streams[2];
  cudaEvent_t ready, done;
  for (auto& s : streams) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&ready));
  CHECK(cudaEventCreate(&done));
  Buffer<int> a(n), b(n), c(n);
  std::vector<int> order;
  for (int round = 0; round < 3; ++round) {
    RUN(fill<<<20, 256, 0, streams[0]>>>(a, n, round));
    fill<<<20, 256, 0, streams[1]>>>(b, n, round * 7);
    CHECK(cudaEventRecord(ready, streams[1]));
    CHECK(cudaStreamWaitEvent(streams[0], ready, 0));
    combine<<<20, 256, 0, streams[0]>>>(a, b, c, n);
    CHECK(cudaLaunchHostFunc(
        streams[0], [](void* list) { static_cast<std::vector<int>*>(list)->push_back(1); },
        &order));
    CHECK(cudaEventRecord(done, streams[0]));
    CHECK(cudaEventSynchronize(done));
    corpus::show("combined", c.read());
  }
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, ready, done));
  int* later;
  CHECK(cudaMallocAsync(&later, n * 4, streams[0]));
  fill<<<20, 256, 0, streams[0]>>>(later, n, 1);
  std::vector<int> host(n);
  CHECK(cudaMemcpyAsync(host.data(), later, n * 4, cudaMemcpyDeviceToHost, streams[0]));
  CHECK(cudaFreeAsync(later, streams[0]));
  CHECK(cudaStreamSynchronize(streams[0]));
  printf("%d calls, time is %s, %d %d\n", static_cast<int>(order.size()),
         ms >= 0 ? "known" : "unknown", host[0], host[n - 1]);
  for (auto& s : streams) CHECK(cudaStreamDestroy(s));
  return 0;
}
