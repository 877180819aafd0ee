// SPDX-License-Identifier: Apache-2.0
// Kernels as functions: what they need, and what may be set.
//
// Reference: CUDA Runtime API, "Execution Control".
#pragma once

#include "platform.h"

// Flags of the occupancy functions: the second lets a kernel that caches globals count as if it did
// not.
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01

// The needs of a kernel. Sizes are in bytes.
struct cudaFuncAttributes {
  // Static shared memory of each block.
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  // Of each thread.
  size_t localSizeBytes;
  // The limit that its registers allow, or __launch_bounds__.
  int maxThreadsPerBlock;
  // Of each thread.
  int numRegs;
  // The architecture of its PTX, in the same way.
  int ptxVersion;
  // The architecture of its code, 10 * major + minor.
  int binaryVersion;
  // Whether global loads are cached in L1.
  int cacheModeCA;
  // The most that a launch may ask for.
  int maxDynamicSharedSizeBytes;
  // In percent of the whole; -1 leaves it to the driver.
  int preferredShmemCarveout;
  // Whether a launch must say the shape of its clusters.
  int clusterDimMustBeSet;
  // The shape for which the kernel was compiled; 0 for any.
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
};

// The attributes that may be set: the most dynamic shared memory in bytes, the part of shared
// memory in percent, the shape of clusters.
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12,
  cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
  cudaFuncAttributeMax,
};

// A kernel's preference.
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};

// The width of banks of shared memory.
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2,
};

// The part of shared memory in percent of what L1 and it share.
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxShared = 100,
  cudaSharedmemCarveoutMaxL1 = 0,
};

// The scope of a cooperative group.
enum cudaCGScope {
  cudaCGScopeInvalid = 0,
  cudaCGScopeGrid = 1,
#if CUVETTE_CUDART_MAJOR == 12
  cudaCGScopeMultiGrid = 2,
#else
  cudaCGScopeReserved = 2,
#endif
};
