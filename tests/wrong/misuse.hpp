// SPDX-License-Identifier: Apache-2.0
// Programs with one mistake each. misuses.def lists them; a function of that name is the program,
// and its twin without the mistake.
//
// A program returns the result of its decisive call. All other calls must succeed.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include "tests/api/driver/interop/gl/egl_context.hpp"
#include "tests/need.hpp"

enum class Twin { repaired, wrong };

// Declares all programs.
#define MISUSE(name, ...) CUresult name(Twin twin);
#include "tests/wrong/misuses.def"
#undef MISUSE

// Makes both contexts current; nothing of them is left at the end of the program.
class Program {
 public:
  Program() : gl(EglContext::Api::core) {
    gl.make_current();
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&cuda, 0));
    NEED(cuCtxSetCurrent(cuda));
    // A blocking stream, ordered with calls without a stream.
    NEED(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  }
  ~Program() {
    NEED(cuCtxSetCurrent(cuda));
    NEED(cuStreamDestroy(stream));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  EglContext gl;
  CUcontext cuda = nullptr;
  CUstream stream = nullptr;
};

// --- Objects of OpenGL ---

inline GLuint new_buffer(GLsizeiptr size) {
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, size, nullptr, GL_DYNAMIC_DRAW);
  glClearNamedBufferData(buffer, GL_R8, GL_RED, GL_UNSIGNED_BYTE, nullptr);
  return buffer;
}

inline GLuint new_texture(GLenum target, GLenum format, GLsizei levels, GLsizei layers) {
  GLuint texture = 0;
  glCreateTextures(target, 1, &texture);
  if (target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_3D) {
    glTextureStorage3D(texture, levels, format, 16, 16, layers);
  } else {
    glTextureStorage2D(texture, levels, format, 16, 16);
  }
  return texture;
}
inline GLuint new_texture() { return new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 1); }

// Makes a texture the framebuffer to draw into.
inline void bind_target(GLuint texture) {
  GLuint framebuffer = 0;
  glCreateFramebuffers(1, &framebuffer);
  glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, texture, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, 16, 16);
}

// --- Resources ---

inline CUgraphicsResource register_buffer(GLuint buffer, unsigned flags) {
  CUgraphicsResource resource = nullptr;
  NEED(cuGraphicsGLRegisterBuffer(&resource, buffer, flags));
  return resource;
}
inline CUgraphicsResource register_texture(GLuint texture, GLenum target, unsigned flags) {
  CUgraphicsResource resource = nullptr;
  NEED(cuGraphicsGLRegisterImage(&resource, texture, target, flags));
  return resource;
}
inline CUgraphicsResource register_texture(GLuint texture) {
  return register_texture(texture, GL_TEXTURE_2D, 0);
}

inline CUresult map(CUgraphicsResource resource, CUstream stream) {
  return cuGraphicsMapResources(1, &resource, stream);
}
inline CUresult unmap(CUgraphicsResource resource, CUstream stream) {
  return cuGraphicsUnmapResources(1, &resource, stream);
}
// Later work in `second` comes after the work in `first`.
inline void link(CUstream first, CUstream second) {
  CUevent done = nullptr;
  NEED(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
  NEED(cuEventRecord(done, first));
  NEED(cuStreamWaitEvent(second, done, 0));
  NEED(cuEventDestroy(done));
}
inline CUdeviceptr pointer_of(CUgraphicsResource resource) {
  CUdeviceptr address = 0;
  NEED(cuGraphicsResourceGetMappedPointer(&address, nullptr, resource));
  return address;
}
inline CUarray array_of(CUgraphicsResource resource) {
  CUarray array = nullptr;
  NEED(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
  return array;
}

// Copies 16 by 16 pixels of 4 bytes between an array and host memory.
inline CUresult copy_to_array(CUarray array, const void* pixels) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = pixels;
  copy.srcPitch = 64;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 64;
  copy.Height = 16;
  return cuMemcpy2D(&copy);
}
inline CUresult copy_from_array(void* pixels, CUarray array) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pixels;
  copy.dstPitch = 64;
  copy.WidthInBytes = 64;
  copy.Height = 16;
  return cuMemcpy2D(&copy);
}
