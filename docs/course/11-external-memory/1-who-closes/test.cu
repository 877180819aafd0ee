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

#include EXERCISE

__global__ void double_all(int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] *= 2;
}

int main() {
  for (const int count : {100, 1, 1025}) {
    std::vector<int> numbers(count), found(count);
    std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    const size_t size = count * sizeof(int);
    const int fd = make_segment(size);

    const cudaExternalMemory_t memory = import_segment(fd, size);
    cudaExternalMemoryBufferDesc description = {};
    description.size = size;
    void* window;
    CHECK(cudaExternalMemoryGetMappedBuffer(&window, memory, &description));

    if (pwrite(fd, numbers.data(), size, 0) != static_cast<ssize_t>(size)) {
      std::printf("%d numbers: the caller can no longer write to its descriptor.\n", count);
      return 1;
    }
    double_all<<<(count + 127) / 128, 128>>>(static_cast<int*>(window), count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    if (pread(fd, found.data(), size, 0) != static_cast<ssize_t>(size)) {
      std::printf("%d numbers: the caller can no longer read from its descriptor.\n", count);
      return 1;
    }
    CHECK(cudaFree(window));
    CHECK(cudaDestroyExternalMemory(memory));
    close(fd);

    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      if (found[i] == 2 * numbers[i]) continue;
      if (++wrong <= 3)
        std::printf("%d numbers, element %d: expected %d, got %d\n", count, i, 2 * numbers[i],
                    found[i]);
    }
    if (wrong) return 1;
  }
  std::printf("All numbers are doubled.\n");
}
