// SPDX-License-Identifier: Apache-2.0
// Kernels that read and write through texture and surface objects: what reads and writes have in
// common, and errors. For the values read see sweep/sweep_test.cpp.
#include <cstring>
#include <string>

#include "tests/api/driver/texture_scene.hpp"

namespace {

TEST(TextureKernel, ReadsAnElement) {
  const Scene scene;
  Program program(read_at);
  const CUtexObject texture = texture_of(counted_array());
  OK(program.run(texture, 3, 2));
  EXPECT_EQ(program.word(), 19u);
  EXPECT_EQ(program.word(0, 1), 0u);
  OK(program.run(texture, 100, 100));
  EXPECT_EQ(program.word(), 63u);
}

TEST(TextureKernel, LanesWithDifferentTextures) {
  const Scene scene;
  Program program(
      "and.b32 %r4,%t,1; setp.eq.u32 %p,%r4,0; cvt.u64.u32 %d3,%x; cvt.u64.u32 %d4,%y;\n"
      "shl.b64 %d4,%d4,32; or.b64 %d3,%d3,%d4; selp.b64 %d5,%O,%d3,%p;\n"
      "cvt.rn.f32.u32 %f0,%t; mov.f32 %f1,0f3F800000;\n"
      "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3},[%d5,{%f0,%f1}];");
  const CUtexObject one = texture_of(counted_array());
  const auto shape = shape_of(8, 8, 0, 0, float1);
  const CUarray other = new_array(shape);
  write_all(other, ByteExtents::of(shape, float1), std::vector<uint8_t>(256, 0x55));
  const CUtexObject two = texture_of(other);
  OK(program.run(one, static_cast<unsigned>(two), static_cast<unsigned>(two >> 32), 32));
  for (uint32_t thread = 0; thread < 8; ++thread)
    EXPECT_EQ(program.word(thread), thread % 2 ? 0x55555555u : 8 + thread);
}

TEST(TextureKernel, OnlyActiveLanesRead) {
  const Scene scene;
  // Inactive lanes have no texture.
  Program program(
      "setp.lt.u32 %p,%t,3; selp.b64 %d5,%O,0,%p; cvt.rn.f32.u32 %f0,%t;\n"
      "mov.f32 %f1,0f00000000; mov.u32 %r0,77;\n"
      "@%p tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3},[%d5,{%f0,%f1}];");
  OK(program.run(texture_of(counted_array()), 0, 0, 32));
  for (uint32_t thread = 0; thread < 32; ++thread)
    EXPECT_EQ(program.word(thread), thread < 3 ? thread : 77);
}

TEST(TextureKernel, SurfaceWritesAreWhatTexturesRead) {
  const Scene scene;
  const CUarray array = counted_array(CUDA_ARRAY3D_SURFACE_LDST);
  Program write("sust.b.2d.b32.trap [%O,{%x,%y}],{%x};");
  Program read(read_at);
  const CUsurfObject surface = surface_of(array);
  OK(write.run(surface, 12, 5));
  OK(read.run(texture_of(array), 3, 5));
  EXPECT_EQ(read.word(), 12u);
  const auto bytes = read_all(array, ByteExtents::of(descriptor_of(array), float1));
  uint32_t element;
  memcpy(&element, &bytes[4 * (5 * 8 + 3)], 4);
  EXPECT_EQ(element, 12u);
}

TEST(TextureKernel, LinearMemory) {
  const Scene scene;
  CUdeviceptr memory;
  OK(cuMemAlloc(&memory, 4096));
  OK(cuMemsetD32(memory, 0x1234, 1024));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {memory, CU_AD_FORMAT_FLOAT, 1, 4096};
  const CUDA_TEXTURE_DESC way{};
  CUtexObject texture;
  OK(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  Program program("tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3},[%O,{%x}];");
  OK(program.run(texture, 1023));
  EXPECT_EQ(program.word(), 0x1234u);
  OK(program.run(texture, 1024));
  EXPECT_EQ(program.word(), 0u);
}

TEST(TextureKernel, FormsThatAreNotThereAreRefused) {
  const Scene scene;
  const auto loads = [](const std::string& body) {
    CUmodule module;
    CUfunction kernel;
    const CUresult loaded = cuModuleLoadData(
        &module, (".version 8.1\n.target sm_70\n.address_size 64\n.visible .entry kernel() {\n"
                  " .reg .b64 %O; .reg .b32 %r<8>; .reg .f32 %f<8>;\n" +
                  body + "\n ret;\n}\n")
                     .c_str());
    EXPECT_EQ(loaded, CUDA_SUCCESS);
    return cuModuleGetFunction(&kernel, module, "kernel");
  };
  EXPECT_EQ(loads("tex.2dms.v4.u32.s32 {%r0,%r1,%r2,%r3},[%O,{%r0,%r0,%r0,%r0}];"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(loads("tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3},[%O,%O,{%f0,%f1}];"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(loads("sured.p.add.2d.b32.trap [%O,{%r0,%r0}],%r0;"), CUDA_ERROR_INVALID_PTX);
}

}  // namespace
