// SPDX-License-Identifier: Apache-2.0
// A library that is linked with one libcudart and launches kernels through it, like a plug-in.
#include "tests/api/runtime/both/user.hpp"

#include "tests/api/runtime/registered.hpp"

using namespace cuvette::runtime_tests;

extern "C" {

__attribute__((visibility("default"))) void* use_runtime(void* numbers, int count, int value,
                                                         const char** error) {
  cudaError_t result = cudaSuccess;
  if (numbers == nullptr) {
    result = cudaMalloc(&numbers, count * sizeof(int));
    if (result == cudaSuccess) result = cudaMemset(numbers, 0, count * sizeof(int));
  }
  if (result == cudaSuccess)
    result = launch_add(1, static_cast<unsigned>(count), static_cast<int*>(numbers), value);
  if (result == cudaSuccess) return numbers;
  *error = cudaGetErrorName(result);
  return nullptr;
}

__attribute__((visibility("default"))) const char* read_numbers(const void* numbers, int* host,
                                                                int count) {
  return cudaGetErrorName(cudaMemcpy(host, numbers, count * sizeof(int), cudaMemcpyDeviceToHost));
}

__attribute__((visibility("default"))) int runtime_version() {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess ? version : -1;
}

__attribute__((visibility("default"))) int last_error() { return cudaGetLastError(); }
}
