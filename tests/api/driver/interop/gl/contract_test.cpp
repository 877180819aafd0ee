// SPDX-License-Identifier: Apache-2.0
// CUVETTE_CONTRACT=driver: what the driver does where it departs from the documentation. The knob
// is read once, so each test is a process of its own.
#include "tests/api/driver/child.hpp"
#include "tests/api/driver/interop/gl/gl_image.hpp"

namespace {

const Environment driver = {{"CUVETTE_CONTRACT", "driver"}};

// The driver maps neither of the two.
TEST(cuGraphicsMapResources, CallsDuplicatesMappedAsTheDriverDoes) {
  run_in_child(driver, [] {
    const GlScene scene;
    const CUgraphicsResource resource = register_buffer(new_buffer(4096));
    CUgraphicsResource twice[] = {resource, resource};
    EXPECT_EQ(cuGraphicsMapResources(2, twice, nullptr), CUDA_ERROR_ALREADY_MAPPED);
    EXPECT_FALSE(is_mapped(resource));
    OK(cuGraphicsUnregisterResource(resource));
  });
}

// The driver unmaps the first and finds the second unmapped.
TEST(cuGraphicsUnmapResources, UnmapsTheFirstOfDuplicatesAsTheDriverDoes) {
  run_in_child(driver, [] {
    const GlScene scene;
    const GLuint buffer = new_buffer(pattern(4096, 1));
    const CUgraphicsResource resource = register_buffer(buffer);
    OK(map(resource));
    OK(cuMemsetD8(address_of(resource), 9, 4096));
    CUgraphicsResource twice[] = {resource, resource};
    EXPECT_EQ(cuGraphicsUnmapResources(2, twice, nullptr), CUDA_ERROR_NOT_MAPPED);
    EXPECT_FALSE(is_mapped(resource));
    EXPECT_EQ(gl_content(buffer), Bytes(4096, 9));
    OK(cuGraphicsUnregisterResource(resource));
  });
}

TEST(cuGraphicsGLRegisterImage, TakesAnyTargetAsTheDriverDoes) {
  run_in_child(driver, [] {
    const GlScene scene;
    GLuint texture;
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 1, GL_RGBA8, 64, 32);
    CUgraphicsResource resource = nullptr;
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, GL_ARRAY_BUFFER, 0),
              CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_3D, 0));
    OK(cuGraphicsUnregisterResource(resource));
  });
}

TEST(cuGraphicsSubResourceGetMappedArray, TakesAnyLevelAsTheDriverDoes) {
  run_in_child(driver, [] {
    const GlScene scene;
    GLuint texture;
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    glTextureStorage2D(texture, 4, GL_RGBA8, 64, 32);
    const CUgraphicsResource resource = register_image(texture, GL_TEXTURE_2D, 0);
    OK(map(resource));
    CUarray array;
    OK(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 4));
    EXPECT_EQ(cuGraphicsSubResourceGetMappedArray(&array, resource, 1, 4),
              CUDA_ERROR_INVALID_VALUE);
    CUmipmappedArray levels;
    OK(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource));
    OK(cuMipmappedArrayGetLevel(&array, levels, 4));
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
  });
}

// CUVETTE_CONTRACT=strict: refuses what the documentation calls undefined.
TEST(cuGraphicsUnmapResources, EndsArraysWhereThatIsAskedFor) {
  const std::string text = run_in_child({{"CUVETTE_CONTRACT", "strict"}}, [] {
    const GlScene scene;
    const CUgraphicsResource resource =
        register_image(new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {16, 16}), GL_TEXTURE_2D, 0);
    OK(map(resource));
    const CUarray array = array_of(resource, 0, 0);
    OK(unmap(resource));
    char row[64] = {};
    EXPECT_EQ(cuMemcpyHtoA(array, 0, row, sizeof row), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyAtoH(row, array, 0, sizeof row), CUDA_ERROR_INVALID_VALUE);
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    EXPECT_EQ(cuArray3DGetDescriptor(&descriptor, array), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphicsUnregisterResource(resource));
  });
  EXPECT_NE(text.find("graphics-used-after-unmap"), std::string::npos) << text;
}

}  // namespace
