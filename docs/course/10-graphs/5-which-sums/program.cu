// SPDX-License-Identifier: Apache-2.0
// A graph of two steps, launched twice. What can the program print?
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <tuple>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void add(int* number) {
  if (threadIdx.x == 0) atomicAdd(number, 5);
}
__global__ void raise(int* number) {
  if (threadIdx.x == 0) atomicMax(number, 7);
}

using Step = cudaGraphNode_t;

// Adds a step to the graph: one block of 64 threads of the kernel, after the steps in `after`.
template <typename... Parameters, typename... Arguments>
Step add_step(cudaGraph_t graph, std::initializer_list<Step> after, void (*kernel)(Parameters...),
              Arguments... arguments) {
  std::tuple<Parameters...> values(arguments...);
  Step step;
  std::apply(
      [&](auto&... value) {
        void* pointers[] = {&value...};
        cudaKernelNodeParams parameters = {};
        parameters.func = reinterpret_cast<void*>(kernel);
        parameters.gridDim = dim3(1);
        parameters.blockDim = dim3(64);
        parameters.kernelParams = pointers;
        CHECK(cudaGraphAddKernelNode(&step, graph, after.begin(), after.size(), &parameters));
      },
      values);
  return step;
}

int main() {
  int *number, result = 0;
  CHECK(cudaMalloc(&number, sizeof(int)));
  CHECK(cudaMemset(number, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  add_step(graph, {}, add, number);
  add_step(graph, {}, raise, number);
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, number, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("number: %d\n", result);

  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(number));
}
