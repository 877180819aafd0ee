// SPDX-License-Identifier: Apache-2.0
// Textures with several levels: chosen by number and by derivatives.
#include "../textures.hpp"

__global__ void levels(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] =
      tex2DLod<float>(texture, threadIdx.x % 8 * 0.125f, 0.4f, threadIdx.x / 8 * 0.25f);
}
__global__ void gradients(cudaTextureObject_t texture, float* out) {
  const float d = 0.0625f * (1 + threadIdx.x / 8);
  out[threadIdx.x] = tex2DGrad<float>(texture, threadIdx.x % 8 * 0.125f, 0.3f, make_float2(d, 0),
                                      make_float2(0, d));
}

int main() {
  const auto format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t all;
  CHECK(cudaMallocMipmappedArray(&all, &format, make_cudaExtent(16, 16, 0), 4));
  for (unsigned level = 0; level < 4; ++level) {
    const size_t size = 16 >> level;
    std::vector<float> texels(size * size);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = level * 100.0f + i % size;
    cudaArray_t one;
    CHECK(cudaGetMipmappedArrayLevel(&one, all, level));
    CHECK(cudaMemcpy2DToArray(one, 0, 0, texels.data(), size * 4, size * 4, size,
                              cudaMemcpyHostToDevice));
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = all;
  Buffer<float> out(64);
  for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
    description.filterMode = description.mipmapFilterMode = filter;
    description.normalizedCoords = 1;
    description.maxMipmapLevelClamp = 3;
    Texture texture(resource, description);
    RUN(levels<<<1, 64>>>(texture, out));
    corpus::show("levels", out.read(), 64);
    RUN(gradients<<<1, 32>>>(texture, out));
    corpus::show("gradients", out.read(), 32);
  }
  CHECK(cudaFreeMipmappedArray(all));
  return 0;
}
