// SPDX-License-Identifier: Apache-2.0
// Textures over linear memory: one-dimensional ones of every type, by index, and pitched ones.
#include "../textures.hpp"

template <typename T>
__global__ void fetch(cudaTextureObject_t texture, T* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<T>(texture, n - 1 - i);
}
__global__ void rows(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x % 8 + 0.75f, threadIdx.x / 8 + 0.25f);
}

template <typename T>
void run(const char* name, const std::vector<T>& values) {
  Buffer<T> in(values), out(values.size());
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in.get();
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = values.size() * sizeof(T);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  RUN(fetch<<<1, 64>>>(texture, out.get(), static_cast<int>(values.size())));
  printf("%s %016llx\n", name, corpus::digest(out.read()));
  CHECK(cudaDestroyTextureObject(texture));
}

int main() {
  run("float", corpus::floats(60));
  run("int", corpus::numbers(60, 1000000));
  run("short2", std::vector<short2>(50, make_short2(-3, 70)));
  run("uchar", std::vector<unsigned char>{1, 2, 3, 250});
  run("float4", std::vector<float4>(10, make_float4(1, 2, 3, 4)));
  float* memory;
  size_t pitch;
  CHECK(cudaMallocPitch(&memory, &pitch, 32, 8));
  const auto texels = corpus::floats(64);
  CHECK(cudaMemcpy2D(memory, pitch, texels.data(), 32, 32, 8, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {memory, cudaCreateChannelDesc<float>(), 8, 8, pitch};
  Texture texture(resource, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType,
                  false);
  Buffer<float> out(64);
  RUN(rows<<<1, 64>>>(texture, out));
  corpus::show("pitch", out.read());
  CHECK(cudaFree(memory));
  return 0;
}
