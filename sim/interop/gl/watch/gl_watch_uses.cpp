// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/watch/gl_watch_uses.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace cuvette::interop::gl {

using gl_watch::Manner;
using gl_watch::Point;

namespace {

WatchFunctions load_watch_functions(WindowSystem system) {
  WatchFunctions functions;
#define GL_FUNCTION(name, type) \
  functions.name = reinterpret_cast<PFNGL##type##PROC>(function(system, "gl" #name));
#include "sim/interop/gl/watch/gl_watch_functions.def"
#undef GL_FUNCTION
  functions.ClientActiveTexture = reinterpret_cast<decltype(functions.ClientActiveTexture)>(
      function(system, "glClientActiveTexture"));
  return functions;
}

const WatchFunctions& watch_functions(WindowSystem system) {
  if (system == WindowSystem::egl) {
    static const WatchFunctions of_egl = load_watch_functions(WindowSystem::egl);
    return of_egl;
  }
  static const WatchFunctions of_glx = load_watch_functions(WindowSystem::glx);
  return of_glx;
}

constexpr GLenum list_index = 0x0B33;  // GL_LIST_INDEX, of compatibility contexts

// A target that buffers are bound to, and the versions that have it.
struct BufferTarget {
  GLenum target, binding;
  int version, es_version;
  const char* name;
};
constexpr int never = 1000;
constexpr BufferTarget buffer_targets[] = {
    {GL_ARRAY_BUFFER, GL_ARRAY_BUFFER_BINDING, 15, 20, "GL_ARRAY_BUFFER"},
    {GL_ELEMENT_ARRAY_BUFFER, GL_ELEMENT_ARRAY_BUFFER_BINDING, 15, 20, "GL_ELEMENT_ARRAY_BUFFER"},
    {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING, 21, 30, "GL_PIXEL_PACK_BUFFER"},
    {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING, 21, 30, "GL_PIXEL_UNPACK_BUFFER"},
    {GL_TRANSFORM_FEEDBACK_BUFFER, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 30, 30,
     "GL_TRANSFORM_FEEDBACK_BUFFER"},
    {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING, 31, 30, "GL_COPY_READ_BUFFER"},
    {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING, 31, 30, "GL_COPY_WRITE_BUFFER"},
    {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING, 31, 30, "GL_UNIFORM_BUFFER"},
    {GL_TEXTURE_BUFFER, GL_TEXTURE_BUFFER, 31, 32, "GL_TEXTURE_BUFFER"},
    {GL_DRAW_INDIRECT_BUFFER, GL_DRAW_INDIRECT_BUFFER_BINDING, 40, 31, "GL_DRAW_INDIRECT_BUFFER"},
    {GL_ATOMIC_COUNTER_BUFFER, GL_ATOMIC_COUNTER_BUFFER_BINDING, 42, 31,
     "GL_ATOMIC_COUNTER_BUFFER"},
    {GL_DISPATCH_INDIRECT_BUFFER, GL_DISPATCH_INDIRECT_BUFFER_BINDING, 43, 31,
     "GL_DISPATCH_INDIRECT_BUFFER"},
    {GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER_BINDING, 43, 31,
     "GL_SHADER_STORAGE_BUFFER"},
    {GL_QUERY_BUFFER, GL_QUERY_BUFFER_BINDING, 44, never, "GL_QUERY_BUFFER"},
};

struct TextureTarget {
  GLenum target, binding;
  const char* name;
};
constexpr TextureTarget texture_targets[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D, "GL_TEXTURE_2D"},
    {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D, "GL_TEXTURE_3D"},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE, "GL_TEXTURE_RECTANGLE"},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP, "GL_TEXTURE_CUBE_MAP"},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY, "GL_TEXTURE_2D_ARRAY"},
};

}  // namespace

Uses::Uses(WindowSystem system) : gl_(watch_functions(system)), common_(functions(system)) {
  const char* text = reinterpret_cast<const char*>(gl_.GetString(GL_VERSION));
  if (!text) return;
  constexpr const char es[] = "OpenGL ES ";
  es_ = std::strncmp(text, es, sizeof es - 1) == 0;
  if (es_) text += sizeof es - 1;
  char* point = nullptr;
  version_ = static_cast<int>(std::strtol(text, &point, 10)) * 10;
  if (*point == '.') version_ += static_cast<int>(std::strtol(point + 1, nullptr, 10));
  legacy_ =
      !es_ && (version_ < 32 || !(integer(GL_CONTEXT_PROFILE_MASK) & GL_CONTEXT_CORE_PROFILE_BIT));
}

bool Uses::has_extension(const char* name) const {
  const GLint count = integer(GL_NUM_EXTENSIONS);
  for (GLint i = 0; i < count; ++i) {
    const GLubyte* one = common_.GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i));
    if (one && std::strcmp(reinterpret_cast<const char*>(one), name) == 0) return true;
  }
  return false;
}

GLint Uses::integer(GLenum which) const {
  GLint value = 0;
  gl_.GetIntegerv(which, &value);
  return value;
}

GLint Uses::integer(GLenum which, unsigned index) const {
  GLint value = 0;
  gl_.GetIntegeri_v(which, index, &value);
  return value;
}

// Whether a display list is being compiled: the call goes into it, and so would ours.
bool Uses::compiles_list() const { return legacy_ && integer(list_index) != 0; }

bool Uses::want(Object::Kind kind) const {
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [&](const Object& one) { return one.kind == kind; });
}

std::vector<Uses::Use> Uses::of(const gl_watch::Call& call, std::span<const Object> wanted) {
  wanted_ = wanted;
  found_.clear();
  if (compiles_list()) return {};
  for (size_t i = 0; i < call.count; ++i) {
    manner_ = call.touches[i].manner;
    look(call.touches[i]);
  }
  return std::move(found_);
}

void Uses::see_named(Object object) {
  // OpenGL refuses to replace immutable storage.
  if (manner_ == Manner::replaced && keeps_storage(object)) return;
  see(object, [] { return std::string(); });
}

void Uses::see_buffer(GLint name, const char* as) {
  see({Object::Kind::buffer, static_cast<GLuint>(name)}, [&] { return std::string(as); });
}

bool Uses::keeps_storage(Object object) const {
  GLint immutable = 0;
  if (es_ || version_ < 45) return false;
  if (object.kind == Object::Kind::buffer && gl_.IsBuffer(object.name) == GL_TRUE)
    gl_.GetNamedBufferParameteriv(object.name, GL_BUFFER_IMMUTABLE_STORAGE, &immutable);
  if (object.kind == Object::Kind::texture && gl_.IsTexture(object.name) == GL_TRUE)
    gl_.GetTextureParameteriv(object.name, GL_TEXTURE_IMMUTABLE_FORMAT, &immutable);
  return immutable != 0;
}

void Uses::look(const Touch& touch) {
  using Kind = Object::Kind;
  const bool buffers = want(Kind::buffer);
  const bool images = want(Kind::texture) || want(Kind::renderbuffer);
  switch (touch.point) {
    case Point::nothing:
      return;
    case Point::vertices:
      if (buffers) look_at_vertices();
      return;
    case Point::elements:
      return see_buffer(integer(GL_ELEMENT_ARRAY_BUFFER_BINDING), "element array buffer");
    case Point::draw_commands:
      if (has(40, 31)) see_buffer(integer(GL_DRAW_INDIRECT_BUFFER_BINDING), "draw indirect buffer");
      return;
    case Point::draw_count:
      if (buffers && !es_ && (version_ >= 46 || has_extension("GL_ARB_indirect_parameters")))
        see_buffer(integer(GL_PARAMETER_BUFFER_BINDING), "parameter buffer");
      return;
    case Point::dispatch_commands:
      if (has(43, 31))
        see_buffer(integer(GL_DISPATCH_INDIRECT_BUFFER_BINDING), "dispatch indirect buffer");
      return;
    case Point::shaders:
      return look_at_shaders(false);
    case Point::compute_shader:
      return look_at_shaders(true);
    case Point::feedback:
      if (buffers) look_at_feedback();
      return;
    case Point::drawn:
      if (images) look_at_draw_buffers(touch.index, true);
      return;
    case Point::drawn_named:
      if (images)
        with_framebuffer(touch.name, GL_DRAW_FRAMEBUFFER,
                         [&] { look_at_draw_buffers(touch.index, true); });
      return;
    case Point::draw_framebuffer:
      if (images) look_at_draw_buffers(Touch::all, false);
      return;
    case Point::named_draw_framebuffer:
      if (images)
        with_framebuffer(touch.name, GL_DRAW_FRAMEBUFFER,
                         [&] { look_at_draw_buffers(Touch::all, false); });
      return;
    case Point::read_framebuffer:
      if (images) look_at_read_buffer();
      return;
    case Point::named_read_framebuffer:
      if (images) with_framebuffer(touch.name, GL_READ_FRAMEBUFFER, [&] { look_at_read_buffer(); });
      return;
    case Point::attachments:
      if (images) look_at_attachments(touch.name, touch);
      return;
    case Point::attachments_named:
      if (images)
        with_framebuffer(touch.name, GL_DRAW_FRAMEBUFFER,
                         [&] { look_at_attachments(GL_DRAW_FRAMEBUFFER, touch); });
      return;
    case Point::pack:
      return see_buffer(integer(GL_PIXEL_PACK_BUFFER_BINDING), "pixel pack buffer");
    case Point::unpack:
      return see_buffer(integer(GL_PIXEL_UNPACK_BUFFER_BINDING), "pixel unpack buffer");
    case Point::buffer:
      return see_named({Kind::buffer, touch.name});
    case Point::bound_buffer:
      return look_at_bound_buffer(touch.name);
    case Point::texture:
      return see_named({Kind::texture, touch.name});
    case Point::bound_texture:
      if (images) look_at_bound_texture(touch.name);
      return;
    case Point::renderbuffer:
      return see_named({Kind::renderbuffer, touch.name});
    case Point::bound_renderbuffer:
      return see({Kind::renderbuffer, static_cast<GLuint>(integer(GL_RENDERBUFFER_BINDING))},
                 [] { return std::string("what is bound to GL_RENDERBUFFER"); });
    case Point::image:
      return see_named(
          {touch.index == GL_RENDERBUFFER ? Kind::renderbuffer : Kind::texture, touch.name});
    case Point::buffers:
      return look_at_list(Kind::buffer, touch);
    case Point::textures:
      return look_at_list(Kind::texture, touch);
    case Point::renderbuffers:
      return look_at_list(Kind::renderbuffer, touch);
  }
}

void Uses::look_at_list(Object::Kind kind, const Touch& touch) {
  for (uint32_t i = 0; i < touch.index; ++i) see_named({kind, touch.list[i]});
}

void Uses::look_at_bound_buffer(GLenum target) {
  if (!want(Object::Kind::buffer)) return;
  for (const BufferTarget& row : buffer_targets) {
    if (row.target != target || !has(row.version, row.es_version)) continue;
    const Object object{Object::Kind::buffer, static_cast<GLuint>(integer(row.binding))};
    if (manner_ == Manner::replaced && object.name != 0 && keeps_storage(object)) return;
    see(object, [&] { return std::string("what is bound to ") + row.name; });
  }
}

void Uses::look_at_bound_texture(GLenum target) {
  if (target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z)
    target = GL_TEXTURE_CUBE_MAP;
  for (const TextureTarget& row : texture_targets) {
    if (row.target != target || (es_ && target == GL_TEXTURE_RECTANGLE)) continue;
    const Object object{Object::Kind::texture, static_cast<GLuint>(integer(row.binding))};
    if (manner_ == Manner::replaced && object.name != 0 && keeps_storage(object)) return;
    see(object, [&] { return std::string("what is bound to ") + row.name; });
  }
}

void Uses::look_at_feedback() {
  // Before OpenGL 4.0 there is no way to ask whether it is active.
  if (!has(40, 30) || !integer(GL_TRANSFORM_FEEDBACK_BUFFER_ACTIVE) ||
      integer(GL_TRANSFORM_FEEDBACK_BUFFER_PAUSED))
    return;
  const GLint count = integer(GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i)
    see({Object::Kind::buffer,
         static_cast<GLuint>(integer(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, i))},
        [&] { return "transform feedback buffer " + std::to_string(i); });
}

}  // namespace cuvette::interop::gl
