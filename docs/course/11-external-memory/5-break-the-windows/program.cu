// SPDX-License-Identifier: Apache-2.0
// Three windows into one segment, and a stream for each. In which order is the sum wrong?
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

__global__ void put(int* numbers, int value) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void add(int* numbers, int value) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

int main() {
  const size_t count = 4096, size = count * sizeof(int), quarter = size / 4;
  const int fd = make_segment(size);
  const int* const seen = static_cast<int*>(mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0));
  if (seen == MAP_FAILED) return 1;
  const cudaExternalMemory_t memory = import(fd, size);
  int* const head = static_cast<int*>(map(memory, 0, 2 * quarter));
  int* const middle = static_cast<int*>(map(memory, quarter, 2 * quarter));
  int* const tail = static_cast<int*>(map(memory, 3 * quarter, quarter));
  cudaStream_t streams[3];
  for (cudaStream_t& stream : streams)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  put<<<8, 256, 0, streams[0]>>>(head, 1);
  CHECK(cudaGetLastError());
  add<<<8, 256, 0, streams[1]>>>(middle, 10);
  CHECK(cudaGetLastError());
  put<<<4, 256, 0, streams[2]>>>(tail, 5);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  int sum = 0;
  for (size_t i = 0; i < count; ++i) sum += seen[i];
  const int expected = 2048 * 1 + 2048 * 10 + 1024 * 5;
  std::printf("sum: %d, expected: %d\n", sum, expected);

  for (const cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  for (int* window : {tail, middle, head}) CHECK(cudaFree(window));
  CHECK(cudaDestroyExternalMemory(memory));
  munmap(const_cast<int*>(seen), size);
  return sum == expected ? 0 : 1;
}
