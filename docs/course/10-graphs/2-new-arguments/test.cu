// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void scale(float* numbers, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] *= factor;
}

int instantiations = 0;

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) {
  ++instantiations;
  return cudaGraphInstantiate(executable, graph, 0);
}

#include EXERCISE

int main() {
  for (const int count : {1, 100, 777}) {
    std::vector<float> numbers(count), found(count);
    std::iota(numbers.begin(), numbers.end(), 1.0f);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    float* device;
    CHECK(cudaMalloc(&device, count * sizeof(float)));
    CHECK(cudaMemcpy(device, numbers.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    instantiations = 0;
    {
      Scaler scaler(device, count);
      for (const float factor : {2.0f, 0.5f, 8.0f}) {
        for (float& number : numbers) number *= factor;
        scaler.run(factor, stream);
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(found.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < count; ++i) {
          if (found[i] == numbers[i]) continue;
          if (++wrong <= 3)
            std::printf("%d numbers, factor %g, element %d: expected %g, got %g\n", count, factor,
                        i, numbers[i], found[i]);
        }
        if (wrong) return 1;
      }
    }
    if (instantiations != 1) {
      std::printf("The graph was instantiated %d times; once is enough.\n", instantiations);
      return 1;
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
  }
  std::printf("All numbers are scaled.\n");
}
