// SPDX-License-Identifier: Apache-2.0
// A context of OpenGL without a window, and the few functions that the measurements call. EGL is
// looked for when the program runs.
//
// Threads: one.
#pragma once

#include <dlfcn.h>
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <cuda.h>
#include <cudaGL.h>

#include <string>

namespace cuvette::bench {

using ClearBuffer = PFNGLCLEARNAMEDBUFFERDATAPROC;
using CreateNames = void (*)(GLsizei, GLuint*);
using BufferData = void (*)(GLuint, GLsizeiptr, const void*, GLenum);
using CreateTextures = void (*)(GLenum, GLsizei, GLuint*);
using TextureStorage = void (*)(GLuint, GLsizei, GLenum, GLsizei, GLsizei);
using Plain = void (*)();
using DeleteNames = void (*)(GLsizei, const GLuint*);
using GetText = const GLubyte* (*)(GLenum);

class OpenGL {
 public:
  // Makes the context current. Returns why there is none; empty if there is.
  std::string open();
  GLuint buffer(size_t size) {
    GLuint name = 0;
    create_buffers(1, &name);
    buffer_data(name, static_cast<GLsizeiptr>(size), nullptr, GL_DYNAMIC_DRAW);
    return name;
  }
  GLuint texture(int width) {
    GLuint name = 0;
    create_textures(GL_TEXTURE_2D, 1, &name);
    texture_storage(name, 1, GL_RGBA8, width, width);
    return name;
  }
  void clear(GLuint name) {
    const GLuint value = 1;
    clear_buffer(name, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &value);
  }
  Plain finish = nullptr, flush = nullptr;
  DeleteNames delete_buffers = nullptr, delete_textures = nullptr;
  std::string renderer;

 private:
  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(find_(name));
  }
  using Find = void* (*)(const char*);
  Find find_ = nullptr;
  CreateNames create_buffers = nullptr;
  BufferData buffer_data = nullptr;
  ClearBuffer clear_buffer = nullptr;
  CreateTextures create_textures = nullptr;
  TextureStorage texture_storage = nullptr;
};

inline std::string OpenGL::open() {
  void* const egl = dlopen("libEGL.so.1", RTLD_NOW);
  if (!egl) return "no libEGL.so.1";
  find_ = reinterpret_cast<Find>(dlsym(egl, "eglGetProcAddress"));
#define CUVETTE_EGL(name) const auto name##_ = reinterpret_cast<decltype(&name)>(dlsym(egl, #name))
  CUVETTE_EGL(eglInitialize);
  CUVETTE_EGL(eglBindAPI);
  CUVETTE_EGL(eglCreateContext);
  CUVETTE_EGL(eglMakeCurrent);
#undef CUVETTE_EGL
  PFNEGLGETPLATFORMDISPLAYEXTPROC display_of;
  PFNEGLQUERYDEVICESEXTPROC devices_of;
  find(display_of, "eglGetPlatformDisplayEXT");
  find(devices_of, "eglQueryDevicesEXT");
  if (!display_of) return "EGL has no display without a window system";
  EGLDeviceEXT devices[16];
  EGLint count = 0;
  if (devices_of) devices_of(16, devices, &count);
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
  for (EGLint i = -1; i < count; ++i) {
    const EGLDisplay display =
        i < 0 ? (count ? EGL_NO_DISPLAY
                       : display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr))
              : display_of(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
    if (!display || !eglInitialize_(display, nullptr, nullptr)) continue;
    eglBindAPI_(EGL_OPENGL_API);
    const EGLContext context =
        eglCreateContext_(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (!context || !eglMakeCurrent_(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) continue;
    find(create_buffers, "glCreateBuffers");
    find(buffer_data, "glNamedBufferData");
    find(clear_buffer, "glClearNamedBufferData");
    find(create_textures, "glCreateTextures");
    find(texture_storage, "glTextureStorage2D");
    find(finish, "glFinish");
    find(flush, "glFlush");
    find(delete_buffers, "glDeleteBuffers");
    find(delete_textures, "glDeleteTextures");
    GetText get_text;
    find(get_text, "glGetString");
    renderer = reinterpret_cast<const char*>(get_text(GL_RENDERER));
    return "";
  }
  return "no context of OpenGL 4.5";
}

}  // namespace cuvette::bench
