// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/gl_image.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/interop/gl/gl_pixel_state.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::interop::gl {
namespace {

using device::address_space;

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

// The registered images, by group, name and CUDA context.
using ImageKey = std::tuple<const ShareGroup*, Object::Kind, GLuint, uint64_t>;
ImageKey image_key(const ShareGroup& group, Object object, uint64_t owner) {
  return {&group, object.kind, object.name, owner};
}
auto& registered_images() {
  static auto* const images = new std::map<ImageKey, Image*>;
  return *images;
}

}  // namespace

Ref<Image> Image::find(const ShareGroup& group, Object object, uint64_t owner) {
  const auto found = registered_images().find(image_key(group, object, owner));
  return found == registered_images().end() ? nullptr : Ref<Image>(found->second);
}

Image::Image(const Ref<ShareGroup>& group, GLuint name, GLenum target, const LateUses& late_uses,
             const memory::Requester& requester)
    : group_(group), name_(name), target_(target), late_uses_(late_uses), owner_(requester.owner) {
  registered_at = requester.call_site;
}

std::string Image::describe() const {
  if (!words_.empty()) return words_;
  std::string text = "OpenGL " + std::string(name_of(target_)) + " " + std::to_string(name_) +
                     " (" + std::to_string(storage_.width) + " x " +
                     std::to_string(storage_.height);
  if (storage_.depth > 1) text += " x " + std::to_string(storage_.depth);
  return text + ")";
}

// --- Taken and given back ---

Error Image::changed(const memory::Requester& requester, const char* how) {
  device::notify_misuse(device::misuse::StorageChanged{"image", how}, *this, requester.call_site);
  return refuse(Error::unknown, "%s %s", describe().c_str(), how);
}

Result<Ref<device::MipmappedArray>> Image::make_arrays(unsigned array_flags,
                                                       const memory::Requester& requester) {
  if (!memory_) {
    const device::ArrayLayout& last = layouts_.back();
    memory_ = TRY(address_space().allocate_array(last.offset + last.extent(), requester));
    memory_->lender = Ref<memory::Lender>(this);
  }
  auto storage = make_ref<device::ArrayStorage>(memory_, memory_->address,
                                                device::ArrayStorage::Owner::somebody);
  device::ArrayDescriptor descriptor = descriptor_;
  descriptor.flags |= array_flags;
  return device::MipmappedArray::over(std::move(storage), descriptor, layouts_);
}

// While a registration may write, the copy is newer than OpenGL's pixels. While all registrations
// only read, OpenGL's may have changed, which programs are not supposed to allow.
Result<> Image::take(const memory::Requester& requester, Promise promise) {
  if (!exists() || (!immutable_ && storage(0) != storage_))
    return changed(requester, "was deleted, or was given other storage, after it was registered.");
  mapped_at.store(requester.call_site, std::memory_order_relaxed);
  const memory::Region whole = memory::Region::linear(memory_->address, memory_->size);
  if (promise.discard) {
    if (mappings_ == 0) TRY(address_space().make_fresh(*memory_, whole));
  } else if (writers_ == 0 && !written_late_) {
    TRY(address_space().touch(*memory_, whole));
    download();
  }
  writable_ = promise.write || (mappings_ > 0 && writable_);
  ++mappings_;
  if (promise.write) ++writers_;
  read_only.store(writers_ == 0, std::memory_order_relaxed);
  return {};
}

// Each registration that may write copies back, because OpenGL sees its work even while others have
// the image.
Result<> Image::give_back(const memory::Requester& requester, Promise promise) {
  --mappings_;
  if (promise.write) --writers_;
  // A late use may do what the last registrations that had it might.
  const bool may_write = mappings_ > 0 ? writers_ > 0 : writable_;
  read_only.store(!may_write, std::memory_order_relaxed);
  device::Context::wait_for_users(*memory_);
  if (!exists()) return changed(requester, "was deleted while CUDA had it mapped.");
  if (!promise.write && !written_late_) return {};
  return write_back(requester);
}

Result<> Image::refresh(const memory::Requester& requester) {
  if (!exists() || (!immutable_ && storage(0) != storage_))
    return changed(requester, "was deleted, or was given other storage, after it was registered.");
  if (memory_->ended.load(std::memory_order_acquire)) return {};
  TRY(address_space().touch(*memory_, memory::Region::linear(memory_->address, memory_->size)));
  download();
  return {};
}

Result<> Image::write_back(const memory::Requester& requester) {
  if (!exists()) return changed(requester, "was deleted after it was registered.");
  written_late_ = false;
  // If its context has ended, so has the memory.
  if (memory_->ended.load(std::memory_order_acquire)) return {};
  TRY(address_space().touch(*memory_, memory::Region::linear(memory_->address, memory_->size)));
  upload();
  return {};
}

Result<> Image::write_back_late(const memory::Requester& requester) {
  return writable_ ? write_back(requester) : Result<>();
}

Result<> Image::begin_late_use(const memory::Region& region, bool write, const void* call_site) {
  return late_uses_.begin(*this, region, write, call_site);
}

void Image::end_late_use(bool done, const void* call_site) {
  late_uses_.end(*this, done, call_site);
}

void Image::note_kernel_use() { late_uses_.note_kernel(*this); }

// --- Registrations ---

void Image::add_registration() {
  if (registrations_++ == 0) registered_images()[image_key(*group_, object(), owner_)] = this;
}

void Image::remove_registration() {
  if (--registrations_ > 0) return;
  if (renderbuffer() && texture_) group_->gl().DeleteTextures(1, &texture_);
  forget();
}

void Image::drop() {
  if (--registrations_ == 0) forget();
}

void Image::forget() {
  const auto found = registered_images().find(image_key(*group_, object(), owner_));
  // Storage that came later under this name may have taken the place.
  if (found != registered_images().end() && found->second == this) registered_images().erase(found);
  texture_ = 0;
  if (!memory_) return;
  device::Context::wait_for_users(*memory_);
  // If its context has ended, so has the memory.
  static_cast<void>(address_space().free(memory_));
  // Freed memory is remembered for a while, and keeps its lender, this object.
  memory_ = nullptr;
}

Result<> ImageArrays::take(const memory::Requester& requester, Image::Promise promise) {
  if (!arrays_) arrays_ = TRY(image_->make_arrays(flags_, requester));
  TRY(image_->take(requester, promise));
  promise_ = promise;
  arrays_->storage().restore();
  return {};
}

Result<> ImageArrays::give_back(const memory::Requester& requester) {
  arrays_->storage().take_back(
      Error::invalid_value, image_->describe() + " is unmapped: its arrays were valid until then.");
  return image_->give_back(requester, promise_);
}

void ImageArrays::revoke(const char* how) {
  if (arrays_) arrays_->storage().revoke(Error::invalid_value, image_->describe() + how);
}

void ImageArrays::retire() {
  revoke(" is unregistered: its arrays are no longer valid.");
  image_->remove_registration();
  arrays_ = nullptr;
}

void ImageArrays::drop() {
  image_->drop();
  arrays_ = nullptr;
}

// --- Pixels ---

// Makes the texture that represents a renderbuffer, of the same format, which need not be a sized
// one.
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
    const device::ArrayLayout& at = layouts_[level];
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
      const device::ArrayLayout& at = layouts_[i];
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
