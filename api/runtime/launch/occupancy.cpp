// SPDX-License-Identifier: Apache-2.0
// How many blocks and clusters of a kernel fit on the device.
//
// Reference: CUDA Runtime API, "Occupancy".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/launch/configuration.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                          int blockSize, size_t dynamicSMemSize) {
  return call([&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    return DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(numBlocks, function, blockSize,
                                                               dynamicSMemSize);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags) {
  return call([&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    return DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(
        numBlocks, function, blockSize, dynamicSMemSize, flags);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func,
                                                      int numBlocks, int blockSize) {
  return call([&]() -> Status {
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    return DRIVER(cuOccupancyAvailableDynamicSMemPerBlock)(dynamicSmemSize, function, numBlocks,
                                                           blockSize);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                           const cudaLaunchConfig_t* launchConfig) {
  return call([&]() -> Status {
    if (launchConfig == nullptr) return cudaErrorInvalidValue;
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    const CUlaunchConfig config = driver_launch(*launchConfig);
    return DRIVER(cuOccupancyMaxActiveClusters)(numClusters, function, &config);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                                 const cudaLaunchConfig_t* launchConfig) {
  return call([&]() -> Status {
    if (launchConfig == nullptr) return cudaErrorInvalidValue;
    CUfunction function = nullptr;
    CHECK(find_function(func, &function));
    const CUlaunchConfig config = driver_launch(*launchConfig);
    return DRIVER(cuOccupancyMaxPotentialClusterSize)(clusterSize, function, &config);
  });
}
}
