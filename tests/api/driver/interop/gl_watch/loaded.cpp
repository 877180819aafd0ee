// SPDX-License-Identifier: Apache-2.0
// A program that is not linked to OpenGL: it finds each function in one way or another, and draws
// from a buffer while CUDA has it mapped, or after that.
//
//   PROGRAM wrong|right
#include "tests/api/driver/interop/gl_watch/loaded.hpp"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include <cstring>

namespace {

#define NEED(condition) need_gl(condition, #condition)

// Lets GL(DrawArrays) stand for glDrawArrays.
template <typename Function>
Function* load(Function*, const char* name) {
  void* const function = gl_function(name);
  need_gl(function, name);
  return reinterpret_cast<Function*>(function);
}
#define GL(name) load(static_cast<decltype(gl##name)*>(nullptr), "gl" #name)

void set_draw(GLuint buffer) {
  GLuint texture = 0, framebuffer = 0, array = 0;
  GL(CreateTextures)(GL_TEXTURE_2D, 1, &texture);
  GL(TextureStorage2D)(texture, 1, GL_RGBA8, 16, 16);
  GL(CreateFramebuffers)(1, &framebuffer);
  GL(NamedFramebufferTexture)(framebuffer, GL_COLOR_ATTACHMENT0, texture, 0);
  GL(BindFramebuffer)(GL_FRAMEBUFFER, framebuffer);
  GL(GenVertexArrays)(1, &array);
  GL(BindVertexArray)(array);
  GL(BindBuffer)(GL_ARRAY_BUFFER, buffer);
  GL(VertexAttribPointer)(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  GL(EnableVertexAttribArray)(0);
  const char* const sources[] = {R"(#version 330
layout(location = 0) in vec4 position;
void main() { gl_Position = position; })",
                                 R"(#version 330
out vec4 colour;
void main() { colour = vec4(1); })"};
  const GLuint program = GL(CreateProgram)();
  for (int i = 0; i < 2; ++i) {
    const GLuint shader = GL(CreateShader)(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
    GL(ShaderSource)(shader, 1, &sources[i], nullptr);
    GL(CompileShader)(shader);
    GL(AttachShader)(program, shader);
  }
  GL(LinkProgram)(program);
  GL(UseProgram)(program);
  NEED(GL(GetError)() == GL_NO_ERROR);
}

}  // namespace

int main(int argc, char** argv) {
  NEED(argc == 2);
  const bool wrong = strcmp(argv[1], "wrong") == 0;
  const std::unique_ptr<GlContext> context = open_gl();
  CUcontext cuda = nullptr;
  NEED(cuInit(0) == CUDA_SUCCESS);
  NEED(cuDevicePrimaryCtxRetain(&cuda, 0) == CUDA_SUCCESS);
  NEED(cuCtxSetCurrent(cuda) == CUDA_SUCCESS);

  GLuint buffer = 0;
  GL(CreateBuffers)(1, &buffer);
  GL(NamedBufferData)(buffer, 256, nullptr, GL_DYNAMIC_DRAW);
  set_draw(buffer);
  const auto draw = GL(DrawArrays);
  const auto draw_instanced = GL(DrawArraysInstancedARB);
  CUgraphicsResource resource = nullptr;
  NEED(cuGraphicsGLRegisterBuffer(&resource, buffer, 0) == CUDA_SUCCESS);
  NEED(cuGraphicsMapResources(1, &resource, nullptr) == CUDA_SUCCESS);
  if (!wrong) NEED(cuGraphicsUnmapResources(1, &resource, nullptr) == CUDA_SUCCESS);
  draw(GL_TRIANGLES, 0, 3);
  draw_instanced(GL_TRIANGLES, 0, 3, 1);
  if (wrong) NEED(cuGraphicsUnmapResources(1, &resource, nullptr) == CUDA_SUCCESS);
  NEED(cuGraphicsUnregisterResource(resource) == CUDA_SUCCESS);
  NEED(GL(GetError)() == GL_NO_ERROR);
  NEED(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
  return 0;
}
