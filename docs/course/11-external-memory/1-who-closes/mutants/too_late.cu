// SPDX-License-Identifier: Apache-2.0
// Gives the caller another number, which it does not get to know, and CUDA the caller's.
cudaExternalMemory_t import_segment(int fd, size_t size) {
  cudaExternalMemoryHandleDesc description = {};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = fd;
  description.size = size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &description));
  fd = dup(fd);
  return memory;
}
