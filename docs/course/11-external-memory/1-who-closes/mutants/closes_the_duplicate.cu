// SPDX-License-Identifier: Apache-2.0
// Closes the number that CUDA has taken over, which may be another file by now.
cudaExternalMemory_t import_segment(int fd, size_t size) {
  cudaExternalMemoryHandleDesc description = {};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = dup(fd);
  description.size = size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &description));
  close(description.handle.fd);
  return memory;
}
