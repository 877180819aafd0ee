// SPDX-License-Identifier: Apache-2.0
// OpenGL without any display, through EGL: on the GPU of CUDA's device 0 where there is one, else
// in software.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdio>
#include <cstdlib>

#include "examples/galaxy/screen.hpp"

namespace galaxy {
namespace {

template <typename Function>
Function function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

EGLDisplay display_of_gpu() {
  const auto list = function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto ask = function<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
  const auto get = function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  EGLDeviceEXT devices[16];
  EGLint count = 0;
  if (!list || !ask || !get || !list(16, devices, &count)) return EGL_NO_DISPLAY;
  for (int i = 0; i < count; ++i) {
    EGLAttrib number;
    if (!ask(devices[i], EGL_CUDA_DEVICE_NV, &number) || number != 0) continue;
    const EGLDisplay display = get(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
    if (eglInitialize(display, nullptr, nullptr)) return display;
  }
  return EGL_NO_DISPLAY;
}

EGLDisplay display_in_software() {
  const auto get = function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (!get) return EGL_NO_DISPLAY;
  const EGLDisplay display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  return eglInitialize(display, nullptr, nullptr) ? display : EGL_NO_DISPLAY;
}

class MemoryScreen final : public Screen {
 public:
  MemoryScreen(int width, int height) : width_(width), height_(height), display_(display_of_gpu()) {
    if (display_ == EGL_NO_DISPLAY) display_ = display_in_software();
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    eglBindAPI(EGL_OPENGL_API);
    context_ = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
      std::fprintf(stderr, "There is no OpenGL 4.5 through EGL here.\n");
      std::exit(1);
    }
    glCreateTextures(GL_TEXTURE_2D, 1, &texture_);
    glTextureStorage2D(texture_, 1, GL_RGBA8, width, height);
    glCreateFramebuffers(1, &framebuffer_);
    glNamedFramebufferTexture(framebuffer_, GL_COLOR_ATTACHMENT0, texture_, 0);
  }
  ~MemoryScreen() override {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &texture_);
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
  }

  unsigned framebuffer() const override { return framebuffer_; }
  bool show() override { return true; }
  Picture read() const override {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    return read_pixels(width_, height_);
  }

 private:
  const int width_, height_;
  EGLDisplay display_;
  EGLContext context_;
  GLuint texture_, framebuffer_;
};

}  // namespace

std::unique_ptr<Screen> open_memory(int width, int height) {
  return std::make_unique<MemoryScreen>(width, height);
}

Picture read_pixels(int width, int height) {
  Picture picture(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  // OpenGL's first row is the lowest; a picture's is the highest.
  for (int row = 0; row < height; ++row)
    glReadPixels(0, height - 1 - row, width, 1, GL_RGB, GL_UNSIGNED_BYTE, picture.at(0, row));
  return picture;
}

}  // namespace galaxy
