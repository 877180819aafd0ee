// SPDX-License-Identifier: Apache-2.0
// A buffer of OpenGL that is registered once, and mapped for each of three frames.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include <cstddef>

#include "tests/tools/page/programs/program.hpp"

namespace {

// An OpenGL context without a window. False: this machine has none.
bool begin_opengl() {
  const auto display_of = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (!display_of) return false;
  const EGLDisplay display =
      display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) return false;
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
  const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
  return context != EGL_NO_CONTEXT &&
         eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

}  // namespace

int main() {
  constexpr size_t size = 2 << 20;
  if (!begin_opengl()) {
    fprintf(stderr, "particles: there is no OpenGL 4.5\n");
    return 77;
  }
  begin();
  const CUfunction move = kernel_of(new_module(kernel_text("move", false)), "move");
  const CUstream stream = new_stream();
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, size, nullptr, GL_DYNAMIC_DRAW);
  CUgraphicsResource resource;
  CUDA(cuGraphicsGLRegisterBuffer(&resource, buffer, CU_GRAPHICS_REGISTER_FLAGS_NONE));
  for (int frame = 0; frame < 3; ++frame) {
    CUdeviceptr points;
    size_t bytes;
    CUDA(cuGraphicsMapResources(1, &resource, stream));
    CUDA(cuGraphicsResourceGetMappedPointer(&points, &bytes, resource));
    void* arguments[] = {&points};
    CUDA(cuLaunchKernel(move, size / 4 / block, 1, 1, block, 1, 1, 0, stream, arguments, nullptr));
    CUDA(cuGraphicsUnmapResources(1, &resource, stream));
  }
  CUDA(cuStreamSynchronize(stream));
  CUDA(cuGraphicsUnregisterResource(resource));
  glDeleteBuffers(1, &buffer);
  return 0;
}
