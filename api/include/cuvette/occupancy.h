// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit on a multiprocessor, and the launch that fills the device best.
//
// Reference: CUDA Driver API, "Occupancy".
#pragma once

#include "error.h"
#include "execution.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUoccupancy_flags_enum {
  CU_OCCUPANCY_DEFAULT = 0x0,
  CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 0x1,
} CUoccupancy_flags;

// Returns how many bytes of dynamic shared memory a block of blockSize threads needs.
typedef size_t(CUDA_CB* CUoccupancyB2DSize)(int blockSize);

// Writes how many bytes of dynamic shared memory each block may use if numBlocks blocks are to
// share a multiprocessor.
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func,
                                                         int numBlocks, int blockSize);

// Writes how many blocks of blockSize threads fit on a multiprocessor.
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func,
                                                             int blockSize, size_t dynamicSMemSize);

// As cuOccupancyMaxActiveBlocksPerMultiprocessor, with CUoccupancy_flags.
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize, unsigned int flags);

// Writes how many clusters of a launch with this configuration fit on the device at once.
CUresult CUDAAPI cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func,
                                              const CUlaunchConfig* config);

// Writes the block size that gives the best occupancy, and the smallest grid that fills the device.
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                                  CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                  size_t dynamicSMemSize, int blockSizeLimit);

// As cuOccupancyMaxPotentialBlockSize, with CUoccupancy_flags.
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(
    int* minGridSize, int* blockSize, CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize, int blockSizeLimit,
    unsigned int flags);

// Writes the largest cluster size possible for a launch with this configuration.
CUresult CUDAAPI cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func,
                                                    const CUlaunchConfig* config);

#ifdef __cplusplus
}
#endif
