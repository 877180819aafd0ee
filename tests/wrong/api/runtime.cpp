// SPDX-License-Identifier: Apache-2.0
// `api_runtime_programs NAME wrong|repaired`: mistakes that are made by the runtime API.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/api/runtime/registered.hpp"
#include "tests/need.hpp"

namespace {

#define MISTAKE(call) (printf("%s:%d\n", __FILE__, __LINE__), (call))

constexpr size_t size = 4096;

void leaks(bool wrong) {
  void *kept = nullptr, *left = nullptr;
  NEED(cudaMalloc(&kept, size));
  NEED(MISTAKE(cudaMalloc(&left, size)));
  NEED(cudaFree(kept));
  if (!wrong) NEED(cudaFree(left));
  NEED(cudaDeviceReset());
}

void frees_twice(bool wrong) {
  void* memory = nullptr;
  NEED(cudaMalloc(&memory, size));
  NEED(cudaFree(memory));
  if (wrong) static_cast<void>(MISTAKE(cudaFree(memory)));
}

void frees_host_memory(bool wrong) {
  void* memory = nullptr;
  NEED(cudaMallocHost(&memory, size));
  if (wrong) static_cast<void>(MISTAKE(cudaFree(memory)));
  NEED(cudaFreeHost(memory));
}

void ignores_an_error(bool wrong) {
  void* memory = nullptr;
  static_cast<void>(MISTAKE(cudaMalloc(&memory, wrong ? size_t{1} << 60 : size)));
  NEED(cudaDeviceSynchronize());
  NEED(cudaFree(memory));
}

// The reset has freed it, which is the leak's report; that the free is refused is no other mistake.
void frees_after_a_reset(bool wrong) {
  void *memory = nullptr, *host = nullptr;
  NEED(cudaMallocHost(&host, size));
  NEED(cudaFreeHost(host));
  NEED(MISTAKE(cudaMalloc(&memory, size)));
  if (!wrong) NEED(cudaFree(memory));
  NEED(cudaDeviceReset());
  if (wrong && cudaFree(memory) != cudaErrorInvalidValue) _Exit(3);
}

// It sees that something is wrong, and ends with status 1.
void ignores_an_error_and_fails(bool wrong) {
  ignores_an_error(wrong);
  if (wrong) exit(1);
}

// Static objects are destroyed when the driver is down.
struct Owner {
  void* memory = nullptr;
  ~Owner() {
    if (memory && cudaFree(memory) != cudaErrorCudartUnloading) _Exit(4);
  }
};
Owner owner;

void leaves_memory_to_a_static_object(bool wrong) {
  void* memory = nullptr;
  NEED(MISTAKE(cudaMalloc(&memory, size)));
  if (!wrong) owner.memory = memory;
}

// Code is unloaded when the driver is down, in each program that a CUDA compiler has made.
void leaks_beside_a_kernel(bool wrong) {
  static cuvette::runtime_tests::Registered code(cuvette::runtime_tests::ptx);
  code.kernel(reinterpret_cast<const void*>(&cuvette::runtime_tests::nothing), "nothing");
  code.end();
  void* memory = nullptr;
  NEED(MISTAKE(cudaMalloc(&memory, size)));
  NEED(cudaLaunchKernel(reinterpret_cast<const void*>(&cuvette::runtime_tests::nothing), dim3(1),
                        dim3(1), nullptr, 0, nullptr));
  NEED(cudaDeviceSynchronize());
  if (!wrong) NEED(cudaFree(memory));
}

// The result is thrown away, and asked for later.
void asks_for_the_last_error(bool) {
  void* memory = nullptr;
  static_cast<void>(cudaMalloc(&memory, size_t{1} << 60));
  if (cudaGetLastError() != cudaErrorMemoryAllocation) _Exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool wrong = strcmp(argv[2], "wrong") == 0;
  if (strcmp(argv[1], "leaks") == 0) return leaks(wrong), 0;
  if (strcmp(argv[1], "frees_twice") == 0) return frees_twice(wrong), 0;
  if (strcmp(argv[1], "frees_host_memory") == 0) return frees_host_memory(wrong), 0;
  if (strcmp(argv[1], "ignores_an_error") == 0) return ignores_an_error(wrong), 0;
  if (strcmp(argv[1], "ignores_an_error_and_fails") == 0)
    return ignores_an_error_and_fails(wrong), 0;
  if (strcmp(argv[1], "frees_after_a_reset") == 0) return frees_after_a_reset(wrong), 0;
  if (strcmp(argv[1], "leaves_memory_to_a_static_object") == 0)
    return leaves_memory_to_a_static_object(wrong), 0;
  if (strcmp(argv[1], "leaks_beside_a_kernel") == 0) return leaks_beside_a_kernel(wrong), 0;
  if (strcmp(argv[1], "asks_for_the_last_error") == 0) return asks_for_the_last_error(wrong), 0;
  return 2;
}
