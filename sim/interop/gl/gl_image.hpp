// SPDX-License-Identifier: Apache-2.0
// Image: a texture or renderbuffer of OpenGL, which devices get as an array. The array is a copy,
// made when the image is taken and written back when it is given back, as far as the flags ask for
// either.
//
// Levels, layers and cube faces lie in device memory, row after row without gaps. OpenGL cannot
// copy a renderbuffer's pixels to memory in their own format, so they go through a texture of our
// own.
//
// Threads: any, one at a time; the lock of the graphics resources is held, and the group is
// entered. Invariant: after each call bindings, pixel-store state and the error flag are as the
// program left them.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/gl/watch/gl_watch.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::interop::gl {

// What happens when commands use an image's arrays after they were given back: begin_late_use() and
// the like of its Lender. The registrations of images decide.
struct LateUses {
  Result<> (*begin)(const memory::Lender& image, const memory::Region& region, bool write,
                    const void* call_site);
  void (*end)(const memory::Lender& image, bool done, const void* call_site);
  void (*note_kernel)(memory::Lender& image);
};

class Image final : public memory::Lender {
 public:
  // Checks a target. Errors: invalid_value if CUDA takes no images of `target`.
  static Result<> check_target(GLenum target);
  // Makes the image `name` of `target`. `array_flags` are the array's flags (array_flag::*);
  // `late_uses` must outlive the image.
  // Errors: invalid_handle if there is no such object; invalid_value if it has no storage, or a
  // format or target that CUDA does not take, or if `target` is not its own; not_supported if
  // OpenGL is older than 4.5 without ARB_direct_state_access.
  static Result<Ref<Image>> of(const Ref<ShareGroup>& group, GLuint name, GLenum target,
                               unsigned array_flags, const LateUses& late_uses,
                               const void* call_site);

  // Copies the pixels to the array; if `discard`, fills the array with the fresh pattern instead.
  // Errors: unknown if it is not the storage that was registered, out_of_memory.
  Result<> take(const memory::Requester& requester, bool discard);
  // Copies the pixels back if `written`; the array should not be used until the image is taken
  // again. Errors: unknown if OpenGL has deleted it since.
  Result<> give_back(const memory::Requester& requester, bool written);
  Result<> begin_late_use(const memory::Region& region, bool write, const void* call_site) override;
  void end_late_use(bool done, const void* call_site) override;
  void note_kernel_use() override;
  bool must_be_mapped() const override { return must_be_mapped_; }
  // Copies the pixels again. Errors: as take().
  Result<> refresh(const memory::Requester& requester);
  // Copies them back. Errors: as give_back().
  Result<> write_back(const memory::Requester& requester);
  // Ends the array's memory.
  void retire();

  // Known from the first take() on.
  const Ref<device::MipmappedArray>& arrays() const { return arrays_; }
  const memory::Allocation* memory() const { return memory_.get(); }
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
        const void* call_site);
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
  Result<> look(unsigned array_flags);
  Result<> allocate(const memory::Requester& requester);
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
  Storage storage_;
  bool must_be_mapped_ = true;
  bool immutable_ = false;  // its storage cannot change
  const Format* format_ = nullptr;
  device::ArrayDescriptor descriptor_;
  unsigned levels_ = 1;                       // as many as OpenGL has
  std::vector<device::ArrayLayout> layouts_;  // one for each level
  GLuint texture_ = 0;                        // itself, or the texture for a renderbuffer

  Ref<memory::Allocation> memory_;
  Ref<device::MipmappedArray> arrays_;
};

}  // namespace cuvette::interop::gl
