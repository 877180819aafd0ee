// SPDX-License-Identifier: Apache-2.0
// One- and three-dimensional textures, and layered, cube-map and mipmapped ones.
#include "../textures.hpp"

__global__ void one(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1D<float>(texture, threadIdx.x * 0.3125f - 1);
}
__global__ void three(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex3D<float>(texture, threadIdx.x % 4 + 0.75f, threadIdx.x / 4 % 4 + 0.5f,
                                  threadIdx.x / 16 + 0.25f);
}
__global__ void layers(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x % 4 + 0.5f,
                                         threadIdx.x / 4 % 4 + 0.5f, threadIdx.x / 16);
}
__global__ void cube(cudaTextureObject_t texture, float* out) {
  const int t = threadIdx.x;
  out[t] = texCubemap<float>(texture, t % 3 - 1.0f + 0.1f, t / 3 % 3 - 1.0f + 0.2f,
                             t / 9 % 3 - 1.0f + 0.05f);
}

int main() {
  const auto format = cudaCreateChannelDesc<float>();
  const auto texels = corpus::floats(256);
  Buffer<float> out(64);
  cudaArray_t line;
  CHECK(cudaMallocArray(&line, &format, 16));
  CHECK(cudaMemcpy2DToArray(line, 0, 0, texels.data(), 64, 64, 1, cudaMemcpyHostToDevice));
  Texture texture1(line, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType,
                   false);
  RUN(one<<<1, 64>>>(texture1, out));
  corpus::show("one", out.read());
  std::vector<cudaArray_t> arrays{line};
  const auto box = [&](unsigned flags, size_t w, size_t h, size_t d) {
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(texels.data()), w * 4, w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    arrays.push_back(array);
    return array;
  };
  Texture texture3(box(0, 4, 4, 4), cudaAddressModeClamp, cudaFilterModeLinear,
                   cudaReadModeElementType, false);
  RUN(three<<<1, 64>>>(texture3, out));
  corpus::show("three", out.read());
  Texture layered(box(cudaArrayLayered, 4, 4, 4), cudaAddressModeClamp, cudaFilterModePoint,
                  cudaReadModeElementType, false);
  RUN(layers<<<1, 64>>>(layered, out));
  corpus::show("layers", out.read());
  Texture cubemap(box(cudaArrayCubemap, 4, 4, 6), cudaAddressModeClamp, cudaFilterModePoint,
                  cudaReadModeElementType, true);
  RUN(cube<<<1, 64>>>(cubemap, out));
  corpus::show("cube", out.read());
  for (const cudaArray_t array : arrays) CHECK(cudaFreeArray(array));
  return 0;
}
