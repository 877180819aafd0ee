// SPDX-License-Identifier: Apache-2.0
// Uses: finds out which of some objects a call of OpenGL is about to use, and as what.
//
// It asks OpenGL for its state, as exactly as OpenGL can say: an array that no attribute of the
// program reads, or an attachment that no draw buffer names, is not used. It only asks questions,
// and only ones that the context's version has, so that the error flag stays. Where a question
// needs a binding, the program's own is restored.
//
// Threads: it concerns the calling thread's context; not to be used between glBegin and glEnd.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/interop/gl/gl_context.hpp"
#include "sim/interop/gl/gl_object.hpp"
#include "sim/interop/gl/watch/gl_watch_protocol.hpp"

namespace cuvette::interop::gl {

struct WatchFunctions {
#define GL_FUNCTION(name, type) PFNGL##type##PROC name = nullptr;
#include "sim/interop/gl/watch/gl_watch_functions.def"
#undef GL_FUNCTION
  void(APIENTRYP ClientActiveTexture)(GLenum unit) = nullptr;  // not in the core profile
};

class Uses {
 public:
  struct Use {
    Object object;
    std::string as;  // "vertex attribute 2"; empty if the call names the object itself
    gl_watch::Manner manner;
  };

  explicit Uses(WindowSystem system);

  // Whether the context is new enough for its objects to be registered.
  bool can_share() const { return has(32, 30); }
  // Returns which of `wanted` the call uses.
  std::vector<Use> of(const gl_watch::Call& call, std::span<const Object> wanted);

 private:
  using Touch = gl_watch::Touch;
  class Units;

  // Whether the context is of this version of OpenGL or OpenGL ES (45 is 4.5).
  bool has(int version, int es_version) const { return version_ >= (es_ ? es_version : version); }
  bool has_extension(const char* name) const;
  GLint integer(GLenum which) const;
  GLint integer(GLenum which, unsigned index) const;
  bool enabled(GLenum what) const { return gl_.IsEnabled(what) == GL_TRUE; }
  bool compiles_list() const;

  bool want(Object::Kind kind) const;
  // Notes the object if it is wanted; `words` returns what it is used as.
  template <typename Words>
  void see(Object object, const Words& words);
  void see_named(Object object);
  void see_buffer(GLint name, const char* as);
  bool keeps_storage(Object object) const;

  void look(const Touch& touch);
  void look_at_bound_buffer(GLenum target);
  void look_at_bound_texture(GLenum target);
  void look_at_list(Object::Kind kind, const Touch& touch);
  void look_at_feedback();
  // Framebuffers (gl_watch_framebuffers.cpp): the bound one, or `name`, bound for the moment.
  void look_at_draw_buffers(unsigned index, bool rasterised);
  void look_at_read_buffer();
  void look_at_attachment(GLenum target, GLenum attachment);
  void look_at_attachments(GLenum target, const Touch& touch);
  template <typename Look>
  void with_framebuffer(GLuint name, GLenum target, const Look& look) const;
  // Shaders (gl_watch_shaders.cpp).
  std::vector<GLuint> programs(std::span<const GLenum> stages) const;
  void look_at_vertices();
  void look_at_shaders(bool compute);
  void look_at_uniforms(GLuint program, Units& units);
  void look_at_unit(Units& units, GLint unit, GLenum binding, const std::string& words);
  void look_at_image_unit(GLint unit, const std::string& words);
  void look_at_blocks(GLuint program);
  void look_at_resources(GLuint program, GLenum interface, GLenum binding, const char* what);
  void look_at_fixed_units(Units& units);

  const WatchFunctions& gl_;
  const Functions& common_;
  std::span<const Object> wanted_;
  bool es_ = false;
  bool legacy_ = false;  // the compatibility profile
  int version_ = 0;
  gl_watch::Manner manner_ = gl_watch::Manner::used;  // the current touch's
  std::vector<Use> found_;
};

template <typename Words>
void Uses::see(Object object, const Words& words) {
  if (object.name == 0) return;
  for (const Object& one : wanted_)
    if (one == object) {
      found_.push_back({object, words(), manner_});
      return;
    }
}

template <typename Look>
void Uses::with_framebuffer(GLuint name, GLenum target, const Look& look) const {
  // 0 is the window's; a name that is not a framebuffer is an error of the program's call.
  if (name == 0 || gl_.IsFramebuffer(name) != GL_TRUE) return;
  const GLint before = integer(target == GL_READ_FRAMEBUFFER ? GL_READ_FRAMEBUFFER_BINDING
                                                             : GL_DRAW_FRAMEBUFFER_BINDING);
  gl_.BindFramebuffer(target, name);
  look();
  gl_.BindFramebuffer(target, static_cast<GLuint>(before));
}

}  // namespace cuvette::interop::gl
