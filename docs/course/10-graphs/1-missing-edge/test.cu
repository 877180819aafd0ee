// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void double_all(int* numbers) { numbers[threadIdx.x] *= 2; }
__global__ void triple_all(int* numbers) { numbers[threadIdx.x] *= 3; }
__global__ void clear(int* numbers) { numbers[threadIdx.x] = 0; }
__global__ void add(int* sums, const int* a, const int* b) {
  sums[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
__global__ void negate(const int* sums, int* rest) {
  if (sums[threadIdx.x] % 2 != 0) rest[threadIdx.x] = -sums[threadIdx.x];
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

#include EXERCISE

constexpr int count = 64;

// Whether step `from` comes before step `to` by way of edges.
bool reaches(const std::vector<std::pair<Step, Step>>& edges, Step from, Step to) {
  for (const auto& [first, second] : edges)
    if (first == from && (second == to || reaches(edges, second, to))) return true;
  return false;
}

// The order that the edges make: pairs of steps, directly or not.
int ordered_pairs(cudaGraph_t graph) {
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  std::vector<Step> steps(nodes);
  CHECK(cudaGraphGetNodes(graph, steps.data(), &nodes));
  std::vector<std::pair<Step, Step>> edges;
  for (const Step step : steps) {
    // The graph has five steps, so 16 are enough.
    Step before[16];
    size_t most = 16;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphNodeGetDependencies(step, before, nullptr, &most));
#else
    CHECK(cudaGraphNodeGetDependencies(step, before, &most));
#endif
    for (size_t i = 0; i < most; ++i) edges.push_back({before[i], step});
  }
  int pairs = 0;
  for (const Step first : steps)
    for (const Step second : steps) pairs += reaches(edges, first, second);
  return pairs;
}

int main() {
  std::vector<int> numbers(2 * count), found(count);
  std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
  int *a, *b, *sums, *rest;
  for (int** memory : {&a, &b, &sums, &rest}) CHECK(cudaMalloc(memory, count * sizeof(int)));
  CHECK(cudaMemset(sums, 0, count * sizeof(int)));
  CHECK(cudaMemset(rest, 1, count * sizeof(int)));
  CHECK(cudaMemcpy(a, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, numbers.data() + count, count * sizeof(int), cudaMemcpyHostToDevice));

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaGraphCreate(&graph, 0));
  build(graph, a, b, sums, rest);
  const int pairs = ordered_pairs(graph);
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(found.data(), rest, count * sizeof(int), cudaMemcpyDeviceToHost));

  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  for (int* memory : {a, b, sums, rest}) CHECK(cudaFree(memory));

  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const int sum = 2 * numbers[i] + 3 * numbers[count + i];
    const int expected = sum % 2 ? -sum : 0;
    if (found[i] == expected) continue;
    if (++wrong <= 3) std::printf("element %d: expected %d, got %d\n", i, expected, found[i]);
  }
  if (wrong) return 1;
  if (pairs > 6) {
    std::printf("The edges order %d pairs of steps, directly or by way of others; 6 are enough.\n",
                pairs);
    return 1;
  }
  std::printf("The results are right.\n");
}
