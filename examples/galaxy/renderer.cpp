// SPDX-License-Identifier: Apache-2.0
#include "examples/galaxy/renderer.hpp"

#include <cstdio>
#include <cstdlib>

#include "examples/galaxy/shaders.hpp"

namespace galaxy {
namespace {

GLuint compile(GLenum kind, const char* source) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled) return shader;
  char log[2048];
  glGetShaderInfoLog(shader, sizeof log, nullptr, log);
  std::fprintf(stderr, "a shader does not compile: %s\n", log);
  std::exit(1);
}

GLuint link(const char* vertex_source, const char* fragment_source) {
  const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_source),
               fragment = compile(GL_FRAGMENT_SHADER, fragment_source), program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  return program;
}

GLuint create_buffer(size_t size) {
  GLuint buffer;
  glCreateBuffers(1, &buffer);
  glNamedBufferData(buffer, static_cast<GLsizeiptr>(size), nullptr, GL_DYNAMIC_DRAW);
  return buffer;
}

void set_camera(GLuint program, const Camera& camera) {
  const auto set = [program](const char* name, const Camera::Axis& axis) {
    glProgramUniform3fv(program, glGetUniformLocation(program, name), 1, axis.data());
  };
  set("right", Camera::right());
  set("up", Camera::up());
  set("towards", Camera::towards());
  glProgramUniform4f(program, glGetUniformLocation(program, "lens"), Camera::distance, Camera::zoom,
                     camera.aspect(), camera.scale());
}

}  // namespace

Renderer::Renderer(const Model& model, const Camera& camera)
    : camera_(camera), stars_(model.stars()), clouds_(model.clouds()) {
  const auto stars = static_cast<size_t>(stars_);
  shared_.vertices = create_buffer(Simulation::generations * stars * sizeof(Vertex));
  shared_.colours = create_buffer(stars * sizeof(Colour));
  glCreateTextures(GL_TEXTURE_2D, 1, &shared_.glow);
  glTextureStorage2D(shared_.glow, 1, GL_RG32F, Glow::size, Glow::size);
  glTextureParameteri(shared_.glow, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(shared_.glow, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(shared_.glow, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);

  // Attribute 0 is a vertex of one generation, attribute 1 the star's colour.
  glCreateVertexArrays(1, &stars_array_);
  glVertexArrayAttribFormat(stars_array_, 0, 4, GL_FLOAT, GL_FALSE, 0);
  glVertexArrayAttribFormat(stars_array_, 1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0);
  for (const GLuint attribute : {0u, 1u}) {
    glVertexArrayAttribBinding(stars_array_, attribute, attribute);
    glEnableVertexArrayAttrib(stars_array_, attribute);
  }
  glVertexArrayVertexBuffer(stars_array_, 1, shared_.colours, 0, sizeof(Colour));
  glCreateVertexArrays(1, &nothing_array_);

  glCreateTextures(GL_TEXTURE_2D, 1, &light_);
  glTextureStorage2D(light_, 1, GL_RGBA32F, camera.width, camera.height);
  glCreateFramebuffers(1, &light_framebuffer_);
  glNamedFramebufferTexture(light_framebuffer_, GL_COLOR_ATTACHMENT0, light_, 0);

  glow_program_ = link(shaders::disc, shaders::glow);
  stars_program_ = link(shaders::star, shaders::point);
  develop_program_ = link(shaders::screen, shaders::develop);
  set_camera(glow_program_, camera);
  set_camera(stars_program_, camera);
}

Renderer::~Renderer() {
  for (const GLuint program : {glow_program_, stars_program_, develop_program_})
    glDeleteProgram(program);
  glDeleteFramebuffers(1, &light_framebuffer_);
  for (const GLuint texture : {light_, shared_.glow}) glDeleteTextures(1, &texture);
  for (const GLuint array : {stars_array_, nothing_array_}) glDeleteVertexArrays(1, &array);
  for (const GLuint buffer : {shared_.vertices, shared_.colours}) glDeleteBuffers(1, &buffer);
}

void Renderer::draw(int frame, GLuint framebuffer) {
  glViewport(0, 0, camera_.width, camera_.height);
  glBindFramebuffer(GL_FRAMEBUFFER, light_framebuffer_);
  const float dark[] = {0, 0, 0, 1};
  glClearBufferfv(GL_COLOR, 0, dark);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);  // light adds up
  draw_glow();
  draw_stars(frame);
  glDisable(GL_BLEND);
  develop(framebuffer);
}

void Renderer::draw_glow() {
  glUseProgram(glow_program_);
  glBindVertexArray(nothing_array_);
  glBindTextureUnit(0, shared_.glow);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void Renderer::draw_stars(int frame) {
  glUseProgram(stars_program_);
  glBindVertexArray(stars_array_);
  glEnable(GL_PROGRAM_POINT_SIZE);
  const GLint brightness = glGetUniformLocation(stars_program_, "brightness");
  const auto generation_bytes = static_cast<GLintptr>(stars_) * GLintptr{sizeof(Vertex)};
  for (int age = 0; age < Simulation::generations; ++age) {
    const int slot = Simulation::slot(frame - age + Simulation::generations);
    glVertexArrayVertexBuffer(stars_array_, 0, shared_.vertices, slot * generation_bytes,
                              sizeof(Vertex));
    glUniform1f(brightness, trail_brightness(age));
    const int first = age == 0 ? 0 : clouds_;  // clouds leave no trails
    glDrawArrays(GL_POINTS, first, stars_ - first);
  }
}

void Renderer::develop(GLuint framebuffer) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glUseProgram(develop_program_);
  glBindVertexArray(nothing_array_);
  glBindTextureUnit(0, light_);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace galaxy
