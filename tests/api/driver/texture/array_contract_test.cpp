// SPDX-License-Identifier: Apache-2.0
// CUVETTE_CONTRACT=driver: what the driver accepts although the documentation forbids it.
#include <cuda.h>

#include "tests/api/driver/arrays.hpp"

namespace {

constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE;
constexpr ElementFormat bytes1{CU_AD_FORMAT_UNSIGNED_INT8, 1, 1};

TEST(ArrayContract, CopiesOfPartsOfElements) {
  const Scene scene;
  const CUarray array = new_array(64, 8);  // elements of 4 bytes
  const ByteExtents extents{256, 8, 1};
  auto expected = different_bytes(extents.size());
  write_all(array, extents, expected);
  const auto bytes = different_bytes(6, 2);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = bytes.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.dstXInBytes = 3;
  copy.WidthInBytes = 6;
  copy.Height = 1;
  OK(cuMemcpy2D(&copy));
  std::copy(bytes.begin(), bytes.end(), expected.begin() + 3);
  EXPECT_EQ(read_all(array, extents), expected);

  const CUdeviceptr memory = new_memory(256);
  EXPECT_EQ(cuMemcpyAtoD(memory + 1, array, 2, 5), CUDA_SUCCESS);
  const CUarray line = new_array(256, 0, 0, 0, bytes1);
  EXPECT_EQ(cuMemcpyAtoA(line, 1, array, 3, 5), CUDA_SUCCESS);
  // Copies beyond the array, and copies of parts of blocks, are still refused.
  EXPECT_EQ(cuMemcpyAtoA(line, 253, array, 3, 5), invalid);
  const CUarray blocks = new_array(64, 64, 0, 0, {CU_AD_FORMAT_BC1_UNORM, 4, 8, 4});
  EXPECT_EQ(cuMemcpyAtoD(memory, blocks, 0, 4), invalid);
  EXPECT_EQ(cuMemcpyAtoA(line, 0, blocks, 0, 8), invalid);
}

TEST(ArrayContract, TexturesOfAnyAddress) {
  const Scene scene;
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {0x1000, CU_AD_FORMAT_FLOAT, 1, 4096};
  const CUDA_TEXTURE_DESC way{};
  CUtexObject texture = 0;
  OK(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  OK(cuTexObjectDestroy(texture));
  resource.res.linear.devPtr = 0;
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &way, nullptr), invalid);
  // Destroying an invalid handle does nothing.
  EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
  EXPECT_EQ(cuSurfObjectDestroy(0x12345678), CUDA_SUCCESS);
}

}  // namespace
