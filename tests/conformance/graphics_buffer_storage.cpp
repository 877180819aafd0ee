// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers with every kind of storage, also mapped by the program, respecified and deleted
// meanwhile.
#include "graphics.hpp"

namespace {

using graphics::mapped;
using graphics::new_buffer;
using graphics::registered;

CUdeviceptr p, q;
size_t n;

// The address of a mapped resource.
CUdeviceptr address(CUgraphicsResource resource) {
  CUdeviceptr there = 0;
  PREPARE(cuGraphicsResourceGetMappedPointer(&there, nullptr, resource));
  return there;
}
int error() { return static_cast<int>(glGetError()); }
int first_byte() {
  unsigned char byte = 0;
  glGetBufferSubData(GL_ARRAY_BUFFER, 0, 1, &byte);
  return byte;
}
int first_byte(CUdeviceptr from) {
  unsigned char byte = 0;
  PREPARE(cuMemcpyDtoH(&byte, from, 1));
  return byte;
}

CASE(buffer_mapped_by_the_program) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = nullptr;
  ASK(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE) != nullptr);
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
  if (!r) {
    ASK(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
    ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
    ASK(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE) != nullptr);
  }
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  if (p) ASK(cuMemsetD8(p, 0x51, 4096));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
  ASK(first_byte());
  ASK(error());
}
// Asks which of the calls ends the program's own mapping.
CASE(buffer_mapping_of_the_program) {
  graphics::start();
  const auto state = [] {
    GLint mapped = -1;
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_MAPPED, &mapped);
    return mapped;
  };
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = nullptr;
  void *host = glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE), *again = nullptr;
  ASK(host != nullptr);
  ASK(state());
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
  ASK(state());
  if (!state()) ASK((again = glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE)) != nullptr);
  ASK(state());
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(state());
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(state());
  if (!state()) ASK((again = glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE)) != nullptr);
  ASK(state());
  ASK(cuGraphicsUnregisterResource(r));
  ASK(state());
  ASK(error());
}
CASE(buffer_unmapped_by_the_program) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = registered(b);
  auto* host = static_cast<unsigned char*>(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE));
  *host = 0x52;
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  if (p) ASK(first_byte(p));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(first_byte());
  ASK(error());
}

// OpenGL's errors for a buffer that CUDA has mapped.
CASE(buffer_used_while_mapped) {
  graphics::start();
  std::vector<unsigned char> data(4096, 0x61);
  const GLuint b = new_buffer(4096, data.data());
  CUgraphicsResource r = mapped(b);
  GLint state = -1;
  p = address(r);
  PREPARE(cuMemsetD8(p, 0x62, 4096));
  PREPARE(cuCtxSynchronize());
  glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_MAPPED, &state);
  ASK(state);
  ASK(first_byte());
  ASK(error());
  glBufferSubData(GL_ARRAY_BUFFER, 0, 1, "c");
  ASK(error());
  ASK(first_byte(p));
  ASK(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_WRITE) != nullptr);
  ASK(error());
  ASK(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
  ASK(error());
  const GLuint other = new_buffer(4096, nullptr);
  glBindBuffer(GL_COPY_READ_BUFFER, b);
  glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_ARRAY_BUFFER, 0, 0, 4096);
  ASK(error());
  ASK(first_byte());
  ASK(other == b);
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
}
CASE(buffer_respecified_while_mapped) {
  graphics::start();
  std::vector<unsigned char> data(4096, 0x63);
  CUgraphicsResource r = mapped(new_buffer(4096, data.data()));
  p = address(r);
  glBufferData(GL_ARRAY_BUFFER, 4096, nullptr, GL_DYNAMIC_DRAW);
  ASK(error());
  ASK(cuGraphicsResourceGetMappedPointer(&q, &n, r));
  ASK(p == q);
  ASK(cuMemsetD8(p, 0x64, 4096));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(first_byte() == 0x64);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(address(r) == p);
  ASK(cuMemsetD8(p, 0x65, 4096));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(first_byte() == 0x65);
}
CASE(buffer_respecified_alike) {
  graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  p = address(r);
  PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
  std::vector<unsigned char> data(4096, 0x66);
  glBufferData(GL_ARRAY_BUFFER, 4096, data.data(), GL_DYNAMIC_DRAW);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(address(r) == p);
  ASK(first_byte(address(r)) == 0x66);
  ASK(cuMemsetD8(address(r), 0x67, 4096));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(first_byte() == 0x67);
}
CASE(buffer_invalidated) {
  graphics::start();
  CUgraphicsResource r = mapped(new_buffer(4096, nullptr));
  p = address(r);
  PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
  void* host =
      glMapBufferRange(GL_ARRAY_BUFFER, 0, 4096, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
  memset(host, 0x68, 4096);
  ASK(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(address(r) == p);
  ASK(first_byte(address(r)) == 0x68);
}
CASE(buffer_deleted_while_mapped) {
  graphics::start();
  const GLuint b = new_buffer(4096, nullptr);
  CUgraphicsResource r = mapped(b);
  p = address(r);
  glDeleteBuffers(1, &b);
  ASK(error());
  ASK(glIsBuffer(b) == GL_TRUE);
  ASK(cuGraphicsResourceGetMappedPointer(&q, &n, r));
  ASK(cuMemsetD8(p, 1, 4096));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(error());
}
CASE(buffer_name_reused) {
  graphics::start();
  std::vector<unsigned char> data(4096, 0x69);
  const GLuint b = new_buffer(4096, data.data());
  CUgraphicsResource r = registered(b);
  glDeleteBuffers(1, &b);
  data.assign(4096, 0x6a);
  ASK(new_buffer(4096, data.data()) == b);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(first_byte(address(r)));
  CUgraphicsResource again = nullptr;
  ASK(cuGraphicsGLRegisterBuffer(&again, b, 0));
  ASK(cuGraphicsUnregisterResource(again));
}

GLuint stored(GLbitfield bits, const void* data) {
  GLuint name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(GL_ARRAY_BUFFER, name);
  glBufferStorage(GL_ARRAY_BUFFER, 4096, data, bits);
  return name;
}
CASE(buffer_immutable) {
  graphics::start();
  std::vector<unsigned char> data(4096, 0x71);
  for (GLbitfield bits :
       {GLbitfield{0}, GLbitfield{GL_MAP_READ_BIT}, GLbitfield{GL_MAP_WRITE_BIT},
        GLbitfield{GL_DYNAMIC_STORAGE_BIT}, GLbitfield{GL_CLIENT_STORAGE_BIT},
        GLbitfield{GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT},
        GLbitfield{GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT}}) {
    const GLuint b = stored(bits, data.data());
    CUgraphicsResource r = nullptr;
    ASK(bits);
    ASK(error());
    ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
    if (!r) continue;
    ASK(cuGraphicsMapResources(1, &r, nullptr));
    ASK(first_byte(address(r)));
    ASK(cuMemsetD8(address(r), 0x72, 4096));
    ASK(cuGraphicsUnmapResources(1, &r, nullptr));
    ASK(first_byte());
  }
}
CASE(buffer_sparse) {
  graphics::start();
  GLuint b = 0;
  glGenBuffers(1, &b);
  glBindBuffer(GL_ARRAY_BUFFER, b);
  glBufferStorage(GL_ARRAY_BUFFER, 1 << 20, nullptr, GL_SPARSE_STORAGE_BIT_ARB);
  ASK(error());
  CUgraphicsResource r = nullptr;
  SURVIVE(cuGraphicsGLRegisterBuffer(&r, b, 0));
}
CASE(buffer_persistent) {
  graphics::start();
  constexpr GLbitfield bits =
      GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  const GLuint b = stored(bits, nullptr);
  auto* host =
      static_cast<volatile unsigned char*>(glMapBufferRange(GL_ARRAY_BUFFER, 0, 4096, bits));
  CUgraphicsResource r = nullptr;
  ASK(cuGraphicsGLRegisterBuffer(&r, b, 0));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  host[0] = 0x73;
  ASK(first_byte(address(r)));
  ASK(cuMemsetD8(address(r), 0x74, 4096));
  ASK(cuCtxSynchronize());
  ASK(static_cast<int>(host[0]));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(static_cast<int>(host[0]));
  host[0] = 0x75;
  ASK(first_byte());
  ASK(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  ASK(first_byte(address(r)));
}

}  // namespace
