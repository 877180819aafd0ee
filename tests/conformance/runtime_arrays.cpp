// SPDX-License-Identifier: Apache-2.0
// Arrays, mipmapped arrays, and the objects of textures and surfaces.
#include "runtime.hpp"

using namespace conformance;

static cudaChannelFormatDesc format(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
static const cudaChannelFormatDesc words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
static unsigned host[256];

CASE(rt_array_formats) {
  cudaArray_t a;
  for (int bits : {0, 1, 4, 8, 16, 24, 32, 64})
    for (int kind = 0; kind <= 3; ++kind) {
      const auto f = format(bits, 0, 0, 0, cudaChannelFormatKind(kind));
      answer_last((std::to_string(bits) + " bits, kind " + std::to_string(kind)).c_str(),
                  cudaMallocArray(&a, &f, 4, 4, 0));
    }
  const struct {
    const char* name;
    cudaChannelFormatDesc f;
  } channels[] = {{"two", format(8, 8, 0, 0, cudaChannelFormatKindUnsigned)},
                  {"three", format(8, 8, 8, 0, cudaChannelFormatKindUnsigned)},
                  {"four", format(8, 8, 8, 8, cudaChannelFormatKindUnsigned)},
                  {"mixed", format(8, 16, 0, 0, cudaChannelFormatKindUnsigned)},
                  {"a gap", format(8, 0, 8, 0, cudaChannelFormatKindUnsigned)},
                  {"kind 4", format(8, 0, 0, 0, cudaChannelFormatKind(4))},
                  {"kind 99", format(8, 0, 0, 0, cudaChannelFormatKind(99))},
                  {"negative", format(-8, 0, 0, 0, cudaChannelFormatKindUnsigned)}};
  for (const auto& one : channels) answer_last(one.name, cudaMallocArray(&a, &one.f, 4, 4, 0));
  for (unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u})
    answer_last(("flags " + std::to_string(flags)).c_str(),
                cudaMallocArray(&a, &words, 4, 4, flags));
  TRY(cudaMallocArray(nullptr, &words, 4, 4, 0));
  TRY(cudaMallocArray(&a, &words, 0, 0, 0));
  TRY(cudaMallocArray(&a, &words, 0, 4, 0));
  TRY(cudaMallocArray(&a, &words, 4, 0, 0));
  TRY(cudaMallocArray(&a, &words, 131072, 0, 0));
  TRY(cudaMallocArray(&a, &words, 131073, 0, 0));
  TRY(cudaMallocArray(&a, &words, 4, 65537, 0));
  for (unsigned flags : {0u, 1u, 4u, 5u})
    for (size_t depth : {0, 1, 6, 7, 12}) {
      answer_last(
          ("3D flags " + std::to_string(flags) + ", depth " + std::to_string(depth)).c_str(),
          cudaMalloc3DArray(&a, &words, {8, 8, depth}, flags));
    }
}

CASE(rt_array_info) {
  cudaArray_t a;
  cudaChannelFormatDesc f;
  cudaExtent extent;
  unsigned flags;
  PREPARE(cudaMallocArray(&a, &words, 8, 0, cudaArraySurfaceLoadStore));
  TRY(cudaArrayGetInfo(&f, &extent, &flags, a));
  ASK(f.x);
  ASK(f.y);
  ASK(int(f.f));
  ASK(extent.width);
  ASK(extent.height);
  ASK(extent.depth);
  ASK(flags);
  TRY(cudaGetChannelDesc(&f, a));
  TRY(cudaArrayGetInfo(nullptr, nullptr, nullptr, a));
  cudaArrayMemoryRequirements needs;
  TRY(cudaArrayGetMemoryRequirements(&needs, a, 0));
  cudaArraySparseProperties sparse;
  TRY(cudaArrayGetSparseProperties(&sparse, a));
  cudaArray_t plane;
  TRY(cudaArrayGetPlane(&plane, a, 0));
  const cudaChannelFormatDesc made = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindFloat);
  ASK(made.y);
  ASK(int(made.f));
  TRY(cudaFreeArray(a));
}

CASE(rt_array_copies) {
  cudaArray_t a, b;
  void* d;
  PREPARE(cudaMallocArray(&a, &words, 8, 4, 0));
  PREPARE(cudaMallocArray(&b, &words, 8, 4, 0));
  PREPARE(cudaMalloc(&d, 256));
  for (unsigned i = 0; i < 256; ++i) host[i] = i;
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 33, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 4, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 2, 0, host, 32, 4, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 6, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 1, host, 32, 32, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 16, 32, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 0, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 4, cudaMemcpyKind(9)));
  TRY(cudaMemcpy2DToArray(a, 0, 0, d, 32, 32, 4, cudaMemcpyDefault));
  TRY(cudaMemcpy2DToArray(nullptr, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToArray(a, 0, 0, host, 128, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToArray(a, 0, 0, host, 129, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToArray(a, 4, 1, host, 40, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 128, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 4, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy2DArrayToArray(b, 4, 0, a, 0, 0, 32, 4, cudaMemcpyDeviceToDevice));
  TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 4, cudaMemcpyHostToHost));
  memset(host, 0, sizeof host);
  TRY(cudaMemcpy2DFromArray(host, 32, b, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[9]);
  ASK(host[17]);
  ASK(host[31]);
  TRY(cudaMemcpyFromArray(host, b, 0, 0, 128, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromArray(host, b, 28, 3, 8, cudaMemcpyDeviceToHost));
  cudaMemcpy3DParms copy = {};
  copy.srcArray = a;
  copy.dstArray = b;
  copy.extent = {8, 4, 1};
  copy.kind = cudaMemcpyDeviceToDevice;
  TRY(cudaMemcpy3D(&copy));
  copy.extent = {9, 4, 1};
  TRY(cudaMemcpy3D(&copy));
  copy.extent = {8, 4, 0};
  TRY(cudaMemcpy3D(&copy));
  copy.extent = {8, 4, 2};
  TRY(cudaMemcpy3D(&copy));
  copy.extent = {8, 4, 1};
  copy.srcPos = {1, 0, 0};
  TRY(cudaMemcpy3D(&copy));
  copy.srcPos = {};
  copy.dstPtr = {host, 32, 8, 4};
  TRY(cudaMemcpy3D(&copy));
  copy.dstArray = nullptr;
  copy.kind = cudaMemcpyDeviceToHost;
  TRY(cudaMemcpy3D(&copy));
}

CASE(rt_mipmapped_arrays) {
  cudaMipmappedArray_t m;
  cudaArray_t level;
  for (unsigned levels : {0u, 1u, 3u, 4u, 5u, 99u})
    answer_last(("levels " + std::to_string(levels)).c_str(),
                cudaMallocMipmappedArray(&m, &words, {8, 8, 0}, levels, 0));
  PREPARE(cudaMallocMipmappedArray(&m, &words, {8, 8, 0}, 3, 0));
  cudaExtent extent;
  for (unsigned which : {0u, 1u, 2u, 3u, 99u}) {
    extent = {};
    answer_last(("level " + std::to_string(which)).c_str(),
                cudaGetMipmappedArrayLevel(&level, m, which));
    TRY(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    ASK(extent.width);
  }
  TRY(cudaFreeMipmappedArray(m));
}

CASE(rt_texture_objects) {
  cudaArray_t a;
  void* d;
  size_t pitch;
  PREPARE(cudaMallocArray(&a, &words, 8, 4, 0));
  PREPARE(cudaMallocPitch(&d, &pitch, 64, 4));
  cudaTextureObject_t t = 77;
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
  TRY(cudaCreateTextureObject(&t, nullptr, &texture, nullptr));
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  resource.res.array.array = a;
  TRY(cudaCreateTextureObject(nullptr, &resource, &texture, nullptr));
  TRY(cudaCreateTextureObject(&t, &resource, nullptr, nullptr));
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  for (int filter : {0, 1, 2}) {
    texture.filterMode = cudaTextureFilterMode(filter);
    answer_last(("filter of integers " + std::to_string(filter)).c_str(),
                cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  }
  texture = {};
  for (int read : {0, 1, 2}) {
    texture.readMode = cudaTextureReadMode(read);
    answer_last(("read mode of 32 bits " + std::to_string(read)).c_str(),
                cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  }
  texture = {};
  for (int address : {0, 1, 2, 3, 4}) {
    texture.addressMode[0] = texture.addressMode[1] = cudaTextureAddressMode(address);
    for (int normalized : {0, 1}) {
      texture.normalizedCoords = normalized;
      answer_last(
          ("address mode " + std::to_string(address) + ", normalized " + std::to_string(normalized))
              .c_str(),
          cudaCreateTextureObject(&t, &resource, &texture, nullptr));
    }
  }
  texture = {};
  texture.maxAnisotropy = 99;
  texture.addressMode[0] = cudaAddressModeClamp;
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  cudaResourceDesc had;
  cudaTextureDesc had_texture;
  cudaResourceViewDesc view;
  TRY(cudaGetTextureObjectResourceDesc(&had, t));
  ASK(had.res.array.array == a);
  TRY(cudaGetTextureObjectTextureDesc(&had_texture, t));
  ASK(had_texture.maxAnisotropy);
  ASK(int(had_texture.addressMode[0]));
  ASK(int(had_texture.addressMode[1]));
  TRY(cudaGetTextureObjectResourceViewDesc(&view, t));
  cudaSurfaceObject_t s;
  TRY(cudaCreateSurfaceObject(&s, &resource));
  TRY(cudaDestroyTextureObject(t));
  TRY(cudaGetTextureObjectResourceDesc(&had, t));
  TRY(cudaDestroyTextureObject(0));
  texture = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {d, words, 64};
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  resource.res.linear.sizeInBytes = 0;
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  resource.res.linear = {static_cast<char*>(d) + 4, words, 16};
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  resource.res.linear = {nullptr, words, 16};
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  TRY(cudaCreateSurfaceObject(&s, &resource));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {d, words, 16, 4, pitch};
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  resource.res.pitch2D.pitchInBytes = 33;
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
  resource.resType = cudaResourceType(9);
  TRY(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
}

CASE(rt_surface_objects) {
  cudaArray_t a;
  cudaSurfaceObject_t s;
  PREPARE(cudaMallocArray(&a, &words, 8, 4, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.res.array.array = a;
  TRY(cudaCreateSurfaceObject(&s, &resource));
  cudaResourceDesc had;
  TRY(cudaGetSurfaceObjectResourceDesc(&had, s));
  ASK(had.res.array.array == a);
  TRY(cudaDestroySurfaceObject(s));
  TRY(cudaDestroySurfaceObject(0));
  TRY(cudaCreateSurfaceObject(nullptr, &resource));
  TRY(cudaCreateSurfaceObject(&s, nullptr));
  size_t width = 9;
  TRY(cudaDeviceGetTexture1DLinearMaxWidth(&width, &words, 0));
  ASK(width);
  TRY(cudaDeviceGetTexture1DLinearMaxWidth(&width, &words, 9));
}

int main(int count, char** names) { return run(count, names); }
