// SPDX-License-Identifier: Apache-2.0
// Draws from mapped buffers.
#include <EGL/egl.h>

#include "tests/api/driver/interop/gl_watch/misuse.hpp"

namespace {

void vertices(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

// Two attributes in one buffer make one mistake.
void interleaved(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(buffer);
  set_attribute(0, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

// An array whose attribute the program does not have is not read, whether or not it is enabled.
void unread_attribute(bool) {
  const GLuint buffer = new_buffer();
  set_draw(new_buffer());
  set_attribute(1, buffer);
  with_mapped(buffer_resource(buffer), true, [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

// A matrix takes four attributes.
void matrix(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(new_buffer());
  use_program({{GL_VERTEX_SHADER, R"(#version 330
layout(location = 3) in mat4 place;
void main() { gl_Position = place * vec4(1); })"},
               {GL_FRAGMENT_SHADER, plain_fragment}});
  set_attribute(6, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

void indices(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(new_buffer());
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
  with_mapped(buffer_resource(buffer), wrong,
              [] { glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, nullptr); });
}

void indirect(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(new_buffer());
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer);
  with_mapped(buffer_resource(buffer), wrong, [] { glDrawArraysIndirect(GL_TRIANGLES, nullptr); });
}

void draw_count(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(new_buffer());
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, new_buffer());
  glBindBuffer(GL_PARAMETER_BUFFER, buffer);
  // New in OpenGL 4.6. With 4.5 it is an extension, which no library exports.
  const auto draw = reinterpret_cast<PFNGLMULTIDRAWARRAYSINDIRECTCOUNTARBPROC>(
      eglGetProcAddress("glMultiDrawArraysIndirectCountARB"));
  with_mapped(buffer_resource(buffer), wrong, [&] { draw(GL_TRIANGLES, nullptr, 0, 1, 0); });
}

// Every kind of draw, from one mapped vertex buffer.
void every_draw(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(buffer);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, new_buffer());
  glBindBuffer(GL_DRAW_INDIRECT_BUFFER, new_buffer());
  // A transform feedback object that has been written.
  const GLuint capturing = new_program({{GL_VERTEX_SHADER, no_attributes}}, false, {"gl_Position"});
  const GLuint drawing =
      new_program({{GL_VERTEX_SHADER, two_attributes}, {GL_FRAGMENT_SHADER, plain_fragment}});
  GLuint feedback = 0;
  glCreateTransformFeedbacks(1, &feedback);
  glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, feedback);
  glTransformFeedbackBufferBase(feedback, 0, new_buffer());
  glUseProgram(capturing);
  glBeginTransformFeedback(GL_TRIANGLES);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glEndTransformFeedback();
  glUseProgram(drawing);
  NEED(glGetError() == GL_NO_ERROR);

  constexpr GLenum mode = GL_TRIANGLES, type = GL_UNSIGNED_INT;
  const GLint first = 0;
  const GLsizei count = 3;
  const void* const start = nullptr;
  with_mapped(buffer_resource(buffer), wrong, [&] {
    glDrawArrays(mode, 0, 3);
    glDrawArraysInstanced(mode, 0, 3, 1);
    glDrawArraysInstancedBaseInstance(mode, 0, 3, 1, 0);
    glMultiDrawArrays(mode, &first, &count, 1);
    glDrawArraysIndirect(mode, nullptr);
    glMultiDrawArraysIndirect(mode, nullptr, 1, 0);
    glDrawElements(mode, 3, type, nullptr);
    glDrawElementsBaseVertex(mode, 3, type, nullptr, 0);
    glDrawElementsInstanced(mode, 3, type, nullptr, 1);
    glDrawElementsInstancedBaseVertex(mode, 3, type, nullptr, 1, 0);
    glDrawElementsInstancedBaseInstance(mode, 3, type, nullptr, 1, 0);
    glDrawElementsInstancedBaseVertexBaseInstance(mode, 3, type, nullptr, 1, 0, 0);
    glDrawRangeElements(mode, 0, 2, 3, type, nullptr);
    glDrawRangeElementsBaseVertex(mode, 0, 2, 3, type, nullptr, 0);
    glMultiDrawElements(mode, &count, type, &start, 1);
    glMultiDrawElementsBaseVertex(mode, &count, type, const_cast<void* const*>(&start), 1, &first);
    glDrawElementsIndirect(mode, type, nullptr);
    glMultiDrawElementsIndirect(mode, type, nullptr, 1, 0);
    glDrawTransformFeedback(mode, feedback);
    glDrawTransformFeedbackInstanced(mode, feedback, 1);
    glDrawTransformFeedbackStream(mode, feedback, 0);
    glDrawTransformFeedbackStreamInstanced(mode, feedback, 0, 1);
  });
}

// --- Compatibility contexts ---

void set_fixed_draw() {
  bind_framebuffer();
  glBindBuffer(GL_ARRAY_BUFFER, new_buffer());
  glVertexPointer(4, GL_FLOAT, 0, nullptr);
  glEnableClientState(GL_VERTEX_ARRAY);
}

void client_arrays(bool wrong) {
  const GLuint buffer = new_buffer();
  set_fixed_draw();
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glColorPointer(4, GL_FLOAT, 0, nullptr);
  glEnableClientState(GL_COLOR_ARRAY);
  glClientActiveTexture(GL_TEXTURE3);
  glTexCoordPointer(4, GL_FLOAT, 0, nullptr);
  glEnableClientState(GL_TEXTURE_COORD_ARRAY);
  glClientActiveTexture(GL_TEXTURE1);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  with_mapped(buffer_resource(buffer), wrong, [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
  GLint unit = 0;
  glGetIntegerv(GL_CLIENT_ACTIVE_TEXTURE, &unit);
  NEED(unit == GL_TEXTURE1);
}

// A shader that names the old attributes reads client arrays; one that does not, does not.
void client_arrays_of_shader(bool wrong) {
  const GLuint buffer = new_buffer();
  set_fixed_draw();
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glNormalPointer(GL_FLOAT, 0, nullptr);
  glEnableClientState(GL_NORMAL_ARRAY);
  const GLuint with = new_program({{GL_VERTEX_SHADER, R"(#version 120
void main() { gl_Position = gl_Vertex + vec4(gl_Normal, 0); })"}});
  const GLuint without = new_program({{GL_VERTEX_SHADER, R"(#version 120
void main() { gl_Position = gl_Vertex; })"}});
  glUseProgram(wrong ? with : without);
  with_mapped(buffer_resource(buffer), true, [] { glDrawArrays(GL_TRIANGLES, 0, 3); });
}

void fixed_texture(bool wrong) {
  const GLuint texture = new_texture();
  set_fixed_draw();
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, texture);
  glEnable(GL_TEXTURE_2D);
  glActiveTexture(GL_TEXTURE1);
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, [] {
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < 3; ++i) glVertex2i(i & 1, i >> 1);
    glEnd();
  });
  GLint unit = 0;
  glGetIntegerv(GL_ACTIVE_TEXTURE, &unit);
  NEED(unit == GL_TEXTURE1);
}

void pixels(bool wrong) {
  const GLuint buffer = new_buffer();
  bind_framebuffer();
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
  with_mapped(buffer_resource(buffer), wrong,
              [] { glDrawPixels(side, side, GL_RGBA, GL_UNSIGNED_BYTE, nullptr); });
}

// Draws recorded into a display list do not happen, and the watcher's queries do not get into the
// list.
void display_list(bool) {
  const GLuint buffer = new_buffer();
  set_draw(buffer);
  const GLuint list = glGenLists(1);
  with_mapped(buffer_resource(buffer), true, [&] {
    glNewList(list, GL_COMPILE);
    glClear(GL_COLOR_BUFFER_BIT);
    glEndList();
  });
}

}  // namespace

const std::vector<Case> draw_cases = {
    {"vertices", vertices},
    {"interleaved", interleaved},
    {"unread_attribute", unread_attribute},
    {"matrix", matrix},
    {"indices", indices},
    {"indirect", indirect},
    {"draw_count", draw_count},
    {"every_draw", every_draw},
    {"client_arrays", client_arrays},
    {"client_arrays_of_shader", client_arrays_of_shader},
    {"fixed_texture", fixed_texture},
    {"pixels", pixels},
    {"display_list", display_list},
};
