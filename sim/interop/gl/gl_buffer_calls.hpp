// SPDX-License-Identifier: Apache-2.0
// Calls on buffer objects by name: directly where OpenGL has that (4.5), else by binding, after
// which the program's binding is restored.
//
// Threads: calls concern the calling thread's context.
#pragma once

#include "sim/interop/gl/gl_share_group.hpp"

namespace cuvette::interop::gl {

class BufferCalls {
 public:
  explicit BufferCalls(const ShareGroup& group)
      : gl_(group.gl()), direct_(group.capabilities().direct_access) {}

  // Whether calls go by name, without binding.
  bool direct() const { return direct_; }
  // Clears the error of a call of ours that failed.
  void clear_error() const { gl_.GetError(); }

  GLint64 parameter(GLuint name, GLenum which) const {
    GLint64 value = 0;
    if (direct_) {
      gl_.GetNamedBufferParameteri64v(name, which, &value);
    } else {
      const Bound bound(gl_, name);
      gl_.GetBufferParameteri64v(target, which, &value);
    }
    return value;
  }

  void* pointer(GLuint name) const {
    void* pointer = nullptr;
    if (direct_) {
      gl_.GetNamedBufferPointerv(name, GL_BUFFER_MAP_POINTER, &pointer);
    } else {
      const Bound bound(gl_, name);
      gl_.GetBufferPointerv(target, GL_BUFFER_MAP_POINTER, &pointer);
    }
    return pointer;
  }

  void* map(GLuint name, size_t size) const {
    constexpr GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
    if (direct_) return gl_.MapNamedBufferRange(name, 0, static_cast<GLsizeiptr>(size), access);
    const Bound bound(gl_, name);
    return gl_.MapBufferRange(target, 0, static_cast<GLsizeiptr>(size), access);
  }

  bool unmap(GLuint name) const {
    if (direct_) return gl_.UnmapNamedBuffer(name) == GL_TRUE;
    const Bound bound(gl_, name);
    return gl_.UnmapBuffer(target) == GL_TRUE;
  }

  void copy(GLuint from, GLuint to, size_t size) const {
    if (direct_) return gl_.CopyNamedBufferSubData(from, to, 0, 0, static_cast<GLsizeiptr>(size));
    const Bound bound(gl_, to);
    const Bound source(gl_, from, GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING);
    gl_.CopyBufferSubData(GL_COPY_READ_BUFFER, target, 0, 0, static_cast<GLsizeiptr>(size));
  }

  // Makes a buffer with storage that can be mapped.
  GLuint make(size_t size) const {
    GLuint name = 0;
    gl_.GenBuffers(1, &name);
    const Bound bound(gl_, name);
    gl_.BufferData(target, static_cast<GLsizeiptr>(size), nullptr, GL_DYNAMIC_COPY);
    return name;
  }

 private:
  // A binding point that drawing does not use.
  static constexpr GLenum target = GL_COPY_WRITE_BUFFER;

  class Bound {
   public:
    Bound(const Functions& gl, GLuint name, GLenum where = target,
          GLenum binding = GL_COPY_WRITE_BUFFER_BINDING)
        : gl_(gl), where_(where) {
      gl_.GetIntegerv(binding, &before_);
      gl_.BindBuffer(where_, name);
    }
    ~Bound() { gl_.BindBuffer(where_, static_cast<GLuint>(before_)); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

   private:
    const Functions& gl_;
    const GLenum where_;
    GLint before_ = 0;
  };

  const Functions& gl_;
  const bool direct_;
};

}  // namespace cuvette::interop::gl
