// SPDX-License-Identifier: Apache-2.0
// Texture and surface references: what they can be bound to, and what kernels read through them.
// The expected values are an H100's.
#include "tests/api/driver/texture_scene.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE, no_handle = CUDA_ERROR_INVALID_HANDLE;

const std::string declared =
    ".global .texref t;\n.global .texref other;\n.global .surfref s;\n.global .u32 word;\n";
const std::string read_t =
    "cvt.rn.f32.u32 %f0,%x; cvt.rn.f32.u32 %f1,%y;\n"
    "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3},[t,{%f0,%f1}];";

struct References : Scene {
  References() { EXPECT_EQ(cuModuleGetTexRef(&texture, program.module, "t"), CUDA_SUCCESS); }
  Program program{read_t, declared};
  CUtexref texture = nullptr;
};

TEST(cuModuleGetTexRef, FindsByName) {
  References scene;
  CUtexref again = nullptr, other = nullptr;
  const CUmodule module = scene.program.module;
  OK(cuModuleGetTexRef(&again, module, "t"));
  EXPECT_EQ(again, scene.texture);
  OK(cuModuleGetTexRef(&other, module, "other"));
  EXPECT_NE(other, scene.texture);
  for (const char* name : {"s", "word", "none", "kernel"})
    EXPECT_EQ(cuModuleGetTexRef(&other, module, name), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetTexRef(&other, module, nullptr), invalid);
  EXPECT_EQ(cuModuleGetTexRef(nullptr, module, "t"), invalid);
  EXPECT_EQ(cuModuleGetTexRef(&other, nullptr, "t"), no_handle);
  CUdeviceptr address;
  EXPECT_EQ(cuModuleGetGlobal(&address, nullptr, module, "t"), invalid);
  OK(cuModuleUnload(module));
  unsigned flags;
  EXPECT_EQ(cuTexRefGetFlags(&flags, scene.texture), no_handle);
}

TEST(cuModuleGetSurfRef, FindsByName) {
  References scene;
  CUsurfref surface = nullptr;
  OK(cuModuleGetSurfRef(&surface, scene.program.module, "s"));
  EXPECT_EQ(cuModuleGetSurfRef(&surface, scene.program.module, "t"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetSurfRef(&surface, scene.program.module, nullptr), invalid);
  EXPECT_EQ(cuModuleGetSurfRef(&surface, nullptr, "s"), no_handle);
}

TEST(cuTexRefSetArray, IsWhatALaunchReads) {
  References scene;
  const CUarray first = counted_array(), second = new_array(8, 8);  // elements of four bytes
  write_all(second, ByteExtents::of(descriptor_of(second), {CU_AD_FORMAT_UNSIGNED_INT8, 4, 4}),
            std::vector<uint8_t>(256, 0x12));
  OK(cuTexRefSetArray(scene.texture, first, CU_TRSA_OVERRIDE_FORMAT));
  OK(scene.program.run(0, 3, 1));
  EXPECT_EQ(scene.program.word(), 11u);
  OK(scene.program.run(0, 9, 9));
  EXPECT_EQ(scene.program.word(), 63u);
  OK(cuTexRefSetArray(scene.texture, second, CU_TRSA_OVERRIDE_FORMAT));
  OK(scene.program.run(0, 3, 1));
  EXPECT_EQ(scene.program.word(), 0x3d909091u);  // 18 / 255
  OK(cuTexRefSetFlags(scene.texture, CU_TRSF_READ_AS_INTEGER));
  OK(scene.program.run(0, 3, 1));
  EXPECT_EQ(scene.program.word(), 0x12u);
  EXPECT_EQ(cuTexRefSetArray(scene.texture, first, 2), invalid);
  EXPECT_EQ(cuTexRefSetArray(scene.texture, nullptr, CU_TRSA_OVERRIDE_FORMAT), no_handle);
  EXPECT_EQ(cuTexRefSetArray(nullptr, first, CU_TRSA_OVERRIDE_FORMAT), no_handle);
  OK(cuTexRefSetArray(scene.texture, first, 0));
}

TEST(cuTexRefGetArray, SaysWhatIsBound) {
  References scene;
  CUarray array = nullptr;
  EXPECT_EQ(cuTexRefGetArray(&array, scene.texture), invalid);
  const CUarray bound = counted_array();
  OK(cuTexRefSetArray(scene.texture, bound, CU_TRSA_OVERRIDE_FORMAT));
  OK(cuTexRefGetArray(&array, scene.texture));
  EXPECT_EQ(array, bound);
  EXPECT_EQ(cuTexRefGetArray(nullptr, scene.texture), invalid);
  OK(cuArrayDestroy(bound));
  EXPECT_EQ(cuTexRefGetArray(&array, scene.texture), invalid);
}

TEST(cuTexRefSetMipmappedArray, BindsLevels) {
  References scene;
  const CUmipmappedArray levels = new_levels(shape_of(8, 8, 0, 0, float1), 3);
  OK(cuTexRefSetMipmappedArray(scene.texture, levels, CU_TRSA_OVERRIDE_FORMAT));
  CUmipmappedArray found = nullptr;
  CUarray none;
  OK(cuTexRefGetMipmappedArray(&found, scene.texture));
  EXPECT_EQ(found, levels);
  EXPECT_EQ(cuTexRefGetArray(&none, scene.texture), invalid);
  EXPECT_EQ(cuTexRefSetMipmappedArray(scene.texture, nullptr, CU_TRSA_OVERRIDE_FORMAT), no_handle);
}

TEST(cuTexRefGetMipmappedArray, SaysWhatIsBound) {
  References scene;
  CUmipmappedArray found = nullptr;
  EXPECT_EQ(cuTexRefGetMipmappedArray(&found, scene.texture), invalid);
  EXPECT_EQ(cuTexRefGetMipmappedArray(nullptr, scene.texture), invalid);
}

TEST(cuTexRefSetAddress, BindsMemory) {
  Scene scene;
  Program program("tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3},[t,{%x}];", declared);
  CUtexref texture;
  OK(cuModuleGetTexRef(&texture, program.module, "t"));
  std::vector<uint32_t> numbers(1024);
  for (uint32_t i = 0; i < 1024; ++i) numbers[i] = i;
  CUdeviceptr memory;
  OK(cuMemAlloc(&memory, 4096));
  OK(cuMemcpyHtoD(memory, numbers.data(), 4096));
  size_t offset = 77;
  OK(cuTexRefSetAddress(&offset, texture, memory, 4096));
  EXPECT_EQ(offset, 0u);
  OK(program.run(0, 1023));
  EXPECT_EQ(program.word(), 1023u);
  // The texture begins at the last aligned address before the given one.
  OK(cuTexRefSetAddress(&offset, texture, memory + 16, 1024));
  EXPECT_EQ(offset, 16u);
  OK(program.run(0, 256));
  EXPECT_EQ(program.word(), 256u);
  OK(program.run(0, 260));
  EXPECT_EQ(program.word(), 0u);
  EXPECT_EQ(cuTexRefSetAddress(nullptr, texture, memory + 16, 1024), invalid);
  OK(cuTexRefSetAddress(nullptr, texture, memory, 1024));
  EXPECT_EQ(cuTexRefSetAddress(&offset, texture, memory, size_t{1} << 40), invalid);
}

TEST(cuTexRefGetAddress, SaysWhatIsBound) {
  References scene;
  CUdeviceptr memory, found = 7;
  OK(cuMemAlloc(&memory, 4096));
  EXPECT_EQ(cuTexRefGetAddress(&found, scene.texture), invalid);
  OK(cuTexRefSetAddress(nullptr, scene.texture, memory, 1024));
  OK(cuTexRefGetAddress(&found, scene.texture));
  EXPECT_EQ(found, memory);
  size_t offset;
  OK(cuTexRefSetAddress(&offset, scene.texture, 0, 0));
  OK(cuTexRefGetAddress(&found, scene.texture));
  EXPECT_EQ(found, 0u);
}

TEST(cuTexRefSetAddress2D, BindsRows) {
  References scene;
  CUdeviceptr memory;
  OK(cuMemAlloc(&memory, 4096));
  OK(cuMemsetD32(memory, 0x12345678, 1024));
  const CUDA_ARRAY_DESCRIPTOR shape{8, 8, CU_AD_FORMAT_FLOAT, 1};
  OK(cuTexRefSetAddress2D(scene.texture, &shape, memory, 512));
  OK(scene.program.run(0, 1, 2));
  EXPECT_EQ(scene.program.word(), 0x12345678u);
  EXPECT_EQ(cuTexRefSetAddress2D(scene.texture, &shape, memory, 100), invalid);
  EXPECT_EQ(cuTexRefSetAddress2D(scene.texture, &shape, memory + 4, 512), invalid);
  EXPECT_EQ(cuTexRefSetAddress2D(scene.texture, nullptr, memory, 512), invalid);
  OK(cuTexRefSetAddress2D(scene.texture, &shape, 0, 512));
}

TEST(cuTexRefCreate, HasDefaults) {
  const Scene scene;
  CUtexref texture;
  EXPECT_EQ(cuTexRefCreate(nullptr), invalid);
  OK(cuTexRefCreate(&texture));
  CUaddress_mode mode;
  for (int dim = 0; dim < 3; ++dim) {
    OK(cuTexRefGetAddressMode(&mode, texture, dim));
    EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_CLAMP);
  }
  CUfilter_mode filter;
  OK(cuTexRefGetFilterMode(&filter, texture));
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_POINT);
  unsigned flags = 7;
  OK(cuTexRefGetFlags(&flags, texture));
  EXPECT_EQ(flags, 0u);
  CUarray_format format;
  int channels;
  OK(cuTexRefGetFormat(&format, &channels, texture));
  EXPECT_EQ(format, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(channels, 1);
  OK(cuTexRefDestroy(texture));
}

TEST(cuTexRefDestroy, EndsTheHandle) {
  const Scene scene;
  CUtexref texture;
  OK(cuTexRefCreate(&texture));
  OK(cuTexRefDestroy(texture));
  EXPECT_EQ(cuTexRefDestroy(texture), no_handle);
  EXPECT_EQ(cuTexRefDestroy(nullptr), no_handle);
}

TEST(cuTexRefSetAddressMode, TakesEffectAtTheLaunch) {
  References scene;
  OK(cuTexRefSetArray(scene.texture, counted_array(), CU_TRSA_OVERRIDE_FORMAT));
  for (int dim = 0; dim < 2; ++dim)
    OK(cuTexRefSetAddressMode(scene.texture, dim, CU_TR_ADDRESS_MODE_BORDER));
  OK(scene.program.run(0, 9, 9));
  EXPECT_EQ(scene.program.word(), 0u);
  EXPECT_EQ(cuTexRefSetAddressMode(scene.texture, 3, CU_TR_ADDRESS_MODE_WRAP), invalid);
  EXPECT_EQ(cuTexRefSetAddressMode(scene.texture, -1, CU_TR_ADDRESS_MODE_WRAP), invalid);
}

TEST(cuTexRefGetAddressMode, KnowsThreeDimensions) {
  References scene;
  CUaddress_mode mode;
  OK(cuTexRefSetAddressMode(scene.texture, 2, CU_TR_ADDRESS_MODE_MIRROR));
  OK(cuTexRefGetAddressMode(&mode, scene.texture, 2));
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_MIRROR);
  // An invalid mode is accepted and clamps.
  OK(cuTexRefSetAddressMode(scene.texture, 2, static_cast<CUaddress_mode>(7)));
  OK(cuTexRefGetAddressMode(&mode, scene.texture, 2));
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_CLAMP);
  EXPECT_EQ(cuTexRefGetAddressMode(&mode, scene.texture, 3), invalid);
  EXPECT_EQ(cuTexRefGetAddressMode(nullptr, scene.texture, 0), invalid);
}

TEST(cuTexRefSetFilterMode, Blends) {
  References scene;
  OK(cuTexRefSetArray(scene.texture, counted_array(), CU_TRSA_OVERRIDE_FORMAT));
  OK(cuTexRefSetFilterMode(scene.texture, CU_TR_FILTER_MODE_LINEAR));
  CUfilter_mode filter;
  OK(cuTexRefGetFilterMode(&filter, scene.texture));
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
  OK(scene.program.run(0, 0, 0));
  EXPECT_EQ(scene.program.word(), 0u);
}

TEST(cuTexRefGetFilterMode, WantsSomewhereToPutIt) {
  References scene;
  EXPECT_EQ(cuTexRefGetFilterMode(nullptr, scene.texture), invalid);
}

TEST(cuTexRefSetFlags, RefusesWhatMeansNothing) {
  References scene;
  OK(cuTexRefSetFlags(scene.texture, 0x13));
  unsigned flags;
  OK(cuTexRefGetFlags(&flags, scene.texture));
  EXPECT_EQ(flags, 0x13u);
  for (const unsigned bad : {0xffu, 0x80u, 0x73u})
    EXPECT_EQ(cuTexRefSetFlags(scene.texture, bad), invalid);
}

TEST(cuTexRefGetFlags, WantsAReference) {
  References scene;
  unsigned flags;
  EXPECT_EQ(cuTexRefGetFlags(nullptr, scene.texture), invalid);
  EXPECT_EQ(cuTexRefGetFlags(&flags, nullptr), no_handle);
}

TEST(cuTexRefSetFormat, ReadsAnArrayAsAnotherFormat) {
  References scene;
  const CUarray bytes = new_array(8, 8);
  write_all(bytes, ByteExtents::of(descriptor_of(bytes), {CU_AD_FORMAT_UNSIGNED_INT8, 4, 4}),
            std::vector<uint8_t>(256, 0x12));
  OK(cuTexRefSetArray(scene.texture, bytes, CU_TRSA_OVERRIDE_FORMAT));
  OK(cuTexRefSetFormat(scene.texture, CU_AD_FORMAT_FLOAT, 1));
  OK(scene.program.run(0, 1, 2));
  EXPECT_EQ(scene.program.word(), 0x12121212u);
  EXPECT_EQ(cuTexRefSetFormat(scene.texture, CU_AD_FORMAT_FLOAT, 3), invalid);
}

TEST(cuTexRefGetFormat, IsTheArrays) {
  References scene;
  OK(cuTexRefSetArray(scene.texture, new_array(8, 8), CU_TRSA_OVERRIDE_FORMAT));
  CUarray_format format;
  int channels;
  OK(cuTexRefGetFormat(&format, &channels, scene.texture));
  EXPECT_EQ(format, CU_AD_FORMAT_UNSIGNED_INT8);
  EXPECT_EQ(channels, 4);
  OK(cuTexRefGetFormat(nullptr, nullptr, scene.texture));
}

TEST(cuTexRefSetMaxAnisotropy, TakesAnyNumber) {
  References scene;
  for (const unsigned number : {0u, 4u, 99u}) OK(cuTexRefSetMaxAnisotropy(scene.texture, number));
}

TEST(cuTexRefGetMaxAnisotropy, IsWhatWasSet) {
  References scene;
  int number = 7;
  OK(cuTexRefGetMaxAnisotropy(&number, scene.texture));
  EXPECT_EQ(number, 0);
  OK(cuTexRefSetMaxAnisotropy(scene.texture, 4));
  OK(cuTexRefGetMaxAnisotropy(&number, scene.texture));
  EXPECT_EQ(number, 4);
}

TEST(cuTexRefSetMipmapFilterMode, RefusesOthers) {
  References scene;
  OK(cuTexRefSetMipmapFilterMode(scene.texture, CU_TR_FILTER_MODE_LINEAR));
  EXPECT_EQ(cuTexRefSetMipmapFilterMode(scene.texture, static_cast<CUfilter_mode>(7)), invalid);
}

TEST(cuTexRefGetMipmapFilterMode, IsWhatWasSet) {
  References scene;
  CUfilter_mode filter;
  OK(cuTexRefGetMipmapFilterMode(&filter, scene.texture));
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_POINT);
  EXPECT_EQ(cuTexRefGetMipmapFilterMode(nullptr, scene.texture), invalid);
}

TEST(cuTexRefSetMipmapLevelBias, TakesAnyNumber) {
  References scene;
  OK(cuTexRefSetMipmapLevelBias(scene.texture, 99));
}

TEST(cuTexRefGetMipmapLevelBias, IsWhatWasSet) {
  References scene;
  float bias = 7;
  OK(cuTexRefGetMipmapLevelBias(&bias, scene.texture));
  EXPECT_EQ(bias, 0);
  OK(cuTexRefSetMipmapLevelBias(scene.texture, 1.5f));
  OK(cuTexRefGetMipmapLevelBias(&bias, scene.texture));
  EXPECT_EQ(bias, 1.5f);
}

TEST(cuTexRefSetMipmapLevelClamp, TakesAnyNumbers) {
  References scene;
  OK(cuTexRefSetMipmapLevelClamp(scene.texture, 3, 0.5f));
}

TEST(cuTexRefGetMipmapLevelClamp, IsWhatWasSet) {
  References scene;
  float least = 7, most = 7;
  OK(cuTexRefSetMipmapLevelClamp(scene.texture, 0.5f, 3));
  OK(cuTexRefGetMipmapLevelClamp(&least, &most, scene.texture));
  EXPECT_EQ(least, 0.5f);
  EXPECT_EQ(most, 3);
}

TEST(cuTexRefSetBorderColor, IsWhatLiesOutside) {
  References scene;
  OK(cuTexRefSetArray(scene.texture, counted_array(), CU_TRSA_OVERRIDE_FORMAT));
  OK(cuTexRefSetAddressMode(scene.texture, 0, CU_TR_ADDRESS_MODE_BORDER));
  float colour[4] = {1, 2, 3, 4};
  OK(cuTexRefSetBorderColor(scene.texture, colour));
  OK(scene.program.run(0, 9, 0));
  EXPECT_EQ(scene.program.word(), 0x3f800000u);
  EXPECT_EQ(cuTexRefSetBorderColor(scene.texture, nullptr), invalid);
}

TEST(cuTexRefGetBorderColor, IsWhatWasSet) {
  References scene;
  float colour[4] = {1, 2, 3, 4}, found[4] = {};
  OK(cuTexRefSetBorderColor(scene.texture, colour));
  OK(cuTexRefGetBorderColor(found, scene.texture));
  EXPECT_EQ(found[3], 4);
}

TEST(cuSurfRefSetArray, IsWhatALaunchUses) {
  const Scene scene;
  Program program("suld.b.2d.b32.trap {%r0},[s,{%x,%y}]; sust.b.2d.b32.trap [s,{%x,%y}],{%x};",
                  declared);
  CUsurfref surface;
  OK(cuModuleGetSurfRef(&surface, program.module, "s"));
  EXPECT_EQ(cuSurfRefSetArray(surface, counted_array(), 0), invalid);  // without SURFACE_LDST
  const CUarray array = counted_array(CUDA_ARRAY3D_SURFACE_LDST);
  EXPECT_EQ(cuSurfRefSetArray(surface, array, 1), invalid);
  OK(cuSurfRefSetArray(surface, array, 0));
  OK(program.run(0, 4, 1));
  EXPECT_EQ(program.word(), 9u);
  OK(program.run(0, 4, 1));
  EXPECT_EQ(program.word(), 4u);
}

TEST(cuSurfRefGetArray, SaysWhatIsBound) {
  References scene;
  CUsurfref surface;
  OK(cuModuleGetSurfRef(&surface, scene.program.module, "s"));
  CUarray found = nullptr;
  EXPECT_EQ(cuSurfRefGetArray(&found, surface), invalid);
  const CUarray array = counted_array(CUDA_ARRAY3D_SURFACE_LDST);
  OK(cuSurfRefSetArray(surface, array, 0));
  OK(cuSurfRefGetArray(&found, surface));
  EXPECT_EQ(found, array);
  EXPECT_EQ(cuSurfRefGetArray(&found, nullptr), no_handle);
}

TEST(cuParamSetTexRef, IsAlwaysRefused) {
  References scene;
  EXPECT_EQ(cuParamSetTexRef(scene.program.kernel, CU_PARAM_TR_DEFAULT, scene.texture), invalid);
  EXPECT_EQ(cuParamSetTexRef(scene.program.kernel, CU_PARAM_TR_DEFAULT, nullptr), no_handle);
  EXPECT_EQ(cuParamSetTexRef(nullptr, 0, scene.texture), no_handle);
}

// A kernel may take the reference's address before using it.
TEST(TextureReference, ByAddress) {
  const Scene scene;
  Program program(
      "mov.u64 %d3,t; cvt.rn.f32.u32 %f0,%x; cvt.rn.f32.u32 %f1,%y;\n"
      "tex.2d.v4.u32.f32 {%r0,%r1,%r2,%r3},[%d3,{%f0,%f1}];",
      declared);
  CUtexref texture;
  OK(cuModuleGetTexRef(&texture, program.module, "t"));
  OK(cuTexRefSetArray(texture, counted_array(), CU_TRSA_OVERRIDE_FORMAT));
  OK(program.run(0, 1, 1));
  EXPECT_EQ(program.word(), 9u);
}

}  // namespace
