// SPDX-License-Identifier: Apache-2.0
// Pictures that are loaded into arrays and bound as textures, a new atlas in each round.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  std::vector<unsigned char> picture(size_t{300} * 300 * 4, 9);
  CUdeviceptr memory = 0;
  TIMED(cuMemAlloc, &memory, size_t{4096});
  for (int round = 0; round < 12; ++round) {
    CUarray arrays[5] = {};
    CUtexObject textures[5] = {};
    for (int i = 0; i < 5; ++i) {
      const CUDA_ARRAY_DESCRIPTOR shape{300, 300, CU_AD_FORMAT_UNSIGNED_INT8, 4};
      TIMED(cuArrayCreate, &arrays[i], &shape);
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = picture.data();
      copy.srcPitch = copy.WidthInBytes = size_t{300} * 4;
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = arrays[i];
      copy.Height = 300;
      TIMED(cuMemcpy2D, &copy);
      CUDA_RESOURCE_DESC resource{};
      resource.resType = CU_RESOURCE_TYPE_ARRAY;
      resource.res.array.hArray = arrays[i];
      CUDA_TEXTURE_DESC texture{};
      TIMED(cuTexObjectCreate, &textures[i], &resource, &texture, nullptr);
    }
    for (int i = 0; i < 8; ++i) scene.launch(memory, nullptr);
    TIMED(cuCtxSynchronize);
    for (int i = 0; i < 5; ++i) {
      TIMED(cuTexObjectDestroy, textures[i]);
      TIMED(cuArrayDestroy, arrays[i]);
    }
  }
  TIMED(cuMemFree, memory);
}
