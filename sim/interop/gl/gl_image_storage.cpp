// SPDX-License-Identifier: Apache-2.0
// Asks OpenGL what an image is, and whether CUDA takes it.
#include <algorithm>
#include <iterator>

#include "sim/base/config.hpp"
#include "sim/interop/gl/gl_image.hpp"

namespace cuvette::interop::gl {

namespace array_flag = device::array_flag;

namespace {

// "target must match the type of the object", and be one of these.
bool supported(GLenum target) {
  switch (target) {
    case GL_TEXTURE_2D:
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_3D:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_2D_ARRAY:
    case GL_RENDERBUFFER:
      return true;
    default:
      return false;
  }
}

// Returns the target of a texture; 0 if CUDA does not take it. A compatibility context does not
// report it (GL_TEXTURE_TARGET belongs to the core profile); there a texture can be bound only to
// its own target.
GLenum target_of(const ShareGroup& group, GLuint texture, GLenum likely) {
  const Functions& gl = group.gl();
  if (!group.capabilities().legacy) {
    GLint own = 0;
    gl.GetTextureParameteriv(texture, GL_TEXTURE_TARGET, &own);
    return static_cast<GLenum>(own);
  }
  struct Target {
    GLenum target, binding;
  };
  constexpr Target targets[] = {{GL_TEXTURE_2D, GL_TEXTURE_BINDING_2D},
                                {GL_TEXTURE_RECTANGLE, GL_TEXTURE_BINDING_RECTANGLE},
                                {GL_TEXTURE_3D, GL_TEXTURE_BINDING_3D},
                                {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_BINDING_CUBE_MAP},
                                {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BINDING_2D_ARRAY}};
  const auto is_of = [&](const Target& one) {
    GLint before = 0, now = 0;
    gl.GetIntegerv(one.binding, &before);
    if (static_cast<GLuint>(before) == texture) return true;
    gl.BindTexture(one.target, texture);
    gl.GetIntegerv(one.binding, &now);
    if (static_cast<GLuint>(now) != texture) {
      gl.GetError();  // the error of our own call
      return false;
    }
    gl.BindTexture(one.target, static_cast<GLuint>(before));
    return true;
  };
  for (const Target& one : targets)
    if (one.target == likely && is_of(one)) return likely;
  for (const Target& one : targets)
    if (one.target != likely && is_of(one)) return one.target;
  return 0;
}

// Lays out levels consecutively, with rows without gaps.
std::vector<device::ArrayLayout> plain_layouts(const device::ArrayDescriptor& descriptor,
                                               unsigned levels) {
  std::vector<device::ArrayLayout> layouts = device::level_layouts(descriptor, levels);
  for (device::ArrayLayout& layout : layouts) {
    layout.pitch = layout.row_bytes();
    layout.slice = layout.pitch * layout.height;
  }
  return layouts;
}

}  // namespace

const Image::Format* Image::format_of(GLint internal) {
  static constexpr Format formats[] = {
#define GL_FORMAT(internal, array, channels, format, type) \
  {internal, device::ArrayFormat::array, channels, format, type},
#include "sim/interop/gl/gl_formats.def"
#undef GL_FORMAT
  };
  const auto found = std::find_if(std::begin(formats), std::end(formats),
                                  [&](const Format& row) { return row.internal == internal; });
  return found == std::end(formats) ? nullptr : found;
}

bool Image::exists() const {
  const Functions& gl = group_->gl();
  return (renderbuffer() ? gl.IsRenderbuffer(name_) : gl.IsTexture(name_)) == GL_TRUE;
}

Image::Storage Image::storage(GLint level) const {
  const Functions& gl = group_->gl();
  Storage found;
  if (renderbuffer()) {
    const auto get = [&](GLenum which, GLint& value) {
      gl.GetNamedRenderbufferParameteriv(name_, which, &value);
    };
    get(GL_RENDERBUFFER_WIDTH, found.width);
    get(GL_RENDERBUFFER_HEIGHT, found.height);
    get(GL_RENDERBUFFER_INTERNAL_FORMAT, found.internal);
    get(GL_RENDERBUFFER_SAMPLES, found.samples);
    found.depth = 1;
    return found;
  }
  const auto get = [&](GLenum which, GLint& value) {
    gl.GetTextureLevelParameteriv(name_, level, which, &value);
  };
  get(GL_TEXTURE_WIDTH, found.width);
  get(GL_TEXTURE_HEIGHT, found.height);
  get(GL_TEXTURE_DEPTH, found.depth);
  get(GL_TEXTURE_INTERNAL_FORMAT, found.internal);
  return found;
}

// A cube map with faces made one by one may lack some, or have them in different sizes.
bool Image::has_all_faces(unsigned level) const {
  if (target_ != GL_TEXTURE_CUBE_MAP) return true;
  const Functions& gl = group_->gl();
  GLint before = 0;
  gl.GetIntegerv(GL_TEXTURE_BINDING_CUBE_MAP, &before);
  gl.BindTexture(target_, name_);
  const auto get = [&](unsigned face, GLenum which) {
    GLint value = 0;
    gl.GetTexLevelParameteriv(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, static_cast<GLint>(level),
                              which, &value);
    return value;
  };
  bool all = true;
  for (unsigned face = 1; face < 6; ++face)
    for (GLenum which : {GL_TEXTURE_WIDTH, GL_TEXTURE_HEIGHT, GL_TEXTURE_INTERNAL_FORMAT})
      all = all && get(face, which) == get(0, which);
  gl.BindTexture(target_, static_cast<GLuint>(before));
  return all;
}

// Counts the levels; in a texture that was made level by level, the ones that fit the first.
unsigned Image::count_levels() {
  if (renderbuffer() || target_ == GL_TEXTURE_RECTANGLE) return 1;
  GLint immutable = 0;
  group_->gl().GetTextureParameteriv(name_, GL_TEXTURE_IMMUTABLE_FORMAT, &immutable);
  immutable_ = immutable != 0;
  if (immutable_) {
    GLint levels = 1;  // a view may show fewer than there are
    group_->gl().GetTextureParameteriv(name_, GL_TEXTURE_VIEW_NUM_LEVELS, &levels);
    return static_cast<unsigned>(levels);
  }
  const unsigned most = descriptor_.most_levels();
  for (unsigned level = 1; level < most; ++level) {
    const device::ArrayDescriptor shape = descriptor_.level(level);
    const Storage there = storage(static_cast<GLint>(level));
    if (there.internal != storage_.internal || static_cast<size_t>(there.width) != shape.width ||
        static_cast<size_t>(there.height) != shape.height || !has_all_faces(level))
      return level;
  }
  return most;
}

Result<> Image::check_target(GLenum target) {
  if (supported(target)) return {};
  return refuse(Error::invalid_value,
                "Target 0x%x is neither a texture target that CUDA supports nor GL_RENDERBUFFER.",
                target);
}

// As far as OpenGL tells: other storage of the same shape is the program's mistake, found at map.
bool Image::stored_as_registered() {
  if (!exists()) return false;
  return immutable_ || (storage(0) == storage_ && count_levels() == levels_);
}

Result<Ref<Image>> Image::of(const Ref<ShareGroup>& group, GLuint name, GLenum target,
                             const LateUses& late_uses, const memory::Requester& requester) {
  TRY(check_target(target));
  const Capabilities& can = group->capabilities();
  if (!can.direct_access || (target == GL_RENDERBUFFER && !can.copy_image))
    return refuse(Error::not_supported,
                  "Images need OpenGL 4.5, or ARB_direct_state_access and ARB_copy_image; this is "
                  "OpenGL%s %d.%d.",
                  can.es ? " ES" : "", can.version / 10, can.version % 10);
  auto image = make_ref<Image>(group, name, target, late_uses, requester);
  if (!image->exists())
    return refuse(Error::invalid_handle, "OpenGL has no %s %u in the current context.",
                  target == GL_RENDERBUFFER ? "renderbuffer" : "texture", name);
  if (target != GL_RENDERBUFFER) {
    const GLenum own = target_of(*group, name, target);
    if (own != target) {
      // The driver does not check, and takes the texture for what it is.
      if (!follows_driver() || !supported(own))
        return refuse(Error::invalid_value, "Texture %u is not of target 0x%x.", name, target);
      image = make_ref<Image>(group, name, own, late_uses, requester);
    }
  }
  if (auto known = find(*group, image->object(), requester.owner);
      known && known->stored_as_registered())
    return known;
  TRY(image->look());
  return image;
}

// Measured.
Result<> Image::check_flags(unsigned array_flags) const {
  if ((array_flags & array_flag::texture_gather) && target_ != GL_TEXTURE_CUBE_MAP &&
      descriptor_.depth > 0)
    return refuse(Error::invalid_value, "%s is not two-dimensional: CUDA cannot gather from it.",
                  describe().c_str());
  return {};
}

Result<> Image::look() {
  storage_ = storage(0);
  if (storage_.width == 0) return refuse(Error::invalid_value, "Image %u has no storage.", name_);
  if (storage_.samples > 0)
    return refuse(Error::invalid_value,
                  "%s has %d samples per pixel; CUDA only supports images with one.",
                  describe().c_str(), storage_.samples);
  if (!has_all_faces(0))
    return refuse(Error::invalid_value, "%s does not have six faces of the same size and format.",
                  describe().c_str());
  format_ = format_of(storage_.internal);
  if (!format_)
    return refuse(Error::invalid_value,
                  "%s has internal format 0x%x, which CUDA does not support (docs/graphics.md).",
                  describe().c_str(), static_cast<unsigned>(storage_.internal));
  descriptor_.width = static_cast<size_t>(storage_.width);
  descriptor_.height = static_cast<size_t>(storage_.height);
  descriptor_.format = format_->array;
  descriptor_.channels = format_->channels;
  if (target_ == GL_TEXTURE_3D || target_ == GL_TEXTURE_2D_ARRAY)
    descriptor_.depth = static_cast<size_t>(storage_.depth);
  if (target_ == GL_TEXTURE_2D_ARRAY) descriptor_.flags |= array_flag::layered;
  if (target_ == GL_TEXTURE_CUBE_MAP) {
    descriptor_.depth = 6;
    descriptor_.flags |= array_flag::cubemap;
  }
  levels_ = count_levels();
  // Where there are several levels, the driver does not check how many.
  const bool more = levels_ > 1 && follows_driver();
  layouts_ = plain_layouts(descriptor_, more ? descriptor_.most_levels() : levels_);
  if (layouts_.empty()) return Error::out_of_memory;
  texture_ = renderbuffer() ? 0 : name_;
  return {};
}

}  // namespace cuvette::interop::gl
