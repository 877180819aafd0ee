// SPDX-License-Identifier: Apache-2.0
// A graph that lacks an edge. In which order of its steps does the program fail?
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <tuple>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void fill(int* numbers) { numbers[threadIdx.x] = threadIdx.x * 37 % 64; }
__global__ void double_all(int* numbers) { numbers[threadIdx.x] *= 2; }
__global__ void find_largest(int* largest, const int* numbers) {
  atomicMax(largest, numbers[threadIdx.x]);
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
  int *numbers, *largest, *host;
  CHECK(cudaMalloc(&numbers, 64 * sizeof(int)));
  CHECK(cudaMalloc(&largest, sizeof(int)));
  CHECK(cudaMallocHost(&host, sizeof(int)));
  CHECK(cudaMemset(numbers, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(largest, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());

  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const Step filled = add_step(graph, {}, fill, numbers);
  add_step(graph, {filled}, double_all, numbers);
  const Step found = add_step(graph, {filled}, find_largest, largest, numbers);
  Step copied;
  CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &found, 1, host, largest, sizeof(int),
                                 cudaMemcpyDeviceToHost));

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  const int answer = *host;

  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(largest));
  CHECK(cudaFree(numbers));
  std::printf("largest: %d, expected: 126\n", answer);
  return answer == 126 ? 0 : 1;
}
