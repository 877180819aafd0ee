// SPDX-License-Identifier: Apache-2.0
// The scene of the benchmarks with OpenGL: a context without a window, on EGL's surfaceless
// platform.
#pragma once

#define GL_GLEXT_PROTOTYPES
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <cudaGL.h>

#include "bench/api/driver/scene.hpp"

namespace cuvette::bench {

inline void set_gl_scene() {
  set_scene();
  if (eglGetCurrentContext() != EGL_NO_CONTEXT) return;
  const EGLDisplay display =
      eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  eglInitialize(display, nullptr, nullptr);
  eglBindAPI(EGL_OPENGL_API);
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
  const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
    fprintf(stderr, "There is no OpenGL 4.5 here.\n");
    exit(1);
  }
}

}  // namespace cuvette::bench
