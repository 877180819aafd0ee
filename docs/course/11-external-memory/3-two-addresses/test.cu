// SPDX-License-Identifier: Apache-2.0
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

#include EXERCISE

int main() {
  const size_t size = 4096;
  for (const size_t offset : {0, 256, 1600}) {
    const int fd = make_segment(size);
    const cudaExternalMemory_t memory = import(fd, size);
    int* const a = static_cast<int*>(map(memory, offset, 64 * sizeof(int)));
    int* const b = static_cast<int*>(map(memory, offset + 32 * sizeof(int), 64 * sizeof(int)));
    int* results;
    std::vector<int> found(32);
    CHECK(cudaMalloc(&results, 32 * sizeof(int)));
    CHECK(cudaMemset(results, 0, 32 * sizeof(int)));
    exchange<<<1, 64>>>(a, b, results);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found.data(), results, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(results));
    CHECK(cudaFree(b));
    CHECK(cudaFree(a));
    CHECK(cudaDestroyExternalMemory(memory));

    int wrong = 0;
    for (int i = 0; i < 32; ++i) {
      const int expected = (i + 32) * (i + 32) + 1;
      if (found[i] == expected) continue;
      if (++wrong <= 3)
        std::printf("window at byte %zu, element %d: expected %d, got %d\n", offset, i, expected,
                    found[i]);
    }
    if (wrong) return 1;
  }
  std::printf("All numbers were seen by the other address.\n");
}
