// SPDX-License-Identifier: Apache-2.0
// Imports Vulkan's descriptors as external memory, and maps them.
#pragma once

#include "vulkan.hpp"

inline CUexternalMemory import(int fd, size_t size, CUresult* r = nullptr, unsigned flags = 0) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC d;
  memset(&d, 0, sizeof d);
  d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  d.handle.fd = fd;
  d.size = size;
  d.flags = flags;
  CUexternalMemory m = nullptr;
  CUresult e = cuImportExternalMemory(&m, &d);
  if (r)
    *r = e;
  else
    PREPARE(e);
  return m;
}
inline CUresult map(CUdeviceptr* p, CUexternalMemory m, unsigned long long off,
                    unsigned long long size, unsigned flags = 0) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC b;
  memset(&b, 0, sizeof b);
  b.offset = off;
  b.size = size;
  b.flags = flags;
  return cuExternalMemoryGetMappedBuffer(p, m, &b);
}
