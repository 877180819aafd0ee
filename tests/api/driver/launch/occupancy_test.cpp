// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include "tests/api/driver/kernels.hpp"

namespace {

TEST(cuOccupancyMaxActiveBlocksPerMultiprocessor, IsTheHardwares) {
  const Kernels kernels;
  struct Case {
    int threads;
    size_t shared;
    int blocks;
  };
  for (const Case& one : {Case{128, 0, 16}, Case{1024, 0, 2}, Case{2048, 0, 0}, Case{1, 0, 32},
                          Case{32, 48 << 10, 4}, Case{256, (48 << 10) + 1, 0}}) {
    int blocks = -1;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels["none"], one.threads,
                                                   one.shared));
    EXPECT_EQ(blocks, one.blocks) << one.threads << " threads, " << one.shared << " bytes";
  }
  int blocks = -1;
  OK(cuFuncSetAttribute(kernels["none"], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        227 << 10));
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels["none"], 256, 227 << 10));
  EXPECT_EQ(blocks, 1) << "what a launch may have";
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels["some_shared"], 32, 0));
  EXPECT_EQ(blocks, 20);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernels["none"], 32, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels["none"], 0, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, ChecksItsFlags) {
  const Kernels kernels;
  int blocks = 0;
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernels["none"], 128, 0, 1));
  EXPECT_EQ(blocks, 16);
  EXPECT_EQ(
      cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernels["none"], 128, 0, 2),
      CUDA_ERROR_INVALID_VALUE);
}

TEST(cuOccupancyMaxPotentialBlockSize, FillsTheDevice) {
  const Kernels kernels;
  int grid = 0, size = 0;
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &size, kernels["none"], nullptr, 0, 0));
  EXPECT_EQ(size, 1024);
  EXPECT_EQ(grid, 264);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &size, kernels["none"], nullptr, 0, 100));
  EXPECT_LE(size, 100);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &size, kernels["most"], nullptr, 0, 0));
  EXPECT_EQ(size, 128);
}

TEST(cuOccupancyMaxPotentialBlockSizeWithFlags, AsksForSharedMemory) {
  const Kernels kernels;
  int grid = 0, size = 0;
  OK(cuOccupancyMaxPotentialBlockSizeWithFlags(
      &grid, &size, kernels["none"], [](int threads) { return static_cast<size_t>(threads) * 400; },
      0, 0, 0));
  EXPECT_GT(size, 0);
  EXPECT_LE(size * 400, 227 << 10);
}

TEST(cuOccupancyAvailableDynamicSMemPerBlock, SharesTheMultiprocessors) {
  const Kernels kernels;
  size_t bytes = 0;
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernels["none"], 1, 32));
  EXPECT_EQ(bytes, size_t{48} << 10);
  OK(cuFuncSetAttribute(kernels["none"], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        227 << 10));
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernels["none"], 1, 32));
  EXPECT_EQ(bytes, size_t{227} << 10);
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernels["none"], 2, 32));
  EXPECT_EQ(bytes, size_t{114} << 10);
  EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernels["none"], 0, 32),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuOccupancyMaxActiveClusters, AreBlocks) {
  const Kernels kernels;
  CUlaunchConfig config = {1, 1, 1, 1024, 1, 1, 0, nullptr, nullptr, 0};
  int clusters = -1;
  OK(cuOccupancyMaxActiveClusters(&clusters, kernels["none"], &config));
  EXPECT_EQ(clusters, 264);
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&clusters, kernels["none"], nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuOccupancyMaxPotentialClusterSize, IsOne) {
  const Kernels kernels;
  CUlaunchConfig config = {1, 1, 1, 1024, 1, 1, 0, nullptr, nullptr, 0};
  int size = 0;
  OK(cuOccupancyMaxPotentialClusterSize(&size, kernels["none"], &config));
  EXPECT_EQ(size, 1);
}

}  // namespace
