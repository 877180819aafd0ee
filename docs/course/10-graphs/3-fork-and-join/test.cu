// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void fill(int* numbers, int start) {
  numbers[threadIdx.x] = start + threadIdx.x * threadIdx.x;
}
__global__ void add(int* sums, const int* a, const int* b) {
  sums[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

#include EXERCISE

constexpr int count = 64;

// The steps that no edge leads to.
size_t first_steps(cudaGraph_t graph) {
  size_t steps = 0;
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &steps));
  return steps;
}

int main() {
  int *a, *b, *sums;
  for (int** memory : {&a, &b, &sums}) CHECK(cudaMalloc(memory, count * sizeof(int)));
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t forked, done;
  CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

  for (const int start : {1, 70, 333}) {
    const cudaGraph_t graph = capture(first, second, forked, done, sums, a, b, start);
    const size_t roots = first_steps(graph);
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaDeviceSynchronize());
    for (int launch = 1; launch <= 2; ++launch) {
      // What a launch of the graph does not write is 0.
      for (int* memory : {a, b, sums}) CHECK(cudaMemset(memory, 0, count * sizeof(int)));
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaGraphLaunch(executable, first));
      CHECK(cudaStreamSynchronize(first));
      std::vector<int> found(count);
      CHECK(cudaMemcpy(found.data(), sums, count * sizeof(int), cudaMemcpyDeviceToHost));
      int wrong = 0;
      for (int i = 0; i < count; ++i) {
        const int expected = 11 * start + 2 * i * i;
        if (found[i] == expected) continue;
        if (++wrong <= 3)
          std::printf("launch %d, element %d: expected %d, got %d\n", launch, i, expected,
                      found[i]);
      }
      if (wrong) return 1;
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    if (roots != 2) {
      std::printf("%zu steps of the graph wait for no other; it should be both fills.\n", roots);
      return 1;
    }
  }
  CHECK(cudaEventDestroy(done));
  CHECK(cudaEventDestroy(forked));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaStreamDestroy(first));
  for (int* memory : {a, b, sums}) CHECK(cudaFree(memory));
  std::printf("All sums are right.\n");
}
