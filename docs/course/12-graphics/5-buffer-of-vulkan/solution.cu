// SPDX-License-Identifier: Apache-2.0
// Doubles the numbers of the buffer, which begins at byte `offset` of the memory. The window is the
// buffer, and no more of the memory than that.
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
  CHECK(cudaDeviceSynchronize());  // Vulkan's side reads when this function returns
  CHECK(cudaFree(numbers));
  CHECK(cudaDestroyExternalMemory(memory));
}
