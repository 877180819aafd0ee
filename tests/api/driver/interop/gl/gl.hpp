// SPDX-License-Identifier: Apache-2.0
// Shared by tests of OpenGL's buffers: a scene with an OpenGL and a CUDA context, buffers made and
// read by OpenGL, resources registered and mapped.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include <cstdint>
#include <vector>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/interop/gl/egl_context.hpp"

using Bytes = std::vector<uint8_t>;

// While it lives, the calling thread has an OpenGL 4.5 context and the primary CUDA context.
class GlScene {
 public:
  GlScene() : GlScene(EglContext::Api::core) {}
  explicit GlScene(EglContext::Api api) : gl(api) { gl.make_current(); }
  ~GlScene() {
    gl.make_current();
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }

  EglContext gl;  // outlives everything that CUDA holds of it
  Scene cuda;
};

// Bytes that depend on their place: no two neighbours, and no two neighbouring rows, are the same.
inline Bytes pattern(size_t size, unsigned seed) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<uint8_t>((i * 7 + i / 251 * 13 + seed * 101) % 253);
  return bytes;
}

// --- Buffers
// --------------------------------------------------------------------------------------

inline GLuint new_buffer(const Bytes& content) {
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, static_cast<GLsizeiptr>(content.size()), content.data(),
                    GL_DYNAMIC_DRAW);
  return buffer;
}
inline GLuint new_buffer(size_t size) { return new_buffer(Bytes(size)); }
inline GLuint new_immutable_buffer(const Bytes& content, GLbitfield flags) {
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferStorage(buffer, static_cast<GLsizeiptr>(content.size()), content.data(), flags);
  return buffer;
}
inline void delete_buffer(GLuint buffer) { glDeleteBuffers(1, &buffer); }

// The first `size` bytes of a buffer, read by OpenGL.
inline Bytes gl_content(GLuint buffer, size_t size) {
  Bytes content(size);
  glGetNamedBufferSubData(buffer, 0, static_cast<GLsizeiptr>(size), content.data());
  return content;
}
inline Bytes gl_content(GLuint buffer) {
  GLint64 size = 0;
  glGetNamedBufferParameteri64v(buffer, GL_BUFFER_SIZE, &size);
  return gl_content(buffer, static_cast<size_t>(size));
}

// --- Resources
// ------------------------------------------------------------------------------------

inline CUgraphicsResource register_buffer(GLuint buffer, unsigned flags) {
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsGLRegisterBuffer(&resource, buffer, flags), CUDA_SUCCESS);
  return resource;
}
inline CUgraphicsResource register_buffer(GLuint buffer) { return register_buffer(buffer, 0); }

inline CUgraphicsResource register_image(GLuint image, GLenum target, unsigned flags) {
  CUgraphicsResource resource = nullptr;
  EXPECT_EQ(cuGraphicsGLRegisterImage(&resource, image, target, flags), CUDA_SUCCESS);
  return resource;
}

inline CUresult map(CUgraphicsResource resource, CUstream stream) {
  return cuGraphicsMapResources(1, &resource, stream);
}
inline CUresult map(CUgraphicsResource resource) { return map(resource, nullptr); }
inline CUresult unmap(CUgraphicsResource resource, CUstream stream) {
  return cuGraphicsUnmapResources(1, &resource, stream);
}
inline CUresult unmap(CUgraphicsResource resource) { return unmap(resource, nullptr); }

// A number that is not a handle of anything.
inline CUgraphicsResource no_resource() {
  static char own[64];
  return reinterpret_cast<CUgraphicsResource>(own);
}

// Whether CUDA considers it mapped.
inline bool is_mapped(CUgraphicsResource resource) {
  CUdeviceptr address = 0;
  size_t size = 0;
  return cuGraphicsResourceGetMappedPointer(&address, &size, resource) != CUDA_ERROR_NOT_MAPPED;
}

// The address of a mapped buffer.
inline CUdeviceptr address_of(CUgraphicsResource resource) {
  CUdeviceptr address = 0;
  size_t size = 0;
  EXPECT_EQ(cuGraphicsResourceGetMappedPointer(&address, &size, resource), CUDA_SUCCESS);
  return address;
}

// Reads `size` bytes at `address` through CUDA.
inline Bytes cuda_content(CUdeviceptr address, size_t size) {
  Bytes content(size);
  EXPECT_EQ(cuMemcpyDtoH(content.data(), address, size), CUDA_SUCCESS);
  return content;
}
inline void cuda_write(CUdeviceptr address, const Bytes& content) {
  EXPECT_EQ(cuMemcpyHtoD(address, content.data(), content.size()), CUDA_SUCCESS);
}
