// SPDX-License-Identifier: Apache-2.0
// Two-dimensional textures: each address mode, point and linear filtering, normalised coordinates,
// bytes read as floats.
#include "../textures.hpp"

__global__ void sample(cudaTextureObject_t texture, float* out, float scale, float first) {
  const int t = threadIdx.x;
  out[t] =
      tex2D<float>(texture, (t % 16 * 0.6875f + first) * scale, (t / 16 * 0.4375f + first) * scale);
}
__global__ void colours(cudaTextureObject_t texture, float4* out) {
  const int t = threadIdx.x;
  out[t] = tex2D<float4>(texture, t % 8 + 0.5f, t / 8 + 0.5f);
}
__global__ void corners(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] =
      tex2Dgather<float4>(texture, threadIdx.x % 8 * 0.9f, threadIdx.x / 8 * 0.8f, 0);
}

int main() {
  const auto texels = corpus::floats(64);
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, 8, 8, cudaArrayTextureGather));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 32, 32, 8, cudaMemcpyHostToDevice));
  Buffer<float> out(128);
  Buffer<float4> wide(64);
  for (auto mode :
       {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder})
    for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear})
      for (int normalised = 0; normalised < 2; ++normalised) {
        if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
        Texture texture(array, mode, filter, cudaReadModeElementType, normalised);
        RUN(sample<<<1, 128>>>(texture, out, normalised ? 0.125f : 1.0f, -2.25f));
        corpus::show("sample", out.read());
      }
  Texture points(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
  RUN(corners<<<1, 64>>>(points, wide));
  printf("corners %016llx\n", corpus::digest(wide.read()));
  std::vector<uchar4> pixels(64);
  for (int i = 0; i < 64; ++i) pixels[i] = make_uchar4(i * 4, 255 - i, i % 5 * 51, 255);
  cudaArray_t image;
  const auto bytes = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMallocArray(&image, &bytes, 8, 8));
  CHECK(cudaMemcpy2DToArray(image, 0, 0, pixels.data(), 32, 32, 8, cudaMemcpyHostToDevice));
  Texture normal(image, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat,
                 false);
  RUN(colours<<<1, 64>>>(normal, wide));
  const auto c = wide.read();
  printf("%.4f %.4f %.4f %.4f | %016llx\n", c[10].x, c[10].y, c[10].z, c[10].w, corpus::digest(c));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(image));
  return 0;
}
