// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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

__global__ void double_numbers(int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] *= 2;
}

#include EXERCISE

int main() {
  for (const int count : {128, 1, 1000}) {
    const size_t bytes = count * sizeof(int);
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    const int fd = make_segment(bytes);
    int* const seen =
        static_cast<int*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (seen == MAP_FAILED) return 1;
    std::copy(numbers.begin(), numbers.end(), seen);

    double_all(dup(fd), seen, count);

    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      if (seen[i] == 2 * numbers[i]) continue;
      if (++wrong <= 3)
        std::printf("%d numbers, element %d: expected %d, got %d\n", count, i, 2 * numbers[i],
                    seen[i]);
    }
    munmap(seen, bytes);
    close(fd);
    if (wrong) return 1;
  }
  CHECK(cudaDeviceReset());  // what is not given back by now is leaked
  std::printf("All numbers are doubled.\n");
}
