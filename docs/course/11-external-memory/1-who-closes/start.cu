// SPDX-License-Identifier: Apache-2.0
// Makes the segment known to CUDA. The caller keeps fd.
cudaExternalMemory_t import_segment(int fd, size_t size) {
  cudaExternalMemoryHandleDesc description = {};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = fd;
  description.size = size;
  cudaExternalMemory_t memory;
  CHECK(cudaImportExternalMemory(&memory, &description));
  return memory;
}
