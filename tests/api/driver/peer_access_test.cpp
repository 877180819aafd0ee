// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include "tests/api/driver/gate.hpp"

namespace {

TEST(cuDeviceCanAccessPeer, SaysNo) {
  OK(cuInit(0));
  int able = 9;
  OK(cuDeviceCanAccessPeer(&able, 0, 0));
  EXPECT_EQ(able, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceCanAccessPeer(nullptr, 1000, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceCanAccessPeer(&able, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceCanAccessPeer(&able, -1, 0), CUDA_ERROR_INVALID_DEVICE);
}

}  // namespace
