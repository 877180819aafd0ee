// SPDX-License-Identifier: Apache-2.0
// Memory pools: where memory allocated in stream order comes from.
//
// Reference: CUDA Runtime API, "Stream Ordered Memory Allocator".
#pragma once

#include "interprocess_types.h"
#include "memory_types.h"
#include "platform.h"

// A pool for memory into which the device decompresses.
#define cudaMemPoolCreateUsageHwDecompress 0x2

// The attributes that may be set or queried: three ways in which freed memory is used again before
// its stream is done (int), the bytes kept after a synchronization (uint64_t), and bytes reserved
// and used, now and at most (uint64_t).
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 0x1,
  cudaMemPoolReuseAllowOpportunistic = 0x2,
  cudaMemPoolReuseAllowInternalDependencies = 0x3,
  cudaMemPoolAttrReleaseThreshold = 0x4,
  cudaMemPoolAttrReservedMemCurrent = 0x5,
  cudaMemPoolAttrReservedMemHigh = 0x6,
  cudaMemPoolAttrUsedMemCurrent = 0x7,
  cudaMemPoolAttrUsedMemHigh = 0x8,
};

// How a location may reach memory.
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone = 0,
  cudaMemAccessFlagsProtRead = 1,
  cudaMemAccessFlagsProtReadWrite = 3,
};

// Who may reach memory, and how.
struct cudaMemAccessDesc {
  struct cudaMemLocation location;
  enum cudaMemAccessFlags flags;
};

// Page-locked or managed.
enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid = 0x0,
  cudaMemAllocationTypePinned = 0x1,
#if CUVETTE_CUDART_MAJOR >= 13
  cudaMemAllocationTypeManaged = 0x2,
#endif
  cudaMemAllocationTypeMax = 0x7FFFFFFF,
};

// The kinds of handles for other processes; a mask.
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone = 0x0,
  cudaMemHandleTypePosixFileDescriptor = 0x1,
  cudaMemHandleTypeWin32 = 0x2,
  cudaMemHandleTypeWin32Kmt = 0x4,
  cudaMemHandleTypeFabric = 0x8,
};

// The properties of a pool.
struct cudaMemPoolProps {
  enum cudaMemAllocationType allocType;
  enum cudaMemAllocationHandleType handleTypes;
  struct cudaMemLocation location;
  // For handles of Windows only.
  void* win32SecurityAttributes;
  // In bytes; 0 lets the driver choose.
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

// The data that cudaMemPoolExportPointer writes, opaque.
struct cudaMemPoolPtrExportData {
  unsigned char reserved[64];
};

// A handle of memory for another machine, opaque.
typedef struct cudaMemFabricHandle_st {
  char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaMemFabricHandle_t;
