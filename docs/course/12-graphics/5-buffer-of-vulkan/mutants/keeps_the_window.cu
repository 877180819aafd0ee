// SPDX-License-Identifier: Apache-2.0
// Destroys the memory object, and keeps the window.
void double_by_cuda(int fd, size_t allocation_size, size_t offset, int count) {
  cudaExternalMemoryHandleDesc handle = {};
  handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
  handle.handle.fd = fd;
  handle.size = allocation_size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &handle));

  cudaExternalMemoryBufferDesc window = {};
  window.offset = offset;
  window.size = count * sizeof(int);
  void* numbers;
  CHECK(cudaExternalMemoryGetMappedBuffer(&numbers, memory, &window));
  double_all<<<(count + 127) / 128, 128>>>(static_cast<int*>(numbers), count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDestroyExternalMemory(memory));
}
