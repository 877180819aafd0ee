// SPDX-License-Identifier: Apache-2.0
// Kernels that use memory through textures and surfaces, and constant memory. The repaired twins
// use other elements of the same memory.
#include "tests/wrong/races/race.hpp"

namespace {

constexpr unsigned width = 32, height = 4;

constexpr char texture_kernels[] = R"(
.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b32 table[64];
.visible .entry look_up(.param .u64 to) {
  .reg .u64 %to, %from, %place;
  .reg .u32 %x, %v;
  ld.param.u64 %to, [to];
  mov.u32 %x, %tid.x;
  mul.wide.u32 %place, %x, 4;
  add.u64 %to, %to, %place;
  mov.u64 %from, table;
  add.u64 %from, %from, %place;
  ld.const.u32 %v, [%from];
  st.global.u32 [%to], %v;
  ret;
}
.visible .entry store_row(.param .u64 surface, .param .u32 row) {
  .reg .u64 %s;
  .reg .u32 %x, %y;
  ld.param.u64 %s, [surface];
  ld.param.u32 %y, [row];
  mov.u32 %x, %tid.x;
  shl.b32 %x, %x, 2;
  sust.b.2d.b32.trap [%s, {%x, %y}], {%x};
  ret;
}
.visible .entry blend_rows(.param .u64 texture, .param .f32 row) {
  .reg .u64 %t;
  .reg .u32 %i;
  .reg .f32 %x, %y, %v<4>;
  ld.param.u64 %t, [texture];
  ld.param.f32 %y, [row];
  mov.u32 %i, %tid.x;
  cvt.rn.f32.u32 %x, %i;
  add.f32 %x, %x, 0f3F000000;
  tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];
  ret;
}
.visible .entry fetch_words(.param .u64 texture) {
  .reg .u64 %t;
  .reg .s32 %x, %v<4>;
  ld.param.u64 %t, [texture];
  mov.u32 %x, %tid.x;
  tex.1d.v4.s32.s32 {%v0, %v1, %v2, %v3}, [%t, {%x}];
  ret;
}
)";

CUfunction kernel(const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  NEED(cuModuleLoadData(&module, texture_kernels));
  NEED(cuModuleGetFunction(&function, module, name));
  return function;
}

CUarray new_array(CUarray_format format) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  descriptor.Width = width;
  descriptor.Height = height;
  descriptor.Format = format;
  descriptor.NumChannels = 1;
  descriptor.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUarray array = nullptr;
  NEED(cuArray3DCreate(&array, &descriptor));
  return array;
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

// Between an array's row and device memory.
CUDA_MEMCPY2D row_copy(CUarray array, unsigned row, CUdeviceptr memory, bool to_array) {
  CUDA_MEMCPY2D copy{};
  copy.WidthInBytes = 4 * width;
  copy.Height = 1;
  (to_array ? copy.dstMemoryType : copy.srcMemoryType) = CU_MEMORYTYPE_ARRAY;
  (to_array ? copy.srcMemoryType : copy.dstMemoryType) = CU_MEMORYTYPE_DEVICE;
  (to_array ? copy.dstArray : copy.srcArray) = array;
  (to_array ? copy.srcDevice : copy.dstDevice) = memory;
  (to_array ? copy.dstY : copy.srcY) = row;
  return copy;
}

void launch(CUfunction function, void** parameters, CUstream stream) {
  NEED(cuLaunchKernel(function, 1, 1, 1, width, 1, 1, 0, stream, parameters, nullptr));
}

}  // namespace

void stores_to_a_surface_that_is_copied(Twin twin) {
  const Program p;
  const CUfunction store = kernel("store_row");
  CUarray array = new_array(CU_AD_FORMAT_UNSIGNED_INT32);
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  CUsurfObject surface = 0;
  NEED(cuSurfObjectCreate(&surface, &resource));
  unsigned row = 2;
  void* parameters[] = {&surface, &row};
  launch(store, parameters, p.a);
  const CUDA_MEMCPY2D copy = row_copy(array, twin == Twin::wrong ? 2 : 1, p.x, false);
  NEED(cuMemcpy2DAsync(&copy, p.b));
  NEED(cuCtxSynchronize());
  NEED(cuSurfObjectDestroy(surface));
  NEED(cuArrayDestroy(array));
}

// Halfway between two rows it reads both, and neither of the others.
void blends_rows_that_are_written(Twin twin) {
  const Program p;
  const CUfunction blend = kernel("blend_rows");
  CUarray array = new_array(CU_AD_FORMAT_FLOAT);
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  for (unsigned row = 0; row < height; ++row) {
    const CUDA_MEMCPY2D copy = row_copy(array, row, p.x, true);
    NEED(cuMemcpy2D(&copy));
  }
  CUDA_TEXTURE_DESC sampling{};
  for (CUaddress_mode& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject texture = 0;
  NEED(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  NEED(cuCtxSynchronize());
  float row = 2;
  void* parameters[] = {&texture, &row};
  launch(blend, parameters, p.a);
  const CUDA_MEMCPY2D copy = row_copy(array, twin == Twin::wrong ? 2 : 3, p.x, true);
  NEED(cuMemcpy2DAsync(&copy, p.b));
  NEED(cuCtxSynchronize());
  NEED(cuTexObjectDestroy(texture));
  NEED(cuArrayDestroy(array));
}

void fetches_words_that_are_filled(Twin twin) {
  const Program p;
  const CUfunction fetch = kernel("fetch_words");
  NEED(cuMemsetD8(p.x, 0, size));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = p.x;
  resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = size;
  CUDA_TEXTURE_DESC sampling{};
  sampling.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  NEED(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  NEED(cuCtxSynchronize());
  void* parameters[] = {&texture};
  launch(fetch, parameters, p.a);
  // It reads the first 32 words.
  NEED(cuMemsetD8Async(p.x + (twin == Twin::wrong ? 100 : 128), 1, 28, p.b));
  NEED(cuCtxSynchronize());
  NEED(cuTexObjectDestroy(texture));
}

void overwrites_constant_memory_that_is_read(Twin twin) {
  const Program p;
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module, texture_kernels));
  CUfunction look_up = nullptr;
  NEED(cuModuleGetFunction(&look_up, module, "look_up"));
  CUdeviceptr table = 0;
  NEED(cuModuleGetGlobal(&table, nullptr, module, "table"));
  NEED(cuMemsetD32(table, 1, 64));
  NEED(cuMemsetD32(p.y, 2, width));
  NEED(cuCtxSynchronize());
  void* parameters[] = {const_cast<CUdeviceptr*>(&p.x)};
  launch(look_up, parameters, p.a);
  const CUdeviceptr part = table + (twin == Twin::wrong ? 0 : 4 * width);
  NEED(cuMemcpyDtoDAsync(part, p.y, 4 * width, p.b));
  NEED(cuCtxSynchronize());
}
