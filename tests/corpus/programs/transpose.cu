// SPDX-License-Identifier: Apache-2.0
// A matrix transposed in tiles with a padded column, with elements of 1, 4, 8 and 16 bytes.
#include "../corpus.hpp"

template <typename T>
__global__ void transpose(const T* in, T* out, int width, int height) {
  __shared__ T tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
void turn(const char* name) {
  const int width = 150, height = 77;
  std::vector<unsigned char> bytes(width * height * sizeof(T));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(corpus::scramble(i));
  std::vector<T> host(width * height);
  memcpy(host.data(), bytes.data(), bytes.size());
  Buffer<T> in(host), out(width * height);
  RUN(transpose<<<dim3(5, 3), dim3(32, 8)>>>(in.get(), out.get(), width, height));
  const std::vector<T> got = out.read();
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      wrong += memcmp(&got[x * height + y], &host[y * width + x], sizeof(T)) != 0;
  printf("%s: %d wrong, %016llx\n", name, wrong, corpus::digest(got));
}

int main() {
  turn<unsigned char>("bytes");
  turn<short>("shorts");
  turn<float>("floats");
  turn<double>("doubles");
  turn<float4>("float4");
  return 0;
}
