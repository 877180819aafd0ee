// SPDX-License-Identifier: Apache-2.0
// Short names of what tests of memory and of arrays ask and give all the time.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>

inline constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE;
inline constexpr size_t largest = ~size_t{0};

inline constexpr auto uint8 = CU_AD_FORMAT_UNSIGNED_INT8;
inline constexpr unsigned layered = CUDA_ARRAY3D_LAYERED, cube = CUDA_ARRAY3D_CUBEMAP;

inline CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

inline size_t free_memory() {
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_LE(free, total);
  return free;
}

inline size_t attribute(CUdevice_attribute which) {
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, which, 0), CUDA_SUCCESS);
  return static_cast<size_t>(value);
}
