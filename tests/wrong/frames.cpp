// SPDX-License-Identifier: Apache-2.0
// Frames of EGLImages, which are given back to OpenGL by the call that waits for CUDA's work.
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "tests/wrong/misuse.hpp"
// Must come after OpenGL's headers.
#include <cudaEGL.h>

CUresult waits_without_opengl(Twin twin) {
  Program program;
  const auto texture = reinterpret_cast<EGLClientBuffer>(uintptr_t{new_texture()});
  const EGLDisplay display = eglGetCurrentDisplay();
  const EGLImage image =
      eglCreateImage(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D, texture, nullptr);
  CUgraphicsResource resource = nullptr;
  NEED(cuGraphicsEGLRegisterImage(&resource, image, CU_GRAPHICS_REGISTER_FLAGS_NONE));
  CUeglFrame frame{};
  NEED(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
  const char pixels[1024] = {};
  NEED(copy_to_array(frame.frame.pArray[0], pixels));
  if (twin == Twin::wrong) program.gl.release();
  const CUresult answer = cuCtxSynchronize();
  if (twin == Twin::wrong) program.gl.make_current();
  NEED(cuGraphicsUnregisterResource(resource));
  eglDestroyImage(display, image);
  return answer;
}
