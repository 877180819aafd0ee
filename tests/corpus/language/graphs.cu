// SPDX-License-Identifier: Apache-2.0
// Kernels in graphs: captured from streams that fork and join, built by hand, launched several
// times.
#include "../corpus.hpp"

__global__ void add(int* data, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += value * i;
}
__global__ void join(int* a, const int* b, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = a[i] * 2 + b[n - 1 - i];
}

int main() {
  int n = 1000;
  Buffer<int> a(n), b(n);
  cudaStream_t s, t;
  cudaEvent_t fork, joined;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreate(&t));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, 128, 0, s>>>(a, n, 1);
  CHECK(cudaEventRecord(fork, s));
  CHECK(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 64, 0, t>>>(b, n, 3);
  add<<<1, 96, 0, s>>>(a, n, 2);
  CHECK(cudaEventRecord(joined, t));
  CHECK(cudaStreamWaitEvent(s, joined, 0));
  join<<<1, 128, 0, s>>>(a, b, n);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(s, &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 4; ++i) CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  printf("%d nodes\n", static_cast<int>(nodes));
  corpus::show("captured", a.read());

  cudaGraph_t by_hand;
  CHECK(cudaGraphCreate(&by_hand, 0));
  int* data = a;
  int value = 5;
  void* arguments[] = {&data, &n, &value};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(add);
  parameters.gridDim = 1, parameters.blockDim = 32, parameters.kernelParams = arguments;
  cudaGraphNode_t first, second;
  CHECK(cudaGraphAddKernelNode(&first, by_hand, nullptr, 0, &parameters));
  value = -2;
  CHECK(cudaGraphAddKernelNode(&second, by_hand, &first, 1, &parameters));
  cudaGraphExec_t other;
  CHECK(cudaGraphInstantiate(&other, by_hand, 0));
  CHECK(cudaGraphLaunch(other, s));
  CHECK(cudaStreamSynchronize(s));
  corpus::show("by hand", a.read());
  return 0;
}
