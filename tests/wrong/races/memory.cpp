// SPDX-License-Identifier: Apache-2.0
// Exactly which bytes are shared.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/wrong/races/race.hpp"

// Columns 0 to 15 and 8 to 23, or 0 to 15 and 16 to 31, of four rows of 64 bytes.
void fills_overlapping_columns(Twin twin) {
  const Program p;
  NEED(cuMemsetD2D8Async(p.x, 64, 1, 16, 4, p.a));
  NEED(cuMemsetD2D8Async(p.x + (twin == Twin::wrong ? 8 : 16), 64, 2, 16, 4, p.b));
}

// Rows 0 and 2 of four; then row 2 or row 1.
void shares_a_row_of_a_box(Twin twin) {
  const Program p;
  NEED(cuMemsetD2D8Async(p.x, 128, 1, 64, 2, p.a));
  NEED(cuMemcpyDtoDAsync(p.y, p.x + (twin == Twin::wrong ? 128 : 64), 64, p.b));
}

void shares_an_array(Twin twin) {
  const Program p;
  CUDA_ARRAY_DESCRIPTOR descriptor{};
  descriptor.Width = 1024;
  descriptor.Height = 4;
  descriptor.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  descriptor.NumChannels = 1;
  CUarray array = nullptr;
  NEED(cuArrayCreate(&array, &descriptor));
  p.at_end([array] { NEED(cuArrayDestroy(array)); });
  const CUdeviceptr memory = p.device_memory(4096);
  CUDA_MEMCPY2D there{};
  there.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  there.srcDevice = memory;
  there.srcPitch = 1024;
  there.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  there.dstArray = array;
  there.WidthInBytes = 1024;
  there.Height = 2;
  NEED(cuMemcpy2DAsync(&there, p.a));
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = array;
  back.srcY = twin == Twin::wrong ? 1 : 2;
  back.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  back.dstDevice = memory + 2048;
  back.dstPitch = 1024;
  back.WidthInBytes = 1024;
  back.Height = 1;
  NEED(cuMemcpy2DAsync(&back, p.b));
}

// Two imports of one segment, each with its own mapping: the same bytes at two addresses.
void shares_a_segment_that_is_mapped_twice(Twin twin) {
  const Program p;
  const int segment = memfd_create("cuvette-race", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (segment < 0 || ftruncate(segment, 65536) != 0) _Exit(4);
  CUdeviceptr mappings[2];
  for (int i = 0; i < 2; ++i) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = dup(segment);
    description.size = 65536;
    CUexternalMemory memory = nullptr;
    NEED(cuImportExternalMemory(&memory, &description));
    p.at_end([memory] { NEED(cuDestroyExternalMemory(memory)); });
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
    buffer.offset = i == 0 ? 0 : 4096;
    buffer.size = 16384;
    NEED(cuExternalMemoryGetMappedBuffer(&mappings[i], memory, &buffer));
    p.at_end([mapping = mappings[i]] { NEED(cuMemFree(mapping)); });
  }
  close(segment);
  fill(mappings[0] + 4096 + 512, p.a);
  if (twin == Twin::repaired) link(p.a, p.b);
  copy(p.y, mappings[1] + 512, p.b);
}

// A kernel reads a table in constant memory, of which a copy overwrites that half or the other one.
void overwrites_constant_memory(Twin twin) {
  constexpr char look_up[] = R"(
.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b8 table[256];
.visible .entry look_up(.param .u64 to) {
  .reg .u64 %to, %table, %offset;
  .reg .u32 %thread, %word;
  ld.param.u64 %to, [to];
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %offset, %thread, 4;
  mov.u64 %table, table;
  add.u64 %table, %table, %offset;
  ld.const.u32 %word, [%table];
  add.u64 %to, %to, %offset;
  st.global.u32 [%to], %word;
  ret;
}
)";
  const Program p;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr table = 0, to = p.x;
  NEED(cuModuleLoadData(&module, look_up));
  NEED(cuModuleGetFunction(&kernel, module, "look_up"));
  NEED(cuModuleGetGlobal(&table, nullptr, module, "table"));
  NEED(cuMemsetD8(p.y, 1, size));
  NEED(cuCtxSynchronize());
  void* parameters[] = {&to};
  NEED(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, p.a, parameters, nullptr));
  NEED(cuMemcpyDtoDAsync(table + (twin == Twin::wrong ? 0 : 128), p.y, 128, p.b));
  NEED(cuCtxSynchronize());
}
