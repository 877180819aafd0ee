// SPDX-License-Identifier: Apache-2.0
// State that CUDA leaves as it found it: bindings, pixel-store parameters, the error flag.
#include <map>
#include <string>

#include "tests/api/driver/interop/gl/gl.hpp"

namespace {

// Every piece of state that a copy between OpenGL and memory could be tempted to change.
constexpr std::pair<GLenum, const char*> parameters[] = {
    {GL_ARRAY_BUFFER_BINDING, "array buffer"},
    {GL_ELEMENT_ARRAY_BUFFER_BINDING, "element array buffer"},
    {GL_COPY_READ_BUFFER_BINDING, "copy read buffer"},
    {GL_COPY_WRITE_BUFFER_BINDING, "copy write buffer"},
    {GL_PIXEL_PACK_BUFFER_BINDING, "pixel pack buffer"},
    {GL_PIXEL_UNPACK_BUFFER_BINDING, "pixel unpack buffer"},
    {GL_UNIFORM_BUFFER_BINDING, "uniform buffer"},
    {GL_SHADER_STORAGE_BUFFER_BINDING, "shader storage buffer"},
    {GL_ACTIVE_TEXTURE, "active texture"},
    {GL_TEXTURE_BINDING_2D, "2D texture"},
    {GL_TEXTURE_BINDING_2D_ARRAY, "2D array texture"},
    {GL_TEXTURE_BINDING_3D, "3D texture"},
    {GL_TEXTURE_BINDING_CUBE_MAP, "cube map"},
    {GL_TEXTURE_BINDING_RECTANGLE, "rectangle texture"},
    {GL_RENDERBUFFER_BINDING, "renderbuffer"},
    {GL_READ_FRAMEBUFFER_BINDING, "read framebuffer"},
    {GL_DRAW_FRAMEBUFFER_BINDING, "draw framebuffer"},
    {GL_READ_BUFFER, "read buffer"},
    {GL_DRAW_BUFFER, "draw buffer"},
    {GL_VERTEX_ARRAY_BINDING, "vertex array"},
    {GL_CURRENT_PROGRAM, "program"},
    {GL_SCISSOR_TEST, "scissor test"},
    {GL_DITHER, "dither"},
    {GL_BLEND, "blending"},
    {GL_PACK_SWAP_BYTES, "pack swap bytes"},
    {GL_PACK_LSB_FIRST, "pack least significant bit first"},
    {GL_PACK_ROW_LENGTH, "pack row length"},
    {GL_PACK_IMAGE_HEIGHT, "pack image height"},
    {GL_PACK_SKIP_ROWS, "pack skip rows"},
    {GL_PACK_SKIP_PIXELS, "pack skip pixels"},
    {GL_PACK_SKIP_IMAGES, "pack skip images"},
    {GL_PACK_ALIGNMENT, "pack alignment"},
    {GL_UNPACK_SWAP_BYTES, "unpack swap bytes"},
    {GL_UNPACK_LSB_FIRST, "unpack least significant bit first"},
    {GL_UNPACK_ROW_LENGTH, "unpack row length"},
    {GL_UNPACK_IMAGE_HEIGHT, "unpack image height"},
    {GL_UNPACK_SKIP_ROWS, "unpack skip rows"},
    {GL_UNPACK_SKIP_PIXELS, "unpack skip pixels"},
    {GL_UNPACK_SKIP_IMAGES, "unpack skip images"},
    {GL_UNPACK_ALIGNMENT, "unpack alignment"},
};

std::map<std::string, GLint> state() {
  std::map<std::string, GLint> state;
  for (const auto& [parameter, name] : parameters) glGetIntegerv(parameter, &state[name]);
  return state;
}

// Binds objects of all kinds, and sets unusual pixel-store parameters.
class Clutter {
 public:
  Clutter() {
    glGenBuffers(8, buffers_);
    const GLenum targets[] = {GL_ARRAY_BUFFER,      GL_ELEMENT_ARRAY_BUFFER, GL_COPY_READ_BUFFER,
                              GL_COPY_WRITE_BUFFER, GL_PIXEL_PACK_BUFFER,    GL_PIXEL_UNPACK_BUFFER,
                              GL_UNIFORM_BUFFER,    GL_SHADER_STORAGE_BUFFER};
    for (size_t i = 0; i < 8; ++i) {
      glBindBuffer(targets[i], buffers_[i]);
      glBufferData(targets[i], 64, nullptr, GL_STATIC_DRAW);
    }
    glGenTextures(5, textures_);
    glActiveTexture(GL_TEXTURE3);
    const GLenum kinds[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                            GL_TEXTURE_RECTANGLE};
    for (size_t i = 0; i < 5; ++i) glBindTexture(kinds[i], textures_[i]);
    glGenRenderbuffers(1, &renderbuffer_);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer_);
    glGenFramebuffers(2, framebuffers_);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers_[0]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers_[1]);
    for (const GLenum parameter :
         {GL_PACK_ROW_LENGTH, GL_PACK_IMAGE_HEIGHT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_IMAGE_HEIGHT})
      glPixelStorei(parameter, 3);
    for (const GLenum parameter :
         {GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_PACK_SKIP_IMAGES, GL_UNPACK_SKIP_ROWS,
          GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES, GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES})
      glPixelStorei(parameter, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 8);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
    glEnable(GL_SCISSOR_TEST);
    glEnable(GL_BLEND);
  }
  ~Clutter() {
    glDeleteBuffers(8, buffers_);
    glDeleteTextures(5, textures_);
    glDeleteRenderbuffers(1, &renderbuffer_);
    glDeleteFramebuffers(2, framebuffers_);
  }

 private:
  GLuint buffers_[8], textures_[5], renderbuffer_, framebuffers_[2];
};

// Buffers for each way of mapping; each is registered, mapped, written, unmapped and unregistered.
void use_buffers(const std::vector<GLuint>& buffers) {
  for (const GLuint buffer : buffers)
    for (const unsigned flags : {0, 1, 2}) {
      const CUgraphicsResource resource = register_buffer(buffer, flags);
      OK(map(resource));
      if (flags != CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY) {
        OK(cuMemsetD8(address_of(resource), 1, 256));
      }
      OK(unmap(resource));
      OK(cuGraphicsUnregisterResource(resource));
    }
}

struct Image {
  GLuint name;
  GLenum target;
};

std::vector<Image> new_images() {
  std::vector<Image> images;
  for (const GLenum target : {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP,
                              GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D}) {
    GLuint texture;
    glCreateTextures(target, 1, &texture);
    if (target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_3D) {
      glTextureStorage3D(texture, 1, GL_RGBA8, 8, 8, 4);
    } else {
      glTextureStorage2D(texture, 1, GL_RGBA8, 8, 8);
    }
    images.push_back({texture, target});
  }
  GLuint renderbuffer;
  glCreateRenderbuffers(1, &renderbuffer);
  glNamedRenderbufferStorage(renderbuffer, GL_RGBA8, 8, 8);
  images.push_back({renderbuffer, GL_RENDERBUFFER});
  return images;
}

void use_images(const std::vector<Image>& images) {
  for (const Image& image : images)
    for (const unsigned flags : {0, 1, 2}) {
      const CUgraphicsResource resource = register_image(image.name, image.target, flags);
      OK(map(resource));
      OK(unmap(resource));
      OK(cuGraphicsUnregisterResource(resource));
    }
}

std::vector<GLuint> new_buffers() {
  constexpr GLbitfield persistent = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT;
  const std::vector<GLuint> buffers = {new_buffer(256), new_immutable_buffer(Bytes(256), 0),
                                       new_immutable_buffer(Bytes(256), persistent)};
  glMapNamedBufferRange(buffers[2], 0, 256, persistent);
  return buffers;
}

TEST(cuGraphicsGLRegisterBuffer, LeavesOpenGLsStateAsItIs) {
  const GlScene scene;
  const auto buffers = new_buffers();
  {
    const Clutter clutter;
    const auto before = state();
    use_buffers(buffers);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }
  glDeleteBuffers(3, buffers.data());
}

TEST(cuGraphicsGLRegisterImage, LeavesOpenGLsStateAsItIs) {
  const GlScene scene;
  const auto images = new_images();
  {
    const Clutter clutter;
    const auto before = state();
    use_images(images);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }
}

// An error that the program has not yet read stays readable, and CUDA adds none.
TEST(cuGraphicsGLRegisterBuffer, LeavesOpenGLsErrorFlagAsItIs) {
  const GlScene scene;
  const auto buffers = new_buffers();
  for (const bool with_error : {false, true}) {
    if (with_error) glEnable(0xbad);
    use_buffers(buffers);
    CUgraphicsResource resource;
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, 9999, 0), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(glGetError(), with_error ? GLenum{GL_INVALID_ENUM} : GLenum{GL_NO_ERROR});
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }
  glDeleteBuffers(3, buffers.data());
}

TEST(cuGraphicsGLRegisterImage, LeavesOpenGLsErrorFlagAsItIs) {
  const GlScene scene;
  const auto images = new_images();
  for (const bool with_error : {false, true}) {
    if (with_error) glEnable(0xbad);
    use_images(images);
    CUgraphicsResource resource;
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, 9999, GL_TEXTURE_2D, 0),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, images[0].name, GL_TEXTURE_3D, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(glGetError(), with_error ? GLenum{GL_INVALID_ENUM} : GLenum{GL_NO_ERROR});
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }
}

// Calls that CUDA refuses leave no error behind either.
TEST(cuGraphicsMapResources, RefusingLeavesOpenGLsErrorFlagAsItIs) {
  const GlScene scene;
  const GLuint buffer = new_buffer(64);
  const CUgraphicsResource resource = register_buffer(buffer);
  glNamedBufferData(buffer, 128, nullptr, GL_STATIC_DRAW);
  EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  delete_buffer(buffer);
  EXPECT_EQ(map(resource), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  OK(cuGraphicsUnregisterResource(resource));
}

}  // namespace
