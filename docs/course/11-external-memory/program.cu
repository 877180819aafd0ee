// SPDX-License-Identifier: Apache-2.0
// A segment of the operating system becomes memory of the device. Two windows into it overlap: one
// kernel writes by the first, another one reads by the second, and the host sees everything without
// a copy.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

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

__global__ void fill(int* numbers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  numbers[i] = i;
}
__global__ void add(int* numbers, int summand) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  numbers[i] += summand;
}

int main() {
  const size_t size = 16384, half = size / 2;
  const int fd = make_segment(size);
  const int* const seen_by_host =
      static_cast<int*>(mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0));
  if (seen_by_host == MAP_FAILED) return 1;

  const cudaExternalMemory_t memory = import(fd, size);
  int* const whole = static_cast<int*>(map(memory, 0, size));
  int* const second_half = static_cast<int*>(map(memory, half, half));

  fill<<<size / sizeof(int) / 256, 256>>>(whole);
  CHECK(cudaGetLastError());
  add<<<half / sizeof(int) / 256, 256>>>(second_half, 1000);  // the same bytes by another address
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  const size_t middle = half / sizeof(int);
  std::printf("the host sees %d, %d, ... %d, %d\n", seen_by_host[0], seen_by_host[1],
              seen_by_host[middle], seen_by_host[middle + 1]);
  std::printf("the windows have %s address\n",
              whole + middle == second_half ? "the same" : "another");

  CHECK(cudaFree(second_half));
  CHECK(cudaFree(whole));
  CHECK(cudaDestroyExternalMemory(memory));
  munmap(const_cast<int*>(seen_by_host), size);
}
