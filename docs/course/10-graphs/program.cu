// SPDX-License-Identifier: Apache-2.0
// A graph of four steps: two kernels that do not depend on each other, one that needs both, and a
// copy to the host.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void fill(int* numbers, int first) { numbers[threadIdx.x] = first + threadIdx.x; }
__global__ void add(int* sums, const int* a, const int* b) {
  sums[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

// A step that launches one block of 64 threads.
cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                            void* kernel, void** arguments) {
  cudaKernelNodeParams parameters = {};
  parameters.func = kernel;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, after, count, &parameters));
  return node;
}

int main() {
  int *a, *b, *sums, *host;
  CHECK(cudaMalloc(&a, 64 * sizeof(int)));
  CHECK(cudaMalloc(&b, 64 * sizeof(int)));
  CHECK(cudaMalloc(&sums, 64 * sizeof(int)));
  CHECK(cudaMallocHost(&host, 64 * sizeof(int)));
  CHECK(cudaMemset(a, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(b, 0, 64 * sizeof(int)));
  CHECK(cudaDeviceSynchronize());

  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  int one = 1, hundred = 100;
  void* fill_a[] = {&a, &one};
  void* fill_b[] = {&b, &hundred};
  void* add_both[] = {&sums, &a, &b};
  const cudaGraphNode_t fills[] = {
      kernel_node(graph, nullptr, 0, reinterpret_cast<void*>(fill), fill_a),
      kernel_node(graph, nullptr, 0, reinterpret_cast<void*>(fill), fill_b)};
  const cudaGraphNode_t addition =
      kernel_node(graph, fills, 2, reinterpret_cast<void*>(add), add_both);  // after both
  cudaGraphNode_t copy;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &addition, 1, host, sums, 64 * sizeof(int),
                                 cudaMemcpyDeviceToHost));

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int launch = 1; launch <= 3; ++launch) {
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("launch %d: %d, %d, ... %d\n", launch, host[0], host[1], host[63]);
  }

  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(sums));
  CHECK(cudaFree(b));
  CHECK(cudaFree(a));
}
