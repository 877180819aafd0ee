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

struct Pieces {
  int* from;
  int* to;
  std::vector<void*> windows;  // to be freed
};

#include EXERCISE

// Writes by one address and reads by the other; one block, with a thread for each number.
__global__ void pass_on(const int* from, int* to, const int* numbers, int* results) {
  const int i = threadIdx.x;
  to[i] = numbers[i];
  __syncthreads();
  results[i] = from[i];
}

// What the segment holds afterwards is computed here in the same way, on an array of the host.
int wrong_results(size_t from_offset, size_t to_offset, int count) {
  const size_t size = 8192, bytes = count * sizeof(int);
  std::vector<int> segment(size / sizeof(int)), numbers(count), found(count);
  std::iota(segment.begin(), segment.end(), 5000);  // no two are equal, here and in the numbers
  std::iota(numbers.begin(), numbers.end(), 1);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));

  const int fd = make_segment(size);
  if (pwrite(fd, segment.data(), size, 0) != static_cast<ssize_t>(size)) return 1;
  const cudaExternalMemory_t memory = import(fd, size);
  const Pieces pieces = map_both(memory, from_offset, to_offset, bytes);
  int *device, *results;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMalloc(&results, bytes));
  CHECK(cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice));
  pass_on<<<1, count>>>(pieces.from, pieces.to, device, results);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found.data(), results, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(results));
  CHECK(cudaFree(device));
  for (void* window : pieces.windows) CHECK(cudaFree(window));
  CHECK(cudaDestroyExternalMemory(memory));

  std::copy(numbers.begin(), numbers.end(), segment.begin() + to_offset / sizeof(int));
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const int expected = segment[from_offset / sizeof(int) + i];
    if (found[i] == expected) continue;
    if (++wrong <= 3)
      std::printf("from byte %zu, to byte %zu, element %d: expected %d, got %d\n", from_offset,
                  to_offset, i, expected, found[i]);
  }
  return wrong;
}

int main() {
  if (wrong_results(1024, 1280, 160)) return 1;
  if (wrong_results(2048, 1600, 200)) return 1;
  if (wrong_results(512, 512, 96)) return 1;
  CHECK(cudaDeviceReset());  // what is not given back by now is leaked
  std::printf("All results are right.\n");
}
