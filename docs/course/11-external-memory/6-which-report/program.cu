// SPDX-License-Identifier: Apache-2.0
// Each thread reads by one address what it has written by another. What does Cuvette report?
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

// Memory that belongs to the operating system. Its size is final.
int make_segment(size_t size) {
  const int fd = memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, size) != 0) std::exit(1);
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return fd;
}

// The descriptor is CUDA's from here on.
cudaExternalMemory_t import(int fd, size_t size) {
  cudaExternalMemoryHandleDesc description = {};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = fd;
  description.size = size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &description));
  return memory;
}

// A window of `bytes` bytes that begins at byte `offset` of the memory.
void* map(cudaExternalMemory_t memory, size_t offset, size_t bytes) {
  cudaExternalMemoryBufferDesc description = {};
  description.offset = offset;
  description.size = bytes;
  void* window;
  CHECK(cudaExternalMemoryGetMappedBuffer(&window, memory, &description));
  return window;
}

__global__ void write_and_read(int* a, int* b, int* results) {
  a[threadIdx.x] = 3 * threadIdx.x + 1;
  results[threadIdx.x] = b[threadIdx.x];
}

int main() {
  const size_t size = 64 * sizeof(int);
  const int fd = make_segment(size);
  const cudaExternalMemory_t memory = import(fd, size);
  int* const a = static_cast<int*>(map(memory, 0, size));
  int* const b = static_cast<int*>(map(memory, 0, size));
  int* results;
  std::vector<int> found(64);
  CHECK(cudaMalloc(&results, size));
  write_and_read<<<1, 64>>>(a, b, results);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found.data(), results, size, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(results));
  CHECK(cudaFree(b));
  CHECK(cudaFree(a));
  CHECK(cudaDestroyExternalMemory(memory));
  int right = 0;
  for (int i = 0; i < 64; ++i) right += found[i] == 3 * i + 1;
  std::printf("%d of 64 numbers are right.\n", right);
}
