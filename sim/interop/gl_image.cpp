// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl_image.hpp"

#include <algorithm>
#include <utility>

#include "sim/config.hpp"
#include "sim/device/machine.hpp"
#include "sim/device/misuse.hpp"
#include "sim/interop/gl_pixel_state.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::interop::gl {

using memory::ArrayFormat;
namespace array_flag = memory::array_flag;

// A row of gl_formats.def.
struct Image::Format {
  GLint internal;
  ArrayFormat array;
  unsigned channels;
  GLenum pixel_format, pixel_type;
};

namespace {

memory::AddressSpace& address_space() { return device::Machine::get().memory(); }

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

const char* name_of(GLenum target) {
  switch (target) {
    case GL_TEXTURE_2D:
      return "2D texture";
    case GL_TEXTURE_RECTANGLE:
      return "rectangle texture";
    case GL_TEXTURE_3D:
      return "3D texture";
    case GL_TEXTURE_CUBE_MAP:
      return "cube map";
    case GL_TEXTURE_2D_ARRAY:
      return "2D array texture";
    default:
      return "renderbuffer";
  }
}

// Which target a texture is of; 0 if it is none that CUDA takes. A compatibility context does not
// say so (GL_TEXTURE_TARGET is the core profile's): there a texture can be bound to its own alone.
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
      gl.GetError();  // that of the call of ours
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

// One level behind the other, each row behind the one before.
std::vector<memory::ArrayLayout> plain_layouts(const memory::ArrayDescriptor& descriptor,
                                               unsigned levels) {
  std::vector<memory::ArrayLayout> layouts = memory::level_layouts(descriptor, levels);
  for (memory::ArrayLayout& layout : layouts) {
    layout.pitch = layout.row_bytes();
    layout.slice = layout.pitch * layout.height;
  }
  return layouts;
}

}  // namespace

const Image::Format* Image::format_of(GLint internal) {
  static constexpr Format formats[] = {
#define GL_FORMAT(internal, array, channels, format, type) \
  {internal, ArrayFormat::array, channels, format, type},
#include "sim/interop/gl_formats.def"
#undef GL_FORMAT
  };
  const auto found = std::find_if(std::begin(formats), std::end(formats),
                                  [&](const Format& row) { return row.internal == internal; });
  return found == std::end(formats) ? nullptr : found;
}

Image::Image(const Ref<ShareGroup>& group, GLuint name, GLenum target, const void* call_site)
    : group_(group), name_(name), target_(target) {
  registered_at = call_site;
}

std::string Image::describe() const {
  if (!words_.empty()) return words_;
  std::string text = "OpenGL " + std::string(name_of(target_)) + " " + std::to_string(name_) +
                     " (" + std::to_string(storage_.width) + " x " +
                     std::to_string(storage_.height);
  if (storage_.depth > 1) text += " x " + std::to_string(storage_.depth);
  return text + ")";
}

// --- What OpenGL says of it ---

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

// The levels that are there: of a texture made level by level, those that fit to the first.
unsigned Image::count_levels() {
  if (renderbuffer() || target_ == GL_TEXTURE_RECTANGLE) return 1;
  GLint immutable = 0;
  group_->gl().GetTextureParameteriv(name_, GL_TEXTURE_IMMUTABLE_FORMAT, &immutable);
  immutable_ = immutable != 0;
  if (immutable_) {
    GLint levels = 1;
    group_->gl().GetTextureParameteriv(name_, GL_TEXTURE_IMMUTABLE_LEVELS, &levels);
    return static_cast<unsigned>(levels);
  }
  const unsigned most = descriptor_.most_levels();
  for (unsigned level = 1; level < most; ++level) {
    const memory::ArrayDescriptor shape = descriptor_.level(level);
    const Storage there = storage(static_cast<GLint>(level));
    if (there.internal != storage_.internal || static_cast<size_t>(there.width) != shape.width ||
        static_cast<size_t>(there.height) != shape.height)
      return level;
  }
  return most;
}

Result<> Image::check_target(GLenum target) {
  if (supported(target)) return {};
  return refuse(Error::invalid_value,
                "Target 0x%x is none of the textures that CUDA takes, nor GL_RENDERBUFFER.",
                target);
}

Result<Ref<Image>> Image::of(const Ref<ShareGroup>& group, GLuint name, GLenum target,
                             unsigned array_flags, const void* call_site) {
  TRY(check_target(target));
  const Capabilities& can = group->capabilities();
  if (!can.direct_access || (target == GL_RENDERBUFFER && !can.copy_image))
    return refuse(Error::not_supported,
                  "Images need OpenGL 4.5, or ARB_direct_state_access and ARB_copy_image; this is "
                  "OpenGL%s %d.%d.",
                  can.es ? " ES" : "", can.version / 10, can.version % 10);
  auto image = make_ref<Image>(group, name, target, call_site);
  if (!image->exists())
    return refuse(Error::invalid_handle, "OpenGL has no %s %u in the current context.",
                  target == GL_RENDERBUFFER ? "renderbuffer" : "texture", name);
  if (target != GL_RENDERBUFFER) {
    const GLenum own = target_of(*group, name, target);
    if (own != target) {
      // The driver does not look, and takes the texture for what it is.
      if (*config().contract != "driver" || !supported(own))
        return refuse(Error::invalid_value, "Texture %u is not of target 0x%x.", name, target);
      image = make_ref<Image>(group, name, own, call_site);
    }
  }
  TRY(image->look(array_flags));
  return image;
}

Result<> Image::look(unsigned array_flags) {
  storage_ = storage(0);
  if (storage_.width == 0)
    return refuse(Error::invalid_value, "OpenGL's %s %u has no storage.", name_of(target_), name_);
  if (storage_.samples > 0)
    return refuse(Error::invalid_value, "%s has %d samples for a pixel; CUDA takes images of one.",
                  describe().c_str(), storage_.samples);
  format_ = format_of(storage_.internal);
  if (!format_)
    return refuse(Error::invalid_value,
                  "%s has internal format 0x%x, which is none that CUDA takes (docs/graphics.md).",
                  describe().c_str(), static_cast<unsigned>(storage_.internal));
  descriptor_.width = static_cast<size_t>(storage_.width);
  descriptor_.height = static_cast<size_t>(storage_.height);
  descriptor_.format = format_->array;
  descriptor_.channels = format_->channels;
  descriptor_.flags = array_flags;
  if (target_ == GL_TEXTURE_3D || target_ == GL_TEXTURE_2D_ARRAY)
    descriptor_.depth = static_cast<size_t>(storage_.depth);
  // Measured.
  if (descriptor_.has(array_flag::texture_gather) && descriptor_.depth > 0)
    return refuse(Error::invalid_value, "%s is not flat: CUDA does not gather from it.",
                  describe().c_str());
  if (target_ == GL_TEXTURE_2D_ARRAY) descriptor_.flags |= array_flag::layered;
  if (target_ == GL_TEXTURE_CUBE_MAP) {
    descriptor_.depth = 6;
    descriptor_.flags |= array_flag::cubemap;
  }
  levels_ = count_levels();
  // The driver does not look how many levels there are, once there are several.
  const bool more = levels_ > 1 && *config().contract == "driver";
  layouts_ = plain_layouts(descriptor_, more ? descriptor_.most_levels() : levels_);
  if (layouts_.empty()) return Error::out_of_memory;
  texture_ = renderbuffer() ? 0 : name_;
  return {};
}

// --- Taken and given back ---

Error Image::changed(const memory::Asker& asker, const char* how) {
  device::notify_misuse(
      device::MisuseKind::graphics_storage_changed, *this, asker.call_site,
      describe() + " " + how +
          " A registration is for the storage that the image had then: unregister "
          "the image before it gets other storage or is deleted, and register it "
          "again.");
  return refuse(Error::unknown, "%s %s", describe().c_str(), how);
}

Result<> Image::allocate(const memory::Asker& asker) {
  const memory::ArrayLayout& last = layouts_.back();
  memory_ = TRY(address_space().allocate_array(last.offset + last.extent(), asker));
  memory_->lender = Ref<memory::Lender>(this);
  auto storage = make_ref<memory::ArrayStorage>(memory_, memory_->address,
                                                memory::ArrayStorage::Owner::somebody);
  arrays_ = TRY(memory::MipmappedArray::over(std::move(storage), descriptor_, layouts_));
  return {};
}

Result<> Image::take(const memory::Asker& asker, bool discard) {
  if (!exists() || (!immutable_ && storage(0) != storage_))
    return changed(asker, "has been deleted, or has got other storage, since it was registered.");
  mapped_at.store(asker.call_site, std::memory_order_relaxed);
  if (!memory_) TRY(allocate(asker));
  const memory::Region whole = memory::Region::linear(memory_->address, memory_->size);
  if (discard) {
    TRY(address_space().make_fresh(*memory_, whole));
  } else {
    TRY(address_space().touch(*memory_, whole));
    download();
  }
  arrays_->storage().restore();
  return {};
}

Result<> Image::give_back(const memory::Asker& asker, bool written) {
  arrays_->storage().revoke(Error::invalid_value,
                            describe() + " is unmapped: its arrays were good until then.");
  device::Machine::get().wait_for_users(*memory_);
  if (!exists()) return changed(asker, "has been deleted while CUDA had it mapped.");
  // If its context has ended, so has the memory.
  if (!written || memory_->ended.load(std::memory_order_acquire)) return {};
  TRY(address_space().touch(*memory_, memory::Region::linear(memory_->address, memory_->size)));
  upload();
  return {};
}

void Image::retire() {
  if (renderbuffer() && texture_) group_->gl().DeleteTextures(1, &texture_);
  if (!memory_) return;
  arrays_->storage().revoke(Error::invalid_value,
                            describe() + " is unregistered: so are its arrays.");
  device::Machine::get().wait_for_users(*memory_);
  // If its context has ended, so has the memory.
  static_cast<void>(address_space().free(memory_));
}

// --- Pixels ---

// What stands for a renderbuffer has its very format, which need not be a sized one.
void Image::make_texture() {
  const Functions& gl = group_->gl();
  const PixelState state(gl, PixelState::Way::unpack, group_->capabilities().legacy);
  GLint before = 0;
  gl.GetIntegerv(GL_TEXTURE_BINDING_2D, &before);
  gl.GenTextures(1, &texture_);
  gl.BindTexture(GL_TEXTURE_2D, texture_);
  gl.TexImage2D(GL_TEXTURE_2D, 0, storage_.internal, storage_.width, storage_.height, 0,
                format_->pixel_format, format_->pixel_type, nullptr);
  gl.BindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before));
  gl.TextureParameteri(texture_, GL_TEXTURE_MAX_LEVEL, 0);
}

void Image::copy_renderbuffer(bool back) const {
  const Functions& gl = group_->gl();
  const GLenum texture = GL_TEXTURE_2D;
  gl.CopyImageSubData(back ? texture_ : name_, back ? texture : target_, 0, 0, 0, 0,
                      back ? name_ : texture_, back ? target_ : texture, 0, 0, 0, 0, storage_.width,
                      storage_.height, 1);
}

void Image::download() {
  const Functions& gl = group_->gl();
  if (renderbuffer()) {
    if (!texture_) make_texture();
    copy_renderbuffer(false);
  }
  const PixelState state(gl, PixelState::Way::pack, group_->capabilities().legacy);
  const os::DeviceAccess access;
  for (size_t level = 0; level < levels_; ++level) {
    const memory::ArrayLayout& at = layouts_[level];
    gl.GetTextureImage(texture_, static_cast<GLint>(level), format_->pixel_format,
                       format_->pixel_type, static_cast<GLsizei>(at.extent()),
                       memory::host_pointer(memory_->address + at.offset));
  }
}

void Image::upload() {
  const Functions& gl = group_->gl();
  if (renderbuffer() && !texture_) make_texture();
  {
    const PixelState state(gl, PixelState::Way::unpack, group_->capabilities().legacy);
    const os::DeviceAccess access;
    for (size_t i = 0; i < levels_; ++i) {
      const memory::ArrayLayout& at = layouts_[i];
      const auto level = static_cast<GLint>(i);
      const auto width = static_cast<GLsizei>(at.width), height = static_cast<GLsizei>(at.height);
      const void* const pixels = memory::host_pointer(memory_->address + at.offset);
      if (descriptor_.depth == 0) {
        gl.TextureSubImage2D(texture_, level, 0, 0, width, height, format_->pixel_format,
                             format_->pixel_type, pixels);
      } else {
        gl.TextureSubImage3D(texture_, level, 0, 0, 0, width, height,
                             static_cast<GLsizei>(at.depth), format_->pixel_format,
                             format_->pixel_type, pixels);
      }
    }
  }
  if (renderbuffer()) copy_renderbuffer(true);
}

}  // namespace cuvette::interop::gl
