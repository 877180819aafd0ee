// SPDX-License-Identifier: Apache-2.0
// C++ forms of the occupancy functions, and the search for the block size that fills a device.
//
// Reference: CUDA Runtime API, "C++ API Routines".
#pragma once

#include "device.h"
#include "execution.h"
#include "occupancy.h"

// As the C functions, for a kernel by its name.
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func,
                                                                        int blockSize,
                                                                        size_t dynamicSMemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, (const void*)func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, T func, int blockSize, size_t dynamicSMemSize, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, (const void*)func, blockSize, dynamicSMemSize, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize,
                                                                    T* func, int numBlocks,
                                                                    int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void*)func, numBlocks,
                                                     blockSize);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* clusterSize, T* func,
                                                               const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void*)func, config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, T* func,
                                                         const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(numClusters, (const void*)func, config);
}

// Writes the block size with which a multiprocessor holds the most threads of a kernel, the largest
// if several do, and the fewest blocks that fill the device. blockSizeToDynamicSMemSize says how
// many bytes of dynamic shared memory a block of a size has. blockSizeLimit 0 means none.
template <typename UnaryFunction, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* minGridSize, int* blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0) {
  if (minGridSize == nullptr || blockSize == nullptr || (const void*)func == nullptr) {
    return cudaErrorInvalidValue;
  }

  int device = 0;
  cudaError_t error = ::cudaGetDevice(&device);
  int warp = 0, largest = 0, multiprocessors = 0, most_threads = 0;
  const struct {
    enum cudaDeviceAttr attribute;
    int* value;
  } asked[] = {{cudaDevAttrWarpSize, &warp},
               {cudaDevAttrMaxThreadsPerBlock, &largest},
               {cudaDevAttrMultiProcessorCount, &multiprocessors},
               {cudaDevAttrMaxThreadsPerMultiProcessor, &most_threads}};
  for (const auto& question : asked) {
    if (error == cudaSuccess) {
      error = ::cudaDeviceGetAttribute(question.value, question.attribute, device);
    }
  }
  struct cudaFuncAttributes attributes;
  if (error == cudaSuccess) {
    error = ::cudaFuncGetAttributes(&attributes, (const void*)func);
  }
  if (error != cudaSuccess) {
    return error;
  }

  if (attributes.maxThreadsPerBlock < largest) largest = attributes.maxThreadsPerBlock;
  if (blockSizeLimit != 0 && blockSizeLimit < largest) largest = blockSizeLimit;
  int best_size = 0, best_blocks = 0;
  // The largest size itself, then all multiples of a warp below it.
  for (int size = largest; size > 0; size = (size - 1) / warp * warp) {
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (const void*)func, size, blockSizeToDynamicSMemSize(size), flags);
    if (error != cudaSuccess) {
      return error;
    }
    if (size * blocks > best_size * best_blocks) {
      best_size = size;
      best_blocks = blocks;
    }
    if (best_size * best_blocks == most_threads) break;
  }
  *minGridSize = best_blocks * multiprocessors;
  *blockSize = best_size;
  return cudaSuccess;
}

// As above, with no flags.
template <typename UnaryFunction, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* minGridSize, int* blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit,
      cudaOccupancyDefault);
}

// As above, with the same dynamic shared memory for blocks of all sizes.
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize,
                                                                      int* blockSize, T func,
                                                                      size_t dynamicSMemSize = 0,
                                                                      int blockSizeLimit = 0,
                                                                      unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, [dynamicSMemSize](int) { return dynamicSMemSize; },
      blockSizeLimit, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize,
                                                             T func, size_t dynamicSMemSize = 0,
                                                             int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize,
                                                     blockSizeLimit, cudaOccupancyDefault);
}
