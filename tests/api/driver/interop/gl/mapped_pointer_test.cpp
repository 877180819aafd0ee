// SPDX-License-Identifier: Apache-2.0
// The address of a mapped buffer, and the flags of the next mapping.
#include <cmath>
#include <cstring>

#include "tests/api/driver/interop/gl/gl.hpp"
#include "tests/api/driver/texture_scene.hpp"

// The entry points from before CUDA 3.2 and 6.5, which <cuda.h> declares only on request.
extern "C" {
CUresult CUDAAPI cuGraphicsResourceGetMappedPointer_v1_symbol(
    unsigned* address, unsigned* size,
    CUgraphicsResource resource) __asm__("cuGraphicsResourceGetMappedPointer");
CUresult CUDAAPI cuGraphicsResourceSetMapFlags_v1_symbol(
    CUgraphicsResource resource, unsigned flags) __asm__("cuGraphicsResourceSetMapFlags");
}

namespace {

// A registered buffer of 4096 bytes.
class OneBuffer : public testing::Test {
 protected:
  OneBuffer() : buffer(new_buffer(pattern(4096, 3))), resource(register_buffer(buffer)) {}
  ~OneBuffer() override {
    if (is_mapped(resource)) {
      EXPECT_EQ(unmap(resource), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
    delete_buffer(buffer);
  }

  GlScene scene;
  const GLuint buffer;
  const CUgraphicsResource resource;
};

using cuGraphicsResourceGetMappedPointer = OneBuffer;
using cuGraphicsResourceSetMapFlags = OneBuffer;

// --- cuGraphicsResourceGetMappedPointer
// -----------------------------------------------------------

TEST_F(cuGraphicsResourceGetMappedPointer, ChecksItsArguments) {
  CUdeviceptr address = 77;
  size_t size = 77;
  EXPECT_EQ(::cuGraphicsResourceGetMappedPointer(&address, &size, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(::cuGraphicsResourceGetMappedPointer(&address, &size, resource), CUDA_ERROR_NOT_MAPPED);
  EXPECT_EQ(address, 77u);
  EXPECT_EQ(size, 77u);
  OK(map(resource));
  // Measured: either may be null, and so may both.
  OK(::cuGraphicsResourceGetMappedPointer(nullptr, &size, resource));
  EXPECT_EQ(size, 4096u);
  OK(::cuGraphicsResourceGetMappedPointer(&address, nullptr, resource));
  EXPECT_EQ(address % 16, 0u);
  OK(::cuGraphicsResourceGetMappedPointer(nullptr, nullptr, resource));
}

// The version from before CUDA 3.2, when addresses had 32 bits; ours do not fit. Measured: it
// always answers so.
TEST_F(cuGraphicsResourceGetMappedPointer, OfOldWritesNoHalfAddress) {
  unsigned address = 77, size = 77;
  EXPECT_EQ(cuGraphicsResourceGetMappedPointer_v1_symbol(&address, &size, resource),
            CUDA_ERROR_INVALID_CONTEXT);
  OK(map(resource));
  EXPECT_EQ(cuGraphicsResourceGetMappedPointer_v1_symbol(&address, &size, resource),
            CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(address, 77u);
  EXPECT_EQ(size, 0u);
}

// On a GPU the storage begins at a multiple of 512, so textures over it begin at such offsets.
TEST_F(cuGraphicsResourceGetMappedPointer, GivesMemoryForTextures) {
  OK(map(resource));
  const CUdeviceptr address = address_of(resource);
  CUDA_RESOURCE_DESC linear{};
  linear.resType = CU_RESOURCE_TYPE_LINEAR;
  linear.res.linear = {0, CU_AD_FORMAT_FLOAT, 1, 256};
  CUDA_RESOURCE_DESC rows{};
  rows.resType = CU_RESOURCE_TYPE_PITCH2D;
  rows.res.pitch2D = {0, CU_AD_FORMAT_FLOAT, 1, 8, 4, 64};
  CUDA_ARRAY_DESCRIPTOR shape{8, 4, CU_AD_FORMAT_FLOAT, 1};
  const CUDA_TEXTURE_DESC sampling{};
  CUtexref reference = nullptr;
  OK(cuTexRefCreate(&reference));
  OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 1));
  for (const size_t at : {0, 64, 256, 448, 512, 1024, 1088}) {
    const CUresult expected = at % 512 == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    linear.res.linear.devPtr = rows.res.pitch2D.devPtr = address + at;
    for (const CUDA_RESOURCE_DESC* what : {&linear, &rows}) {
      CUtexObject texture = 0;
      EXPECT_EQ(cuTexObjectCreate(&texture, what, &sampling, nullptr), expected) << at;
      if (expected == CUDA_SUCCESS) {
        OK(cuTexObjectDestroy(texture));
      }
    }
    EXPECT_EQ(cuTexRefSetAddress2D(reference, &shape, address + at, 64), expected) << at;
    EXPECT_EQ(cuTexRefSetAddress(nullptr, reference, address + at, 256), expected) << at;
    size_t offset = 77;
    OK(cuTexRefSetAddress(&offset, reference, address + at, 256));
    EXPECT_EQ(offset, at % 512);
  }
  OK(cuTexRefDestroy(reference));
}

TEST_F(cuGraphicsResourceGetMappedPointer, GivesTexturesWhatOpenGlHas) {
  OK(map(resource));
  CUDA_RESOURCE_DESC rows{};
  rows.resType = CU_RESOURCE_TYPE_PITCH2D;
  rows.res.pitch2D = {address_of(resource) + 512, CU_AD_FORMAT_UNSIGNED_INT32, 1, 8, 8, 64};
  CUDA_TEXTURE_DESC sampling{};
  sampling.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  OK(cuTexObjectCreate(&texture, &rows, &sampling, nullptr));
  Program program(read_at);
  const Bytes expected = pattern(4096, 3);
  for (const unsigned y : {0u, 1u, 7u}) {
    OK(program.run(texture, 5, y));
    uint32_t word = 0;
    std::memcpy(&word, &expected[512 + size_t{64} * y + 20], 4);
    EXPECT_EQ(program.word(), word) << y;
  }
  OK(cuTexObjectDestroy(texture));
}

TEST_F(cuGraphicsResourceGetMappedPointer, GivesAnAddressLikeAnyOther) {
  OK(map(resource));
  const CUdeviceptr address = address_of(resource);
  CUdeviceptr base = 0;
  size_t size = 0;
  OK(cuMemGetAddressRange(&base, &size, address + 4095));
  EXPECT_EQ(base, address);
  EXPECT_EQ(size, 4096u);
  unsigned type = 0;
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  CUcontext context = nullptr;
  OK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
  EXPECT_EQ(context, scene.cuda.context);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE) << "it is OpenGL's";
  OK(cuMemsetD8(address, 1, 4096));
  EXPECT_EQ(cuMemsetD8(address, 1, 4097), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(address + 4096, 1, 1), CUDA_ERROR_INVALID_VALUE);
  const CUdeviceptr other = new_memory(4096);
  OK(cuMemcpyDtoD(other, address, 4096));
  OK(cuMemcpyDtoD(address, other, 4096));
  OK(cuMemcpy(address, other, 4096));
  OK(cuMemFree(other));
}

// "The resource may not be accessed by CUDA" once it is unmapped.
TEST_F(cuGraphicsResourceGetMappedPointer, GivesAnAddressUntilUnmap) {
  OK(map(resource));
  const CUdeviceptr address = address_of(resource);
  OK(unmap(resource));
  char bytes[16];
  CUdeviceptr base;
  size_t size;
  EXPECT_EQ(cuMemcpyDtoH(bytes, address, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(address, 1, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAddressRange(&base, &size, address), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(::cuGraphicsResourceGetMappedPointer(&base, &size, resource), CUDA_ERROR_NOT_MAPPED);
  OK(map(resource));
  OK(cuMemsetD8(address_of(resource), 1, 16));
}

TEST_F(cuGraphicsResourceGetMappedPointer, NeedsNoOpenGLContext) {
  OK(map(resource));
  scene.gl.release();
  CUdeviceptr address = 0;
  EXPECT_EQ(::cuGraphicsResourceGetMappedPointer(&address, nullptr, resource), CUDA_SUCCESS);
  OK(cuMemsetD8(address, 1, 4096));
  scene.gl.make_current();
}

// --- cuGraphicsResourceSetMapFlags
// ----------------------------------------------------------------

TEST_F(cuGraphicsResourceSetMapFlags, ChecksItsArguments) {
  for (const unsigned flags : {0, 1, 2}) OK(::cuGraphicsResourceSetMapFlags(resource, flags));
  for (const unsigned flags : {3u, 4u, 77u, ~0u}) {
    EXPECT_EQ(::cuGraphicsResourceSetMapFlags(resource, flags), CUDA_ERROR_INVALID_VALUE) << flags;
  }
  EXPECT_EQ(::cuGraphicsResourceSetMapFlags(nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
}

// The version from before CUDA 6.5. Measured: it accepts invalid flags and ignores them.
TEST_F(cuGraphicsResourceSetMapFlags, OfOldTakesAnyFlags) {
  for (const unsigned flags : {0u, 1u, 3u, 77u, ~0u}) {
    EXPECT_EQ(cuGraphicsResourceSetMapFlags_v1_symbol(resource, flags), CUDA_SUCCESS) << flags;
  }
  EXPECT_EQ(cuGraphicsResourceSetMapFlags_v1_symbol(nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
  OK(cuGraphicsResourceSetMapFlags_v1_symbol(resource,
                                             CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
  OK(map(resource));
  EXPECT_NE(cuda_content(address_of(resource), 4096), pattern(4096, 3)) << "discarded";
  EXPECT_EQ(cuGraphicsResourceSetMapFlags_v1_symbol(resource, 0), CUDA_ERROR_ALREADY_MAPPED);
}

TEST_F(cuGraphicsResourceSetMapFlags, IsRefusedWhileMapped) {
  OK(map(resource));
  for (const unsigned flags : {0, 1, 2}) {
    EXPECT_EQ(::cuGraphicsResourceSetMapFlags(resource, flags), CUDA_ERROR_ALREADY_MAPPED);
  }
  EXPECT_EQ(::cuGraphicsResourceSetMapFlags(resource, 77), CUDA_ERROR_INVALID_VALUE)
      << "measured: flags are looked at first";
  EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, 3));
}

// With WRITE_DISCARD the old content is gone; in its place is the pattern of fresh device memory,
// which is no sensible number.
TEST_F(cuGraphicsResourceSetMapFlags, DecidesAboutTheNextMapping) {
  OK(::cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
  OK(map(resource));
  const Bytes discarded = cuda_content(address_of(resource), 4096);
  for (size_t i = 0; i < 4096; i += sizeof(float)) {
    float value;
    memcpy(&value, &discarded[i], sizeof value);
    ASSERT_TRUE(std::isnan(value)) << i;
  }
  cuda_write(address_of(resource), pattern(4096, 8));
  OK(unmap(resource));
  EXPECT_EQ(gl_content(buffer), pattern(4096, 8));

  OK(::cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY));
  OK(map(resource));
  EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, 8));
  OK(unmap(resource));
  OK(::cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE));
  OK(map(resource));
  EXPECT_EQ(cuda_content(address_of(resource), 4096), pattern(4096, 8));
}

// The flags of the registration hold until others are set.
TEST_F(cuGraphicsResourceSetMapFlags, OverrulesTheRegistration) {
  const CUgraphicsResource discarding =
      register_buffer(buffer, CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
  OK(::cuGraphicsResourceSetMapFlags(discarding, CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE));
  OK(map(discarding));
  EXPECT_EQ(cuda_content(address_of(discarding), 4096), pattern(4096, 3));
  OK(unmap(discarding));
  OK(cuGraphicsUnregisterResource(discarding));
}

}  // namespace
