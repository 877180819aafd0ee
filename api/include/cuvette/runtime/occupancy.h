// SPDX-License-Identifier: Apache-2.0
// Occupancy: how many blocks and clusters of a kernel a device holds at a time.
//
// Reference: CUDA Runtime API, "Occupancy".
#pragma once

#include "error_types.h"
#include "launch_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes how many bytes of dynamic shared memory a block may have so that a multiprocessor still
// holds numBlocks of them.
cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize,
                                                                const void* func, int numBlocks,
                                                                int blockSize);

// Writes how many blocks of blockSize threads, with dynamicSMemSize bytes each, a multiprocessor
// holds.
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks,
                                                                    const void* func, int blockSize,
                                                                    size_t dynamicSMemSize);

// As cudaOccupancyMaxActiveBlocksPerMultiprocessor; flags are cudaOccupancyDefault or
// cudaOccupancyDisableCachingOverride.
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, const void* func, int blockSize, size_t dynamicSMemSize, unsigned int flags);

// Writes how many clusters of a launch the device holds.
cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                                     const cudaLaunchConfig_t* launchConfig);

// Writes the most blocks of a cluster with which such a launch works.
cudaError_t CUDARTAPI cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                                           const cudaLaunchConfig_t* launchConfig);

#ifdef __cplusplus
}
#endif
