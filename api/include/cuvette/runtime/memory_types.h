// SPDX-License-Identifier: Apache-2.0
// Memory: kinds of it, shapes in it, advice about it.
//
// Reference: CUDA Runtime API, "Memory Management".
#pragma once

#include "platform.h"

// Flags of cudaHostAlloc: for all contexts, reached by devices, not cached for reading.
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04

// Flags of cudaHostRegister: for all contexts, reached by devices, registers of a device on the
// bus, only read by devices.
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08

// Who may touch managed memory: everyone, the host alone, one stream.
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04

// The kind of memory at an address.
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

// The result of cudaPointerGetAttributes: addresses are null where the memory cannot be reached.
struct cudaPointerAttributes {
  enum cudaMemoryType type;
  // The device that the memory is on or, for the host's, was allocated for.
  int device;
  void* devicePointer;
  void* hostPointer;
#if CUVETTE_CUDART_MAJOR >= 13
  long reserved[8];
#endif
};

// A size in three dimensions: elements for arrays; in memory, bytes by rows by slices.
struct cudaExtent {
  size_t width;
  size_t height;
  size_t depth;
};

// Memory in rows.
struct cudaPitchedPtr {
  void* ptr;
  // The distance of rows, and the width of a row that counts, in bytes.
  size_t pitch;
  size_t xsize;
  // In rows: from slice to slice are pitch * ysize bytes.
  size_t ysize;
};

// An offset in three dimensions, in the units of cudaExtent.
struct cudaPos {
  size_t x;
  size_t y;
  size_t z;
};

// A device, the host, the memory of one of its nodes, or that next to the calling thread.
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeNone = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3,
  cudaMemLocationTypeHostNumaCurrent = 4,
};

// A place for memory.
struct cudaMemLocation {
  enum cudaMemLocationType type;
  // The device, or the host's node.
  int id;
};

// A program's advice about managed memory: mostly read (copies everywhere), best kept at a
// location, used by a location. Each can be taken back.
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6,
};

// The attributes of managed memory that may be queried.
enum cudaMemRangeAttribute {
  cudaMemRangeAttributeReadMostly = 1,
  cudaMemRangeAttributePreferredLocation = 2,
  cudaMemRangeAttributeAccessedBy = 3,
  cudaMemRangeAttributeLastPrefetchLocation = 4,
  cudaMemRangeAttributePreferredLocationType = 5,
  cudaMemRangeAttributePreferredLocationId = 6,
  cudaMemRangeAttributeLastPrefetchLocationType = 7,
  cudaMemRangeAttributeLastPrefetchLocationId = 8,
};

// A filling: height rows of width elements.
struct cudaMemsetParams {
  void* dst;
  // In bytes; unused for one row.
  size_t pitch;
  unsigned int value;
  // 1, 2 or 4 bytes, of value's lowest.
  unsigned int elementSize;
  // In elements; height is in rows.
  size_t width;
  size_t height;
};

// As cudaMemsetParams, in cudaGraphNodeParams.
struct cudaMemsetParamsV2 {
  void* dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width;
  size_t height;
};
