// SPDX-License-Identifier: Apache-2.0
// Adds the offset to a pointer to int, which counts in steps of four bytes.
void double_by_cuda(int fd, size_t allocation_size, size_t offset, int count) {
  cudaExternalMemoryHandleDesc handle = {};
  handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
  handle.handle.fd = fd;
  handle.size = allocation_size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &handle));

  cudaExternalMemoryBufferDesc window = {};
  window.size = allocation_size;
  void* numbers;
  CHECK(cudaExternalMemoryGetMappedBuffer(&numbers, memory, &window));
  double_all<<<(count + 127) / 128, 128>>>(static_cast<int*>(numbers) + offset, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(numbers));
  CHECK(cudaDestroyExternalMemory(memory));
}
