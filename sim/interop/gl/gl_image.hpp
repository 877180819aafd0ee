// SPDX-License-Identifier: Apache-2.0
// Image: a texture or renderbuffer of OpenGL, which devices get as an array. The array is a copy,
// made when the image is taken and written back when it is given back, as far as the flags ask for
// either. All registrations of one object in one CUDA context share the copy, as they share the
// object's memory on hardware; each has arrays of its own (ImageArrays).
//
// Levels, layers and cube faces lie in device memory, row after row without gaps. OpenGL cannot
// copy a renderbuffer's pixels to memory in their own format, so they go through a texture of our
// own.
//
// Threads: any, one at a time; the lock of the graphics resources is held, and the group is
// entered. Invariant: after each call bindings, pixel-store state and the error flag are as the
// program left them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/gl/late_use.hpp"
#include "sim/interop/gl/watch/gl_watch.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::interop::gl {

class Image final : public memory::Lender {
 public:
  // Checks a target. Errors: invalid_value if CUDA takes no images of `target`.
  static Result<> check_target(GLenum target);
  // Returns the image `name` of `target`, which registrations of one CUDA context share;
  // `late_uses` must outlive it. Errors: invalid_handle if the object does not exist; invalid_value
  // if it has no storage, or a format or target that CUDA does not take, or if `target` is not its
  // own; not_supported if OpenGL is older than 4.5 without ARB_direct_state_access.
  static Result<Ref<Image>> of(const Ref<ShareGroup>& group, GLuint name, GLenum target,
                               const LateUses& late_uses, const memory::Requester& requester);
  // Count registrations; the Image is found by its name while there are any. The last one ends the
  // copy's memory.
  void add_registration();
  void remove_registration();
  // Ends the copy without its group, which has ended.
  void drop();

  // How devices use it while a registration has it mapped.
  struct Promise {
    bool write, discard;
  };
  // Copies the pixels, unless a registration that may write has them already; if none has them and
  // they are to be discarded, leaves the fresh pattern instead. Takes nest. Errors: unknown if it
  // is not the storage that was registered, out_of_memory.
  Result<> take(const memory::Requester& requester, Promise promise);
  // Copies the pixels back if they may have been written. Errors: unknown if OpenGL has deleted it
  // since.
  Result<> give_back(const memory::Requester& requester, Promise promise);
  unsigned mappings() const { return mappings_; }
  unsigned registrations() const { return registrations_; }
  // Notes a write, by an array that was given back, while others have the image.
  void note_write() { written_late_ = true; }
  Result<> begin_late_use(const memory::Region& region, bool write, const void* call_site) override;
  void end_late_use(bool done, const void* call_site) override;
  void note_kernel_use() override;
  bool must_be_mapped() const override { return must_be_mapped_; }
  // Copies the pixels again. Errors: as take().
  Result<> refresh(const memory::Requester& requester);
  // Copies them back, if a registration that had it last may write. Errors: as give_back().
  Result<> write_back_late(const memory::Requester& requester);
  // Whether late uses are under way, for all registrations.
  LateUse late_use;

  // Errors: invalid_value if arrays of the image cannot have these flags (array_flag::*).
  Result<> check_flags(unsigned array_flags) const;
  // Makes arrays over the copy. Errors: out_of_memory.
  Result<Ref<device::MipmappedArray>> make_arrays(unsigned array_flags,
                                                  const memory::Requester& requester);
  // Known from the first make_arrays() on.
  const Ref<memory::Allocation>& memory() const { return memory_; }
  std::string describe() const override;
  Object object() const {
    return {renderbuffer() ? Object::Kind::renderbuffer : Object::Kind::texture, name_};
  }
  // Sets what reports call it, if that is not OpenGL's name.
  void set_name(std::string words) { words_ = std::move(words); }
  void need_no_mapping() { must_be_mapped_ = false; }
  const device::ArrayDescriptor& descriptor() const { return descriptor_; }

 private:
  // A row of gl_formats.def.
  struct Format {
    GLint internal;
    device::ArrayFormat array;
    unsigned channels;
    GLenum pixel_format, pixel_type;
  };
  static const Format* format_of(GLint internal);

  Image(const Ref<ShareGroup>& group, GLuint name, GLenum target, const LateUses& late_uses,
        const memory::Requester& requester);
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  ~Image() override = default;

  bool renderbuffer() const { return target_ == GL_RENDERBUFFER; }
  // The storage that OpenGL reports now.
  struct Storage {
    GLint width = 0, height = 0, depth = 0, internal = 0, samples = 0;
    bool operator==(const Storage&) const = default;
  };
  bool exists() const;
  Storage storage(GLint level) const;
  bool has_all_faces(unsigned level) const;
  unsigned count_levels();
  Result<> look();
  static Ref<Image> find(const ShareGroup& group, Object object, uint64_t owner);
  bool stored_as_registered();
  Result<> write_back(const memory::Requester& requester);
  void forget();
  Error changed(const memory::Requester& requester, const char* how);
  void download();
  void upload();
  void make_texture();
  void copy_renderbuffer(bool back) const;

  const Ref<ShareGroup> group_;
  const GLuint name_;
  std::string words_;
  const GLenum target_;
  const LateUses& late_uses_;
  const uint64_t owner_;  // the CUDA context
  Storage storage_;
  bool must_be_mapped_ = true;
  bool immutable_ = false;  // its storage cannot change
  const Format* format_ = nullptr;
  device::ArrayDescriptor descriptor_;
  unsigned levels_ = 1;                       // as many as OpenGL has
  std::vector<device::ArrayLayout> layouts_;  // one for each level
  GLuint texture_ = 0;                        // itself, or the texture for a renderbuffer

  unsigned registrations_ = 0;
  unsigned mappings_ = 0;
  unsigned writers_ = 0;       // of the mappings
  bool writable_ = true;       // one of those since it was last unmapped may write
  bool written_late_ = false;  // and not yet copied back
  Ref<memory::Allocation> memory_;
};

// ImageArrays: what one registration of an image gives to devices. While it is mapped, its arrays
// are the image; afterwards they should not be used.
class ImageArrays {
 public:
  ImageArrays(Ref<Image> image, unsigned array_flags)
      : image_(std::move(image)), flags_(array_flags) {
    image_->add_registration();
  }

  // Errors: as Image's.
  Result<> take(const memory::Requester& requester, Image::Promise promise);
  Result<> give_back(const memory::Requester& requester);
  // Ends the registration; drop(): without the group, which has ended.
  void retire();
  void drop();
  // Refuses later uses; those under way go on.
  void revoke(const char* how);

  Image& image() const { return *image_; }
  // Known from the first take() on, until retire().
  const Ref<device::MipmappedArray>& arrays() const { return arrays_; }

 private:
  const Ref<Image> image_;
  const unsigned flags_;
  Image::Promise promise_{true, false};  // of the last take()
  Ref<device::MipmappedArray> arrays_;
};

}  // namespace cuvette::interop::gl
