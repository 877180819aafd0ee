// SPDX-License-Identifier: Apache-2.0
// What OpenGL may do to an image's storage while it is registered, and while it is mapped.
#include "graphics.hpp"

namespace {

using graphics::new_texture;
using graphics::say;
using graphics::shape;

// A texture with mutable storage of one level.
GLuint specified(GLenum target, int level, int width, int height, int border) {
  const GLuint texture = new_texture(target);
  glTexImage2D(target, level, GL_RGBA8, width, height, border, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  return texture;
}

void add_level(int level, int width, int height) {
  glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               nullptr);
}

// Registration makes a texture's storage immutable.
CASE(image_immutable_by_registration) {
  graphics::start();
  const GLuint texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  const auto immutable = [] {
    GLint yes = -1;
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT, &yes);
    return yes;
  };
  CUgraphicsResource r = nullptr;
  ASK(immutable());
  ASK(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 0));
  ASK(immutable());
  add_level(0, 128, 128);
  ASK(static_cast<int>(glGetError()));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  ASK(static_cast<int>(glGetError()));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(immutable());
  add_level(0, 128, 128);
  ASK(static_cast<int>(glGetError()));
}

// Makes a mutable texture and registers it.
CUgraphicsResource mutable_resource(GLuint* texture) {
  *texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  CUgraphicsResource resource = nullptr;
  PREPARE(cuGraphicsGLRegisterImage(&resource, *texture, GL_TEXTURE_2D, 0));
  return resource;
}

void ask_after(CUgraphicsResource r) {
  ASK(static_cast<int>(glGetError()));
  ASK(cuGraphicsMapResources(1, &r, nullptr));
  say("shape", shape(r, 0, 0));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ASK(cuGraphicsUnregisterResource(r));
}

CASE(image_respecified_larger) {
  graphics::start();
  GLuint texture;
  const CUgraphicsResource r = mutable_resource(&texture);
  add_level(0, 128, 128);
  ask_after(r);
}
CASE(image_respecified_alike) {
  graphics::start();
  GLuint texture;
  const CUgraphicsResource r = mutable_resource(&texture);
  add_level(0, 64, 32);
  ask_after(r);
}
CASE(image_given_immutable_storage) {
  graphics::start();
  GLuint texture;
  const CUgraphicsResource r = mutable_resource(&texture);
  glTexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 64, 32);
  ask_after(r);
}
CASE(image_given_more_levels) {
  graphics::start();
  GLuint texture;
  const CUgraphicsResource r = mutable_resource(&texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
  glGenerateMipmap(GL_TEXTURE_2D);
  ask_after(r);
}
CASE(image_deleted) {
  graphics::start();
  GLuint texture;
  const CUgraphicsResource r = mutable_resource(&texture);
  glDeleteTextures(1, &texture);
  ask_after(r);
}
CASE(image_deleted_while_mapped) {
  graphics::start();
  GLuint texture;
  CUgraphicsResource r = mutable_resource(&texture);
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  glDeleteTextures(1, &texture);
  ASK(static_cast<int>(glGetError()));
  say("shape", shape(r, 0, 0));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ask_after(r);
}
CASE(image_changed_while_mapped) {
  graphics::start();
  GLuint texture;
  CUgraphicsResource r = mutable_resource(&texture);
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  const unsigned one = 0x44332211;
  CUarray array = nullptr;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&array, r, 0, 0));
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &one);
  ASK(static_cast<int>(glGetError()));
  add_level(0, 128, 128);
  ASK(static_cast<int>(glGetError()));
  say("shape", shape(r, 0, 0));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  ask_after(r);
}
CASE(image_renderbuffer_respecified) {
  graphics::start();
  GLuint name = 0;
  glGenRenderbuffers(1, &name);
  glBindRenderbuffer(GL_RENDERBUFFER, name);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 32);
  CUgraphicsResource r = nullptr;
  PREPARE(cuGraphicsGLRegisterImage(&r, name, GL_RENDERBUFFER, 0));
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 128, 128);
  ask_after(r);
}

}  // namespace
