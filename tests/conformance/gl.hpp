// SPDX-License-Identifier: Apache-2.0
// OpenGL's buffers and textures, with storage.
#pragma once

#include "graphics.hpp"
#include "scene.hpp"

inline GLuint buffer(size_t n, const void* data = nullptr) {
  GLuint b;
  glGenBuffers(1, &b);
  glBindBuffer(GL_ARRAY_BUFFER, b);
  glBufferData(GL_ARRAY_BUFFER, n, data, GL_DYNAMIC_DRAW);
  return b;
}
inline GLuint texture(GLenum target, GLenum format, int levels, int w, int h, int d) {
  GLuint t;
  glGenTextures(1, &t);
  glBindTexture(target, t);
  if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY ||
      target == GL_TEXTURE_CUBE_MAP_ARRAY)
    glTexStorage3D(target, levels, format, w, h, d);
  else if (target == GL_TEXTURE_1D)
    glTexStorage1D(target, levels, format, w);
  else
    glTexStorage2D(target, levels, format, w, h);
  return t;
}
