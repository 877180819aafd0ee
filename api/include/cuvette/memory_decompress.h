// SPDX-License-Identifier: Apache-2.0
// Decompression by the device, many buffers at once.
//
// Reference: CUDA Driver API, "Memory Management".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUmemDecompressAlgorithm_enum {
  CU_MEM_DECOMPRESS_UNSUPPORTED = 0x0,
  CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE = 0x1,
  CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY = 0x2,
  CU_MEM_DECOMPRESS_ALGORITHM_LZ4 = 0x4,
} CUmemDecompressAlgorithm;

typedef struct CUmemDecompressParams_st {
  size_t srcNumBytes;
  size_t dstNumBytes;
  cuuint32_t* dstActBytes;
  const void* src;
  void* dst;
  CUmemDecompressAlgorithm algo;
  unsigned char padding[20];
} CUmemDecompressParams;

// The exported symbol that each of these names expands to.
#define cuMemBatchDecompressAsync __CUDA_API_PTSZ(cuMemBatchDecompressAsync)

// Decompresses count buffers in stream's order; errorIndex receives the first that was refused.
CUresult CUDAAPI cuMemBatchDecompressAsync(CUmemDecompressParams* paramsArray, size_t count,
                                           unsigned int flags, size_t* errorIndex, CUstream stream);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuMemBatchDecompressAsync

// The other versions that the library exports.
CUresult CUDAAPI cuMemBatchDecompressAsync(CUmemDecompressParams* paramsArray, size_t count,
                                           unsigned int flags, size_t* errorIndex, CUstream stream);
#endif

#ifdef __cplusplus
}
#endif
