// SPDX-License-Identifier: Apache-2.0
// Shared by the programs of this folder. Each does something to an OpenGL resource: the wrong way,
// while CUDA has it mapped, or the right way, after unmapping it.
//
//   PROGRAM CASE wrong|right
//
// It exits with 0 if it ran to its end; its caller looks at what was reported.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/api/driver/interop/gl/egl_context.hpp"

// Ends the program unless `condition` holds: nothing after that would mean anything.
inline void need(bool condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}
#define NEED(condition) need(condition, #condition)
#define CUDA(call) need((call) == CUDA_SUCCESS, #call)

// While it lives, the primary context is current.
struct Cuda {
  Cuda() {
    CUDA(cuInit(0));
    CUDA(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA(cuCtxSetCurrent(context));
  }
  ~Cuda() { CUDA(cuDevicePrimaryCtxRelease(0)); }
  CUcontext context = nullptr;
};

inline CUgraphicsResource buffer_resource(GLuint buffer) {
  CUgraphicsResource resource = nullptr;
  CUDA(cuGraphicsGLRegisterBuffer(&resource, buffer, 0));
  return resource;
}
inline CUgraphicsResource image_resource(GLuint image, GLenum target) {
  CUgraphicsResource resource = nullptr;
  CUDA(cuGraphicsGLRegisterImage(&resource, image, target, 0));
  return resource;
}

// Calls `use` while the resource is mapped if `wrong`, otherwise after it is unmapped.
template <typename Use>
void with_mapped(CUgraphicsResource resource, bool wrong, const Use& use) {
  CUDA(cuGraphicsMapResources(1, &resource, nullptr));
  if (wrong) use();
  CUDA(cuGraphicsUnmapResources(1, &resource, nullptr));
  if (!wrong) {
    use();
    NEED(glGetError() == GL_NO_ERROR);
  }
  while (glGetError() != GL_NO_ERROR) {
    // Calls that OpenGL itself refuses do not matter here.
  }
  CUDA(cuGraphicsUnregisterResource(resource));
}

// --- Objects ---

constexpr GLsizei side = 16;

inline GLuint new_buffer() {
  const std::vector<float> zeros(4096);
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, 4096 * sizeof(float), zeros.data(), GL_DYNAMIC_DRAW);
  return buffer;
}
inline GLuint new_texture(GLenum target = GL_TEXTURE_2D, GLenum format = GL_RGBA8) {
  GLuint texture = 0;
  glCreateTextures(target, 1, &texture);
  if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY) {
    glTextureStorage3D(texture, 1, format, side, side, 4);
  } else {
    glTextureStorage2D(texture, 1, format, side, side);
  }
  return texture;
}
// Makes a texture whose storage can be replaced.
inline GLuint new_mutable_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  return texture;
}
inline GLuint new_renderbuffer() {
  GLuint renderbuffer = 0;
  glCreateRenderbuffers(1, &renderbuffer);
  glNamedRenderbufferStorage(renderbuffer, GL_RGBA8, side, side);
  return renderbuffer;
}

inline GLuint new_framebuffer(GLuint texture) {
  GLuint framebuffer = 0;
  glCreateFramebuffers(1, &framebuffer);
  glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, texture, 0);
  return framebuffer;
}
// Binds a framebuffer with a texture of its own, for drawing and reading.
inline GLuint bind_framebuffer() {
  const GLuint framebuffer = new_framebuffer(new_texture());
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, side, side);
  return framebuffer;
}

struct Stage {
  GLenum type;
  const char* source;
};
inline GLuint new_program(const std::vector<Stage>& stages, bool separable = false,
                          const std::vector<const char*>& captured = {}) {
  const GLuint program = glCreateProgram();
  glProgramParameteri(program, GL_PROGRAM_SEPARABLE, separable);
  for (const Stage& stage : stages) {
    const GLuint shader = glCreateShader(stage.type);
    glShaderSource(shader, 1, &stage.source, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
  }
  if (!captured.empty())
    glTransformFeedbackVaryings(program, static_cast<GLsizei>(captured.size()), captured.data(),
                                GL_SEPARATE_ATTRIBS);
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  char log[1024] = "";
  glGetProgramInfoLog(program, sizeof log, nullptr, log);
  need(linked, log);
  return program;
}
inline GLuint use_program(const std::vector<Stage>& stages) {
  const GLuint program = new_program(stages);
  glUseProgram(program);
  return program;
}

constexpr const char plain_fragment[] = R"(#version 330
out vec4 colour;
void main() { colour = vec4(1); })";

// Two attributes: the first at location 0, the second at 2.
constexpr const char two_attributes[] = R"(#version 330
layout(location = 0) in vec4 position;
layout(location = 2) in vec4 shift;
void main() { gl_Position = position + shift; })";

constexpr const char no_attributes[] = R"(#version 330
void main() { gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 1); })";

// Makes `buffer` the array of an attribute in the bound vertex array.
inline void set_attribute(GLuint index, GLuint buffer) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glVertexAttribPointer(index, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(index);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
}

// Sets up all that a draw needs; `mapped` is the array of attribute 2.
inline void set_draw(GLuint mapped) {
  bind_framebuffer();
  GLuint array = 0;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  set_attribute(0, new_buffer());
  set_attribute(2, mapped);
  use_program({{GL_VERTEX_SHADER, two_attributes}, {GL_FRAGMENT_SHADER, plain_fragment}});
}

// --- Cases ---

struct Case {
  const char* name;
  void (*run)(bool wrong);
};

extern const std::vector<Case> draw_cases, shader_cases, image_cases, buffer_cases, other_cases;
