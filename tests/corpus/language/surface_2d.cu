// SPDX-License-Identifier: Apache-2.0
// Surfaces: written and read by kernels with each boundary mode, and then read as a texture.
#include "../textures.hpp"

__global__ void draw(cudaSurfaceObject_t surface, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) surf2Dwrite(x * 10.0f + y, surface, x * 4, y);
}
__global__ void shift(cudaSurfaceObject_t surface, float* out, int w) {
  const int x = threadIdx.x % w, y = threadIdx.x / w;
  float v = 0;
  surf2Dread(&v, surface, (x + 3) * 4, y + 1, cudaBoundaryModeZero);
  out[threadIdx.x] = v + surf2Dread<float>(surface, (x + 5) * 4, y, cudaBoundaryModeClamp);
}
__global__ void sample(cudaTextureObject_t texture, float* out, int w) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x % w + 1.0f, threadIdx.x / w + 0.5f);
}
__global__ void bytes(cudaSurfaceObject_t surface) {
  surf2Dwrite(make_uchar4(threadIdx.x, 1, 2, 255), surface, threadIdx.x * 4, 0);
}

int main() {
  cudaArray_t array, image;
  const auto format = cudaCreateChannelDesc<float>();
  const auto pixel = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMallocArray(&array, &format, 12, 9, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&image, &pixel, 16, 2, cudaArraySurfaceLoadStore));
  Surface surface(array), pixels(image);
  Buffer<float> out(108);
  RUN(draw<<<dim3(2, 3), dim3(8, 4)>>>(surface, 12, 9));
  RUN(shift<<<1, 108>>>(surface, out, 12));
  corpus::show("shifted", out.read());
  Texture texture(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType,
                  false);
  RUN(sample<<<1, 108>>>(texture, out, 12));
  corpus::show("sampled", out.read());
  RUN(bytes<<<1, 16>>>(pixels));
  std::vector<uchar4> host(32);
  CHECK(cudaMemcpy2DFromArray(host.data(), 64, image, 0, 0, 64, 1, cudaMemcpyDeviceToHost));
  printf("%d %d %d %d\n", host[7].x, host[7].y, host[15].x, host[15].w);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(image));
  return 0;
}
