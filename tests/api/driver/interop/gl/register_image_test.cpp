// SPDX-License-Identifier: Apache-2.0
// Registering textures and renderbuffers: which are accepted, and the arrays that they become.
#include <algorithm>

#include "tests/api/driver/interop/gl/gl_image.hpp"

namespace {

// Registers and maps an image, describes the array of level 0, layer 0, and unregisters it.
CUDA_ARRAY3D_DESCRIPTOR describe(GLuint image, GLenum target, unsigned flags) {
  const CUgraphicsResource resource = register_image(image, target, flags);
  EXPECT_EQ(map(resource), CUDA_SUCCESS);
  const CUDA_ARRAY3D_DESCRIPTOR descriptor = descriptor_of(array_of(resource, 0, 0));
  EXPECT_EQ(unmap(resource), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
  return descriptor;
}

void expect_array(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, const ImageSize& size,
                  CUarray_format element, unsigned channels, unsigned flags) {
  EXPECT_EQ(descriptor.Width, static_cast<size_t>(size.width));
  EXPECT_EQ(descriptor.Height, static_cast<size_t>(size.height));
  EXPECT_EQ(descriptor.Depth, static_cast<size_t>(size.depth));
  EXPECT_EQ(descriptor.Format, element);
  EXPECT_EQ(descriptor.NumChannels, channels);
  EXPECT_EQ(descriptor.Flags, flags);
}

TEST(cuGraphicsGLRegisterImage, ChecksItsArguments) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {64, 32});
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsGLRegisterImage(nullptr, texture, GL_TEXTURE_2D, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, 0, GL_TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, 9999, GL_TEXTURE_2D, 0),
            CUDA_ERROR_INVALID_HANDLE);
  for (const unsigned flags : {0x10u, 0x80u, ~0u}) {
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, flags),
              CUDA_ERROR_INVALID_VALUE)
        << flags;
  }
  EXPECT_EQ(resource, nullptr);
  delete_texture(texture);
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, 0),
            CUDA_ERROR_INVALID_HANDLE);
}

// Measured: unlike a buffer, an image accepts 3, read-only and write-discard at once.
TEST(cuGraphicsGLRegisterImage, TakesEachFlag) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {64, 32});
  for (unsigned flags = 0; flags < 16; ++flags) {
    CUgraphicsResource resource = nullptr;
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, flags), CUDA_SUCCESS)
        << flags;
    OK(map(resource));
    OK(unmap(resource));
    OK(cuGraphicsUnregisterResource(resource));
  }
  delete_texture(texture);
}

TEST(cuGraphicsGLRegisterImage, NeedsBothContexts) {
  EglContext gl(EglContext::Api::core);
  CUgraphicsResource resource = nullptr;
  {
    const Scene scene;
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, 1, GL_TEXTURE_2D, 0),
              CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  }
  gl.make_current();
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {64, 32});
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, 0),
            CUDA_ERROR_INVALID_CONTEXT);
}

// "target must match the type of the object"
TEST(cuGraphicsGLRegisterImage, RefusesAnotherTargetThanTheObjects) {
  const GlScene scene;
  constexpr GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP,
                                GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY};
  for (const GLenum own : targets) {
    const GLuint texture = new_texture(own, GL_RGBA8, 1, {16, 16, 4});
    for (const GLenum target : targets) {
      CUgraphicsResource resource = nullptr;
      const CUresult answer = cuGraphicsGLRegisterImage(&resource, texture, target, 0);
      EXPECT_EQ(answer, own == target ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)
          << own << ' ' << target;
      if (answer == CUDA_SUCCESS) {
        OK(cuGraphicsUnregisterResource(resource));
      }
    }
    delete_texture(texture);
  }
}

TEST(cuGraphicsGLRegisterImage, RefusesTargetsThatCudaDoesNotHave) {
  const GlScene scene;
  CUgraphicsResource resource = nullptr;
  for (const GLenum target : {GL_TEXTURE_1D, GL_TEXTURE_1D_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY}) {
    const GLuint texture = target == GL_TEXTURE_1D_ARRAY
                               ? new_texture(target, GL_RGBA8, 1, {32, 4})
                               : new_texture(target, GL_RGBA8, 1, {32, 32, 12});
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, target, 0), CUDA_ERROR_INVALID_VALUE)
        << target;
    delete_texture(texture);
  }
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {32, 32});
  for (const GLenum target :
       {GL_ARRAY_BUFFER, GL_TEXTURE_BUFFER, GL_TEXTURE_CUBE_MAP_POSITIVE_X, GL_NONE, 0xbad}) {
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, target, 0), CUDA_ERROR_INVALID_VALUE)
        << target;
  }
  delete_texture(texture);
}

// An array has no room for several samples per pixel.
TEST(cuGraphicsGLRegisterImage, RefusesSeveralSamples) {
  const GlScene scene;
  GLuint texture, renderbuffer;
  glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &texture);
  glTextureStorage2DMultisample(texture, 4, GL_RGBA8, 16, 16, GL_TRUE);
  glCreateRenderbuffers(1, &renderbuffer);
  glNamedRenderbufferStorageMultisample(renderbuffer, 4, GL_RGBA8, 16, 16);
  CUgraphicsResource resource = nullptr;
  for (const GLenum target : {GL_TEXTURE_2D_MULTISAMPLE, GL_TEXTURE_2D}) {
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, target, 0), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_NE(cuGraphicsGLRegisterImage(&resource, renderbuffer, GL_RENDERBUFFER, 0), CUDA_SUCCESS);
  glDeleteRenderbuffers(1, &renderbuffer);
  delete_texture(texture);
}

// Measured: a name that was never bound is not a texture; a texture without an image has no format.
TEST(cuGraphicsGLRegisterImage, RefusesATextureWithoutAnImage) {
  const GlScene scene;
  CUgraphicsResource resource = nullptr;
  GLuint name;
  glGenTextures(1, &name);
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, name, GL_TEXTURE_2D, 0),
            CUDA_ERROR_INVALID_HANDLE);
  glBindTexture(GL_TEXTURE_2D, name);
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, name, GL_TEXTURE_2D, 0), CUDA_ERROR_INVALID_VALUE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  OK(cuGraphicsGLRegisterImage(&resource, name, GL_TEXTURE_2D, 0));
  OK(cuGraphicsUnregisterResource(resource));
  delete_texture(name);
}

// --- Formats
// --------------------------------------------------------------------------------------

TEST(cuGraphicsGLRegisterImage, TakesTheDocumentedFormats) {
  const GlScene scene;
  for (const ImageFormat& format : documented_formats()) {
    SCOPED_TRACE(format.name);
    const GLuint texture = new_texture(GL_TEXTURE_2D, format.internal, 1, {64, 32});
    expect_array(describe(texture, GL_TEXTURE_2D, 0), {64, 32, 0}, format.element, format.channels,
                 0);
    delete_texture(texture);
  }
}

// Measured: these are accepted, too. A missing fourth channel is added, and narrow channels are
// widened.
TEST(cuGraphicsGLRegisterImage, TakesFormatsThatAreNotDocumented) {
  const GlScene scene;
  const std::pair<GLenum, CUarray_format> formats[] = {
      {GL_RGB8, CU_AD_FORMAT_UNSIGNED_INT8},
      {GL_SRGB8_ALPHA8, CU_AD_FORMAT_UNSIGNED_INT8},
      {GL_RGBA4, CU_AD_FORMAT_UNSIGNED_INT8},
      {GL_RGB32F, CU_AD_FORMAT_FLOAT}};
  for (const auto& [internal, element] : formats) {
    SCOPED_TRACE(internal);
    const GLuint texture = new_texture(GL_TEXTURE_2D, internal, 1, {64, 32});
    expect_array(describe(texture, GL_TEXTURE_2D, 0), {64, 32, 0}, element, 4, 0);
    delete_texture(texture);
  }
}

TEST(cuGraphicsGLRegisterImage, TakesTheFormatsOfOld) {
  const GlScene scene(EglContext::Api::compatibility);
  struct Old {
    GLenum internal, format, type;
    CUarray_format element;
    unsigned channels;
  };
  constexpr auto byte = CU_AD_FORMAT_UNSIGNED_INT8, word = CU_AD_FORMAT_UNSIGNED_INT16;
  const Old formats[] = {
      {GL_RED, GL_RED, GL_UNSIGNED_BYTE, byte, 1},
      {GL_RG, GL_RG, GL_UNSIGNED_BYTE, byte, 2},
      {GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE, byte, 4},
      {GL_LUMINANCE, GL_LUMINANCE, GL_UNSIGNED_BYTE, byte, 1},
      {GL_ALPHA, GL_ALPHA, GL_UNSIGNED_BYTE, byte, 1},
      {GL_LUMINANCE_ALPHA, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, byte, 2},
      {GL_INTENSITY, GL_RED, GL_UNSIGNED_BYTE, byte, 1},
      {GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE, byte, 1},
      {GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE, byte, 1},
      {GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, byte, 2},
      {GL_INTENSITY8, GL_RED, GL_UNSIGNED_BYTE, byte, 1},
      {GL_LUMINANCE16, GL_LUMINANCE, GL_UNSIGNED_SHORT, word, 1},
      {GL_ALPHA32F_ARB, GL_ALPHA, GL_FLOAT, CU_AD_FORMAT_FLOAT, 1},
      {GL_LUMINANCE_ALPHA16F_ARB, GL_LUMINANCE_ALPHA, GL_FLOAT, CU_AD_FORMAT_HALF, 2},
  };
  for (const Old& old : formats) {
    SCOPED_TRACE(old.internal);
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(old.internal), 64, 32, 0, old.format,
                 old.type, nullptr);
    ASSERT_EQ(glGetError(), GLenum{GL_NO_ERROR});
    expect_array(describe(texture, GL_TEXTURE_2D, 0), {64, 32, 0}, old.element, old.channels, 0);
    delete_texture(texture);
  }
}

TEST(cuGraphicsGLRegisterImage, RefusesTheFormatsThatTheDriverRefuses) {
  const GlScene scene;
  for (const GLenum internal :
       {GL_RGBA8_SNORM, GL_RGB10_A2, GL_R11F_G11F_B10F, GL_DEPTH_COMPONENT32F, GL_DEPTH24_STENCIL8,
        GL_DEPTH_COMPONENT16, GL_RGB565}) {
    const GLuint texture = new_texture(GL_TEXTURE_2D, internal, 1, {64, 32});
    CUgraphicsResource resource = nullptr;
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, 0),
              CUDA_ERROR_INVALID_VALUE)
        << internal;
    EXPECT_EQ(resource, nullptr);
    delete_texture(texture);
  }
}

// --- Targets
// --------------------------------------------------------------------------------------

TEST(cuGraphicsGLRegisterImage, TakesEachTarget) {
  const GlScene scene;
  struct Case {
    GLenum target;
    ImageSize image, array;
  };
  const Case cases[] = {
      {GL_TEXTURE_2D, {64, 32, 1}, {64, 32, 0}},
      {GL_TEXTURE_RECTANGLE, {64, 32, 1}, {64, 32, 0}},
      {GL_TEXTURE_3D, {16, 8, 4}, {16, 8, 4}},
      {GL_TEXTURE_CUBE_MAP, {32, 32, 1}, {32, 32, 0}},
      {GL_TEXTURE_2D_ARRAY, {32, 16, 5}, {32, 16, 0}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.target);
    const GLuint texture = new_texture(each.target, GL_RGBA8, 1, each.image);
    expect_array(describe(texture, each.target, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST),
                 each.array, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST);
    delete_texture(texture);
  }
}

TEST(cuGraphicsGLRegisterImage, TakesARenderbuffer) {
  const GlScene scene;
  GLuint renderbuffer;
  glGenRenderbuffers(1, &renderbuffer);
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, renderbuffer, GL_RENDERBUFFER, 0),
            CUDA_ERROR_INVALID_HANDLE);
  glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, renderbuffer, GL_RENDERBUFFER, 0),
            CUDA_ERROR_INVALID_VALUE);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 48, 24);
  expect_array(describe(renderbuffer, GL_RENDERBUFFER, 0), {48, 24, 0}, CU_AD_FORMAT_UNSIGNED_INT8,
               4, 0);
  // The name must be of a texture or a renderbuffer, as the target says.
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, renderbuffer + 100, GL_RENDERBUFFER, 0),
            CUDA_ERROR_INVALID_HANDLE);
  glBindRenderbuffer(GL_RENDERBUFFER, 0);
  glDeleteRenderbuffers(1, &renderbuffer);
}

TEST(cuGraphicsGLRegisterImage, TwiceGivesTwoResources) {
  const GlScene scene;
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, {64, 32});
  const CUgraphicsResource a = register_image(texture, GL_TEXTURE_2D, 0),
                           b = register_image(texture, GL_TEXTURE_2D, 0);
  EXPECT_NE(a, b);
  OK(map(a));
  EXPECT_FALSE(is_mapped(b));
  OK(cuGraphicsUnregisterResource(b));
  EXPECT_TRUE(is_mapped(a));
  OK(unmap(a));
  OK(cuGraphicsUnregisterResource(a));
  delete_texture(texture);
}

}  // namespace
