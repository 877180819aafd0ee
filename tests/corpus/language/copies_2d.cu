// SPDX-License-Identifier: Apache-2.0
// Memory with a pitch, copies of rectangles, pinned memory that kernels read in place, bytes and
// shorts.
#include "../corpus.hpp"

__global__ void brighten(unsigned char* image, size_t pitch, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned char& p = image[y * pitch + x];
  p = static_cast<unsigned char>(min(255, p * 3 / 2 + 10));
}

__global__ void pack(const uchar3* in, unsigned short* out, char4* other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar3 c = in[i];
  out[i] = static_cast<unsigned short>((c.x >> 3) << 11 | (c.y >> 2) << 5 | c.z >> 3);
  other[i] = make_char4(static_cast<char>(c.x - 128), static_cast<char>(c.y),
                        static_cast<char>(c.z / 2), -1);
}

int main() {
  const int w = 123, h = 45;
  std::vector<unsigned char> image(w * h);
  for (int i = 0; i < w * h; ++i) image[i] = static_cast<unsigned char>(corpus::scramble(i));
  unsigned char* device;
  size_t pitch;
  CHECK(cudaMallocPitch(&device, &pitch, w, h));
  CHECK(cudaMemset2D(device, pitch, 7, w, h));
  CHECK(cudaMemcpy2D(device, pitch, image.data(), w, w, h - 2, cudaMemcpyHostToDevice));
  RUN(brighten<<<dim3(4, 12), dim3(32, 4)>>>(device, pitch, w, h));
  CHECK(cudaMemcpy2D(image.data(), w, device, pitch, w, h, cudaMemcpyDeviceToHost));
  corpus::show("image", image);
  CHECK(cudaFree(device));
  uchar3* pinned;
  CHECK(cudaHostAlloc(&pinned, 1000 * sizeof(uchar3), cudaHostAllocMapped));
  for (int i = 0; i < 1000; ++i) pinned[i] = make_uchar3(i % 256, i / 4, 255 - i % 200);
  Buffer<unsigned short> out(1000);
  Buffer<char4> other(1000);
  RUN(pack<<<8, 128>>>(pinned, out, other, 1000));
  corpus::show("packed", out.read());
  printf("%016llx\n", corpus::digest(other.read()));
  CHECK(cudaFreeHost(pinned));
  return 0;
}
