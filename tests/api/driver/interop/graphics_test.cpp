// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include "tests/api/driver/gate.hpp"

namespace {

TEST(cuGraphicsMapResources, RefusesWhatIsNoResource) {
  OK(cuInit(0));
  OK(cuCtxSetCurrent(nullptr));
  static char own[64];
  CUgraphicsResource resource = reinterpret_cast<CUgraphicsResource>(own);
  EXPECT_EQ(cuGraphicsMapResources(0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsMapResources(1, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsMapResources(1, &resource, nullptr), CUDA_ERROR_INVALID_HANDLE);
  const Scene scene;
  EXPECT_EQ(cuGraphicsMapResources(0, &resource, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsMapResources(1, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsMapResources(1, &resource, nullptr), CUDA_ERROR_INVALID_HANDLE);
  resource = nullptr;
  EXPECT_EQ(cuGraphicsMapResources(1, &resource, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
