// SPDX-License-Identifier: Apache-2.0
// How often does `step` run?
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void step(int* number) { *number += 1; }

cudaGraph_t capture_two(int* number, cudaStream_t stream) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  step<<<1, 1, 0, stream>>>(number);
  step<<<1, 1, 0, stream>>>(number);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

int main() {
  int *number, result = 0;
  CHECK(cudaMalloc(&number, sizeof(int)));
  CHECK(cudaMemset(number, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  step<<<1, 1, 0, stream>>>(number);
  CHECK(cudaGetLastError());
  const cudaGraph_t graph = capture_two(number, stream);

  cudaGraphNode_t first, nodes[2], third;
  size_t count = 1;
  CHECK(cudaGraphGetRootNodes(graph, &first, &count));
  count = 2;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  const cudaGraphNode_t second = nodes[0] == first ? nodes[1] : nodes[0];
  void* arguments[] = {&number};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(step);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&third, graph, &second, 1, &parameters));

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int launch = 0; launch < 4; ++launch) CHECK(cudaGraphLaunch(executable, stream));
  const cudaGraph_t other = capture_two(number, stream);

  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, number, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("step has run %d times\n", result);

  CHECK(cudaGraphDestroy(other));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(number));
}
