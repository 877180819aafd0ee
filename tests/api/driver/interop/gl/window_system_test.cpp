// SPDX-License-Identifier: Apache-2.0
// The same sequence with each window system, as programs with EGL, GLX, GLFW and SDL do it. Uses
// only what OpenGL ES 3.0 has, too.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/interop/gl/window_system.hpp"

namespace {

using Bytes = std::vector<uint8_t>;

class WindowSystem : public testing::Test {
 protected:
  // Makes both contexts current, and registers a buffer of 4096 ones.
  WindowSystem() : gl(open_window_system()) {
    gl->make_current();
    buffer = new_buffer(1);
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), CUDA_SUCCESS);
  }
  ~WindowSystem() override {
    gl->make_current();
    EXPECT_EQ(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }

  static GLuint new_buffer(uint8_t value) {
    const Bytes bytes(4096, value);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 4096, bytes.data(), GL_DYNAMIC_DRAW);
    return buffer;
  }
  static Bytes gl_content(GLuint buffer) {
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    Bytes content(4096);
    const void* mapped = glMapBufferRange(GL_ARRAY_BUFFER, 0, 4096, GL_MAP_READ_BIT);
    if (!mapped) return {};
    memcpy(content.data(), mapped, 4096);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    return content;
  }
  // Maps, expects `before` everywhere, writes `after` and unmaps.
  void turn(uint8_t before, uint8_t after) {
    OK(cuGraphicsMapResources(1, &resource, nullptr));
    CUdeviceptr address = 0;
    size_t size = 0;
    OK(cuGraphicsResourceGetMappedPointer(&address, &size, resource));
    ASSERT_EQ(size, 4096u);
    Bytes content(4096);
    OK(cuMemcpyDtoH(content.data(), address, 4096));
    EXPECT_EQ(content, Bytes(4096, before));
    OK(cuMemsetD8Async(address, after, 4096, nullptr));
    OK(cuGraphicsUnmapResources(1, &resource, nullptr));
  }

  const std::unique_ptr<GlContext> gl;
  const Scene cuda;
  GLuint buffer = 0;
  CUgraphicsResource resource = nullptr;
};

TEST_F(WindowSystem, HasTheDevice) {
  unsigned count = 0;
  CUdevice device = 77;
  OK(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(device, 0);
}

TEST_F(WindowSystem, LetsABuffersBytesFlowBothWays) {
  for (uint8_t value = 1; value < 20; ++value) {
    turn(value, static_cast<uint8_t>(value + 100));
    EXPECT_EQ(gl_content(buffer), Bytes(4096, static_cast<uint8_t>(value + 100)));
    const Bytes next(4096, static_cast<uint8_t>(value + 1));
    glBufferSubData(GL_ARRAY_BUFFER, 0, 4096, next.data());
  }
}

TEST_F(WindowSystem, LetsATexturesPixelsFlowBothWays) {
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 16, 16);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  ASSERT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum{GL_FRAMEBUFFER_COMPLETE});
  glViewport(0, 0, 16, 16);
  glClearColor(0, 0, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);

  CUgraphicsResource image = nullptr;
  if (strstr(reinterpret_cast<const char*>(glGetString(GL_VERSION)), "OpenGL ES")) {
    // OpenGL ES cannot read back a texture's pixels.
    EXPECT_EQ(cuGraphicsGLRegisterImage(&image, texture, GL_TEXTURE_2D, 0),
              CUDA_ERROR_NOT_SUPPORTED);
    return;
  }
  OK(cuGraphicsGLRegisterImage(&image, texture, GL_TEXTURE_2D, 0));
  OK(cuGraphicsMapResources(1, &image, nullptr));
  CUarray array = nullptr;
  OK(cuGraphicsSubResourceGetMappedArray(&array, image, 0, 0));
  Bytes pixels(1024);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pixels.data();
  copy.dstPitch = copy.WidthInBytes = 64;
  copy.Height = 16;
  OK(cuMemcpy2D(&copy));
  for (size_t i = 0; i < 1024; i += 4) {
    ASSERT_EQ(Bytes(&pixels[i], &pixels[i] + 4), (Bytes{0, 0, 255, 255})) << i;
  }
  for (size_t i = 0; i < 1024; ++i) pixels[i] = static_cast<uint8_t>(i * 7);
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = pixels.data();
  copy.srcPitch = copy.WidthInBytes = 64;
  copy.Height = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  OK(cuMemcpy2D(&copy));
  OK(cuGraphicsUnmapResources(1, &image, nullptr));
  Bytes read(1024);
  glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, read.data());
  EXPECT_EQ(read, pixels);
  OK(cuGraphicsUnregisterResource(image));
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
}

TEST_F(WindowSystem, LeavesStateAsItIs) {
  const GLuint bound = new_buffer(9);
  glPixelStorei(GL_PACK_ROW_LENGTH, 5);
  turn(1, 2);
  GLint binding = 0, row = 0;
  glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &binding);
  glGetIntegerv(GL_PACK_ROW_LENGTH, &row);
  EXPECT_EQ(binding, static_cast<GLint>(bound));
  EXPECT_EQ(row, 5);
  EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
}

TEST_F(WindowSystem, WorksInAContextThatShares) {
  const auto shared = gl->shared();
  shared->make_current();
  turn(1, 2);
  EXPECT_TRUE(shared->is_current());
  EXPECT_EQ(gl_content(buffer), Bytes(4096, 2));
  shared->release();
}

// The resource's context is borrowed for the call; the caller's comes back with its bindings.
TEST_F(WindowSystem, FindsTheRightBufferInAForeignContext) {
  const auto foreign = open_window_system();
  foreign->make_current();
  const GLuint same_name = new_buffer(77);
  EXPECT_EQ(same_name, buffer) << "else this test shows nothing";
  turn(1, 3);
  EXPECT_TRUE(foreign->is_current());
  GLint binding = 0;
  glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &binding);
  EXPECT_EQ(binding, static_cast<GLint>(same_name));
  EXPECT_EQ(gl_content(same_name), Bytes(4096, 77));
  gl->make_current();
  EXPECT_EQ(gl_content(buffer), Bytes(4096, 3));
}

TEST_F(WindowSystem, NeedsAContext) {
  gl->release();
  EXPECT_EQ(cuGraphicsMapResources(1, &resource, nullptr), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  unsigned count = 0;
  CUdevice device = 0;
  EXPECT_EQ(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL),
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  gl->make_current();
  turn(1, 2);
}

TEST_F(WindowSystem, LetsTheContextWanderToAnotherThread) {
  gl->release();
  std::thread([this] {
    gl->make_current();
    OK(cuCtxSetCurrent(cuda.context));
    turn(1, 4);
    gl->release();
  }).join();
  gl->make_current();
  EXPECT_EQ(gl_content(buffer), Bytes(4096, 4));
}

}  // namespace
