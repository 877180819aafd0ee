// SPDX-License-Identifier: Apache-2.0
// What cases about graphics resources need: OpenGL without a window, on the GPU of CUDA's device 0
// or in Mesa's software, and OpenGL's objects.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <cudaGL.h>

#include "survive.hpp"

namespace graphics {

inline EGLDisplay display = EGL_NO_DISPLAY;
inline CUcontext context = nullptr;

// Opens the display of CUDA's device 0, or else Mesa's surfaceless one.
inline bool open_display() {
  const auto query =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto attribute = reinterpret_cast<PFNEGLQUERYDEVICEATTRIBEXTPROC>(
      eglGetProcAddress("eglQueryDeviceAttribEXT"));
  const auto platform = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (!platform) return false;
  EGLDeviceEXT devices[16];
  EGLint count = 0;
  if (query && attribute && query(16, devices, &count)) {
    for (EGLint i = 0; i < count; ++i) {
      EGLAttrib number = -1;
      if (!attribute(devices[i], EGL_CUDA_DEVICE_NV, &number) || number != 0) continue;
      display = platform(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
      if (eglInitialize(display, nullptr, nullptr)) return true;
    }
  }
  display = platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  return eglInitialize(display, nullptr, nullptr);
}

// Makes an OpenGL 4.5 context that shares with `friendly`.
inline EGLContext new_gl(bool core, EGLContext friendly) {
  eglBindAPI(EGL_OPENGL_API);
  const EGLint wanted[] = {
      EGL_CONTEXT_MAJOR_VERSION,
      4,
      EGL_CONTEXT_MINOR_VERSION,
      5,
      EGL_CONTEXT_OPENGL_PROFILE_MASK,
      core ? EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT : EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
      EGL_NONE};
  return eglCreateContext(display, EGL_NO_CONFIG_KHR, friendly, wanted);
}

inline bool make_current(EGLContext gl) {
  return eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl);
}

inline void need(const char* what, bool there) {
  if (there) return;
  conformance::say("cannot be asked", what);
  _exit(3);
}

inline EGLContext start_gl(bool core) {
  need("no EGL display", open_display());
  const EGLContext gl = new_gl(core, EGL_NO_CONTEXT);
  need("no OpenGL context", gl != EGL_NO_CONTEXT && make_current(gl));
  return gl;
}

inline void start_cuda() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
}

// Makes an OpenGL context of the core profile and the primary context current.
inline EGLContext start() {
  const EGLContext gl = start_gl(true);
  start_cuda();
  return gl;
}

inline GLuint new_buffer(size_t size, const void* data) {
  GLuint name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(GL_ARRAY_BUFFER, name);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(size), data, GL_DYNAMIC_DRAW);
  return name;
}

inline CUgraphicsResource registered(GLuint buffer) {
  CUgraphicsResource resource = nullptr;
  PREPARE(cuGraphicsGLRegisterBuffer(&resource, buffer, 0));
  return resource;
}

inline CUgraphicsResource mapped(GLuint buffer) {
  CUgraphicsResource resource = registered(buffer);
  PREPARE(cuGraphicsMapResources(1, &resource, nullptr));
  return resource;
}

inline GLuint new_texture(GLenum target) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(target, name);
  return name;
}

// Makes a texture with immutable storage.
inline GLuint new_texture(GLenum target, GLenum format, int levels, int width, int height,
                          int depth) {
  const GLuint name = new_texture(target);
  if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY ||
      target == GL_TEXTURE_CUBE_MAP_ARRAY)
    glTexStorage3D(target, levels, format, width, height, depth);
  else if (target == GL_TEXTURE_1D)
    glTexStorage1D(target, levels, format, width);
  else
    glTexStorage2D(target, levels, format, width, height);
  return name;
}

inline std::string name(CUresult result) {
  const char* text = nullptr;
  return cuGetErrorName(result, &text) == CUDA_SUCCESS ? text : "unknown";
}

inline std::string text(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  char line[120];
  snprintf(line, sizeof line, "%zux%zux%zu format %d channels %u flags %u", shape.Width,
           shape.Height, shape.Depth, static_cast<int>(shape.Format), shape.NumChannels,
           shape.Flags);
  return line;
}

// Describes an array, or says why it cannot.
inline std::string shape(CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  const CUresult result = cuArray3DGetDescriptor(&descriptor, array);
  return result == CUDA_SUCCESS ? text(descriptor) : "descriptor: " + name(result);
}

inline std::string shape(CUgraphicsResource resource, unsigned index, unsigned level) {
  CUarray array = nullptr;
  const CUresult result = cuGraphicsSubResourceGetMappedArray(&array, resource, index, level);
  return result == CUDA_SUCCESS ? shape(array) : "array: " + name(result);
}

inline void say(const std::string& question, const std::string& answer) {
  conformance::say(question.c_str(), answer.c_str());
}

// Registers an image; returns the result and, on success, the description of its array.
inline std::string registration(GLuint image, GLenum target, unsigned flags) {
  CUgraphicsResource resource = nullptr;
  CUresult result = cuGraphicsGLRegisterImage(&resource, image, target, flags);
  if (result != CUDA_SUCCESS) return name(result);
  result = cuGraphicsMapResources(1, &resource, nullptr);
  if (result != CUDA_SUCCESS) return "map: " + name(result);
  std::string answer = "CUDA_SUCCESS " + shape(resource, 0, 0);
  result = cuGraphicsUnmapResources(1, &resource, nullptr);
  if (result != CUDA_SUCCESS) return answer + ", unmap: " + name(result);
  result = cuGraphicsUnregisterResource(resource);
  if (result != CUDA_SUCCESS) return answer + ", unregister: " + name(result);
  return answer;
}

// The first bytes of an array's first row.
inline std::string bytes_of(CUarray array, size_t count) {
  unsigned char bytes[64] = {};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = bytes;
  copy.dstPitch = sizeof bytes;
  copy.WidthInBytes = count;
  copy.Height = 1;
  const CUresult result = cuMemcpy2D(&copy);
  if (result != CUDA_SUCCESS) return name(result);
  std::string answer;
  for (size_t i = 0; i < count; ++i) {
    char digits[4];
    snprintf(digits, sizeof digits, "%02x", bytes[i]);
    answer += digits;
  }
  return answer;
}

}  // namespace graphics
