// SPDX-License-Identifier: Apache-2.0
// Closes what the caller keeps.
cudaExternalMemory_t import_segment(int fd, size_t size) {
  cudaExternalMemoryHandleDesc description = {};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = dup(fd);
  description.size = size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &description));
  close(fd);
  return memory;
}
