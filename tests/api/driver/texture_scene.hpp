// SPDX-License-Identifier: Apache-2.0
// Shared by tests of textures in kernels: a small kernel around an instruction, and arrays.
#pragma once

#include <cuda.h>

#include <cstring>
#include <string>

#include "tests/api/driver/arrays.hpp"

inline constexpr ElementFormat float1{CU_AD_FORMAT_FLOAT, 1, 4};

// A kernel with `out` (16 bytes per thread), a handle and two numbers, %x and %y.
class Program {
 public:
  explicit Program(const std::string& body, const std::string& before = "") {
    const std::string text =
        ".version 8.1\n.target sm_70\n.address_size 64\n" + before +
        ".visible .entry kernel(.param .u64 out, .param .u64 handle, .param .u32 x, .param .u32 y) "
        "{\n"
        " .reg .b64 %d<8>, %O; .reg .b32 %r<8>, %t, %x, %y; .reg .f32 %f<8>; .reg .pred %p;\n"
        " ld.param.u64 %d0,[out]; ld.param.u64 %O,[handle]; ld.param.u32 %x,[x];\n"
        " ld.param.u32 %y,[y]; mov.u32 %t,%tid.x; mul.wide.u32 %d1,%t,16; add.u64 %d2,%d0,%d1;\n"
        " mov.u32 %r0,0; mov.u32 %r1,0; mov.u32 %r2,0; mov.u32 %r3,0;\n" +
        body + "\n st.global.v4.u32 [%d2],{%r0,%r1,%r2,%r3};\n ret;\n}\n";
    EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS) << text;
    EXPECT_EQ(cuModuleGetFunction(&kernel, module, "kernel"), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc(&out, 16 * 64), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(out, 0xeeeeeeee, 4 * 64), CUDA_SUCCESS);
  }
  CUresult run(unsigned long long handle, unsigned x = 0, unsigned y = 0, unsigned threads = 1) {
    void* parameters[] = {&out, &handle, &x, &y};
    const CUresult launched =
        cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
    const CUresult done = cuCtxSynchronize();
    return launched != CUDA_SUCCESS ? launched : done;
  }
  uint32_t word(size_t thread = 0, size_t number = 0) const {
    uint32_t value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, out + 16 * thread + 4 * number, 4), CUDA_SUCCESS);
    return value;
  }

  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr out = 0;
};

inline const std::string read_at =
    "cvt.rn.f32.u32 %f0,%x; cvt.rn.f32.u32 %f1,%y;\n"
    "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3},[%O,{%f0,%f1}];";

// Element (x, y) is 8 * y + x.
inline CUarray counted_array(unsigned flags = 0) {
  const auto shape = shape_of(8, 8, 0, flags, float1);
  CUarray array = new_array(shape);
  std::vector<uint8_t> bytes(256);
  for (uint32_t i = 0; i < 64; ++i) memcpy(&bytes[4 * i], &i, 4);
  write_all(array, ByteExtents::of(shape, float1), bytes);
  return array;
}
inline CUDA_RESOURCE_DESC of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}
inline CUtexObject texture_of(CUarray array) {
  const CUDA_RESOURCE_DESC resource = of(array);
  CUDA_TEXTURE_DESC way{};
  for (auto& mode : way.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture = 0;
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &way, nullptr), CUDA_SUCCESS);
  return texture;
}
inline CUsurfObject surface_of(CUarray array) {
  const CUDA_RESOURCE_DESC resource = of(array);
  CUsurfObject surface = 0;
  EXPECT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  return surface;
}
