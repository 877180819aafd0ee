// SPDX-License-Identifier: Apache-2.0
// OpenGL's types and what calls touch, in the words of calls.def.
//
// The types are spelled out here: OpenGL's headers would declare the functions that this library
// defines, each version of them some.
#pragma once

#include <cstdint>

#include "sim/interop/gl/watch/gl_watch_protocol.hpp"

namespace cuvette::gl_watch {

using GLenum = unsigned;
using GLbitfield = unsigned;
using GLuint = unsigned;
using GLint = int;
using GLsizei = int;
using GLboolean = unsigned char;
using GLubyte = unsigned char;
using GLfloat = float;
using GLintptr = intptr_t;
using GLsizeiptr = intptr_t;

inline constexpr GLbitfield color_bit = 0x4000;  // GL_COLOR_BUFFER_BIT
inline constexpr GLenum color = 0x1800;          // GL_COLOR

// Says whether pixels of this format are colours: not depth, not stencil.
constexpr bool has_colours(GLenum format) {
  return format != 0x1901 && format != 0x1902 && format != 0x84F9;
}

constexpr Touch nothing() { return {Point::nothing}; }

constexpr Touch vertices() { return {Point::vertices}; }
constexpr Touch elements() { return {Point::elements}; }
constexpr Touch draw_commands() { return {Point::draw_commands}; }
constexpr Touch draw_count() { return {Point::draw_count}; }
constexpr Touch dispatch_commands() { return {Point::dispatch_commands}; }
constexpr Touch shaders() { return {Point::shaders}; }
constexpr Touch compute_shader() { return {Point::compute_shader}; }
constexpr Touch feedback() { return {Point::feedback}; }
constexpr Touch pack() { return {Point::pack}; }
constexpr Touch unpack() { return {Point::unpack}; }

constexpr Touch drawn() { return {Point::drawn, Manner::used, 0, Touch::all}; }
constexpr Touch drawn(GLint index) {
  return {Point::drawn, Manner::used, 0, static_cast<uint32_t>(index)};
}
constexpr Touch drawn_named(GLuint framebuffer, GLint index) {
  return {Point::drawn_named, Manner::used, framebuffer, static_cast<uint32_t>(index)};
}
constexpr Touch draw_framebuffer() { return {Point::draw_framebuffer}; }
constexpr Touch named_draw_framebuffer(GLuint framebuffer) {
  return {Point::named_draw_framebuffer, Manner::used, framebuffer};
}
constexpr Touch read_framebuffer() { return {Point::read_framebuffer}; }
constexpr Touch named_read_framebuffer(GLuint framebuffer) {
  return {Point::named_read_framebuffer, Manner::used, framebuffer};
}

// A negative count is an error of the call; it has no list.
constexpr Touch list_of(Point point, Manner manner, GLuint name, GLsizei count,
                        const GLuint* list) {
  return {point, manner, name, count > 0 && list ? static_cast<uint32_t>(count) : 0, list};
}
constexpr Touch attachments(GLenum target, GLsizei count, const GLenum* list) {
  return list_of(Point::attachments, Manner::used, target, count, list);
}
constexpr Touch attachments_named(GLuint framebuffer, GLsizei count, const GLenum* list) {
  return list_of(Point::attachments_named, Manner::used, framebuffer, count, list);
}
constexpr Touch deleted_buffers(GLsizei count, const GLuint* names) {
  return list_of(Point::buffers, Manner::deleted, 0, count, names);
}
constexpr Touch deleted_textures(GLsizei count, const GLuint* names) {
  return list_of(Point::textures, Manner::deleted, 0, count, names);
}
constexpr Touch deleted_renderbuffers(GLsizei count, const GLuint* names) {
  return list_of(Point::renderbuffers, Manner::deleted, 0, count, names);
}

constexpr Touch bound_buffer(GLenum target) { return {Point::bound_buffer, Manner::used, target}; }
constexpr Touch named_buffer(GLuint name) { return {Point::buffer, Manner::used, name}; }
constexpr Touch bound_texture(GLenum target) {
  return {Point::bound_texture, Manner::used, target};
}
constexpr Touch named_texture(GLuint name) { return {Point::texture, Manner::used, name}; }
constexpr Touch image(GLuint name, GLenum target) {
  return {Point::image, Manner::used, name, target};
}

constexpr Touch new_buffer(GLenum target) {
  return {Point::bound_buffer, Manner::replaced, target};
}
constexpr Touch new_named_buffer(GLuint name) { return {Point::buffer, Manner::replaced, name}; }
constexpr Touch new_texture(GLenum target) {
  return {Point::bound_texture, Manner::replaced, target};
}
constexpr Touch new_named_texture(GLuint name) { return {Point::texture, Manner::replaced, name}; }
constexpr Touch new_renderbuffer() { return {Point::bound_renderbuffer, Manner::replaced}; }
constexpr Touch new_named_renderbuffer(GLuint name) {
  return {Point::renderbuffer, Manner::replaced, name};
}

}  // namespace cuvette::gl_watch
