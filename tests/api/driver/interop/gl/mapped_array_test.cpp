// SPDX-License-Identifier: Apache-2.0
// The arrays of a mapped image: its levels and layers.
#include <algorithm>

#include "tests/api/driver/interop/gl/gl_image.hpp"

namespace {

// --- cuGraphicsSubResourceGetMappedArray
// ----------------------------------------------------------

TEST(cuGraphicsSubResourceGetMappedArray, ChecksItsArguments) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, {64, 32, 5});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D_ARRAY, 0);
  CUarray array = nullptr;
  const auto get = [&](unsigned layer, unsigned level) {
    return cuGraphicsSubResourceGetMappedArray(&array, resource, layer, level);
  };
  EXPECT_EQ(get(0, 0), CUDA_ERROR_NOT_MAPPED);
  EXPECT_EQ(get(9, 0), CUDA_ERROR_NOT_MAPPED);
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, nullptr, 0, 0), CUDA_ERROR_INVALID_HANDLE);
  OK(map(resource));
  EXPECT_EQ(get(5, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(5, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(~0u, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(0, ~0u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(nullptr, resource, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(array, nullptr);
  OK(get(4, 3));
  EXPECT_NE(array, nullptr);
  OK(unmap(resource));
  EXPECT_EQ(get(0, 0), CUDA_ERROR_NOT_MAPPED);
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

TEST(cuGraphicsSubResourceGetMappedArray, GivesOneArrayForEachLevelAndLayer) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, {64, 32, 5});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D_ARRAY, 0);
  OK(map(resource));
  std::vector<CUarray> arrays;
  for (unsigned level = 0; level < 4; ++level)
    for (unsigned layer = 0; layer < 5; ++layer) {
      const CUarray array = array_of(resource, layer, level);
      EXPECT_EQ(array_of(resource, layer, level), array) << "measured: the same each time";
      arrays.push_back(array);
      const CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(array);
      EXPECT_EQ(descriptor.Width, 64u >> level);
      EXPECT_EQ(descriptor.Height, 32u >> level);
      EXPECT_EQ(descriptor.Depth, 0u);
      CUDA_ARRAY_DESCRIPTOR flat{};
      OK(cuArrayGetDescriptor(&flat, array));
      EXPECT_EQ(flat.Width, 64u >> level);
      EXPECT_EQ(flat.NumChannels, 4u);
    }
  std::sort(arrays.begin(), arrays.end());
  EXPECT_EQ(std::unique(arrays.begin(), arrays.end()), arrays.end());
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

// A cube map has six faces; an image without layers has only layer 0.
TEST(cuGraphicsSubResourceGetMappedArray, KnowsHowManyLayersThereAre) {
  const GlScene scene;
  struct Case {
    GLenum target;
    ImageSize size;
    unsigned layers;
  };
  for (const auto& [target, size, layers] :
       {Case{GL_TEXTURE_2D, {16, 8, 1}, 1}, Case{GL_TEXTURE_RECTANGLE, {16, 8, 1}, 1},
        Case{GL_TEXTURE_CUBE_MAP, {16, 16, 1}, 6}, Case{GL_TEXTURE_3D, {16, 8, 4}, 1},
        Case{GL_TEXTURE_2D_ARRAY, {16, 8, 7}, 7}}) {
    SCOPED_TRACE(target);
    const GLuint texture = new_texture(target, GL_RGBA8, 1, size);
    const CUgraphicsResource resource = register_image(texture, target, 0);
    OK(map(resource));
    CUarray array = nullptr;
    for (unsigned layer = 0; layer < layers; ++layer) {
      EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, layer, 0), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, layers, 0),
              CUDA_ERROR_INVALID_VALUE);
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
    delete_texture(texture);
  }
}

TEST(cuGraphicsSubResourceGetMappedArray, KnowsHowManyLevelsThereAre) {
  const GlScene scene;
  for (const GLsizei levels : {1, 2, 7}) {
    const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, levels, {64, 20});
    const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
    OK(map(resource));
    for (unsigned level = 0; level < static_cast<unsigned>(levels); ++level) {
      const CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(array_of(resource, 0, level));
      EXPECT_EQ(descriptor.Width, 64u >> level);
      EXPECT_EQ(descriptor.Height, std::max(1u, 20u >> level));
    }
    CUarray array = nullptr;
    EXPECT_EQ(
        cuGraphicsSubResourceGetMappedArray(&array, resource, 0, static_cast<unsigned>(levels)),
        CUDA_ERROR_INVALID_VALUE);
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
    delete_texture(texture);
  }
}

TEST(cuGraphicsSubResourceGetMappedArray, RefusesABuffer) {
  const GlScene scene;
  const GLuint buffer = new_buffer(4096);
  const CUgraphicsResource resource = register_buffer(buffer);
  CUarray array = nullptr;
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0), CUDA_ERROR_NOT_MAPPED);
  OK(map(resource));
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
            CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
  EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(nullptr, resource, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_buffer(buffer);
}

TEST(cuGraphicsResourceGetMappedPointer, RefusesAnImage) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {16, 16});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
  CUdeviceptr address = 77;
  size_t size = 77;
  EXPECT_EQ(cuGraphicsResourceGetMappedPointer(&address, &size, resource), CUDA_ERROR_NOT_MAPPED);
  OK(map(resource));
  EXPECT_EQ(cuGraphicsResourceGetMappedPointer(&address, &size, resource),
            CUDA_ERROR_NOT_MAPPED_AS_POINTER);
  EXPECT_EQ(address, 77u);
  EXPECT_EQ(size, 77u);
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

// The array belongs to the resource: the program cannot destroy it.
TEST(cuGraphicsSubResourceGetMappedArray, GivesAnArrayThatIsNotTheCallersToDestroy) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {16, 16});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
  OK(map(resource));
  const CUarray array = array_of(resource, 0, 0);
  EXPECT_NE(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(descriptor_of(array).Width, 16u);
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

// --- cuGraphicsResourceGetMappedMipmappedArray
// ----------------------------------------------------

TEST(cuGraphicsResourceGetMappedMipmappedArray, ChecksItsArguments) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 3, {16, 16});
  const GLuint buffer = new_buffer(64);
  const CUgraphicsResource image = register_image(texture, GL_TEXTURE_2D, 0),
                           linear = register_buffer(buffer);
  CUmipmappedArray levels = nullptr;
  EXPECT_EQ(cuGraphicsResourceGetMappedMipmappedArray(&levels, nullptr), CUDA_ERROR_INVALID_HANDLE);
  for (const CUgraphicsResource resource : {image, linear}) {
    EXPECT_EQ(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource), CUDA_ERROR_NOT_MAPPED);
    OK(map(resource));
  }
  EXPECT_EQ(cuGraphicsResourceGetMappedMipmappedArray(&levels, linear),
            CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
  EXPECT_EQ(cuGraphicsResourceGetMappedMipmappedArray(nullptr, linear), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsResourceGetMappedMipmappedArray(nullptr, image), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(levels, nullptr);
  OK(cuGraphicsResourceGetMappedMipmappedArray(&levels, image));
  for (const CUgraphicsResource resource : {image, linear}) {
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
  }
  delete_buffer(buffer);
  delete_texture(texture);
}

TEST(cuGraphicsResourceGetMappedMipmappedArray, HasTheLevelsOfTheImage) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, {64, 32, 5});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D_ARRAY, 0);
  OK(map(resource));
  CUmipmappedArray levels = nullptr;
  OK(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource));
  for (unsigned level = 0; level < 4; ++level) {
    CUarray array = nullptr;
    OK(cuMipmappedArrayGetLevel(&array, levels, level));
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(array);
    EXPECT_EQ(descriptor.Width, 64u >> level);
    EXPECT_EQ(descriptor.Height, 32u >> level);
    EXPECT_EQ(descriptor.Depth, 5u);
    EXPECT_EQ(descriptor.Flags, unsigned{CUDA_ARRAY3D_LAYERED});
  }
  CUarray array = nullptr;
  EXPECT_EQ(cuMipmappedArrayGetLevel(&array, levels, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(cuMipmappedArrayDestroy(levels), CUDA_SUCCESS) << "it is the resource's";
  OK(unmap(resource));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

TEST(cuGraphicsResourceGetMappedMipmappedArray, SaysWhatKindOfImageItIs) {
  const GlScene scene;
  struct Case {
    GLenum target;
    ImageSize size;
    size_t depth;
    unsigned flags;
  };
  for (const auto& [target, size, depth, flags] :
       {Case{GL_TEXTURE_2D, {16, 8, 1}, 0, 0},
        Case{GL_TEXTURE_CUBE_MAP, {16, 16, 1}, 6, CUDA_ARRAY3D_CUBEMAP},
        Case{GL_TEXTURE_3D, {16, 8, 4}, 4, 0},
        Case{GL_TEXTURE_2D_ARRAY, {16, 8, 7}, 7, CUDA_ARRAY3D_LAYERED}}) {
    SCOPED_TRACE(target);
    const GLuint texture = new_texture(target, GL_R32F, 1, size);
    const CUgraphicsResource resource = register_image(texture, target, 0);
    OK(map(resource));
    CUmipmappedArray levels = nullptr;
    OK(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource));
    CUarray array = nullptr;
    OK(cuMipmappedArrayGetLevel(&array, levels, 0));
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(array);
    EXPECT_EQ(descriptor.Depth, depth);
    EXPECT_EQ(descriptor.Flags, flags);
    EXPECT_EQ(descriptor.Format, CU_AD_FORMAT_FLOAT);
    EXPECT_EQ(descriptor.NumChannels, 1u);
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
    delete_texture(texture);
  }
}

// There is one memory: what is written through a layer's array is in the level's.
TEST(cuGraphicsResourceGetMappedMipmappedArray, SharesItsPixelsWithTheLayers) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 2, {8, 8, 3});
  const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D_ARRAY, 0);
  OK(map(resource));
  CUmipmappedArray levels = nullptr;
  CUarray level = nullptr;
  OK(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource));
  OK(cuMipmappedArrayGetLevel(&level, levels, 1));
  for (unsigned layer = 0; layer < 3; ++layer) {
    cuda_write(array_of(resource, layer, 1), {4, 4, 1}, 4, pattern(64, layer));
  }
  Bytes expected;
  for (unsigned layer = 0; layer < 3; ++layer) {
    const Bytes bytes = pattern(64, layer);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  EXPECT_EQ(cuda_pixels(level, {4, 4, 3}, 4), expected);
  OK(unmap(resource));
  EXPECT_EQ(gl_pixels(texture, 1, {4, 4, 3}, rgba8), expected);
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(texture);
}

}  // namespace
