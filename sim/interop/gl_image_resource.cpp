// SPDX-License-Identifier: Apache-2.0
// A registration of an OpenGL texture or renderbuffer.
#include "sim/interop/gl/gl_image.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::interop {
namespace {

class ImageResource final : public GraphicsResource {
 public:
  ImageResource(const Ref<gl::ShareGroup>& group, Ref<gl::Image> image, MapFlags flags,
                unsigned array_flags, uint64_t owner)
      : GraphicsResource(group, flags, owner), own_(std::move(image), array_flags) {}

  static Result<Ref<GraphicsResource>> enrol(unsigned name, unsigned target, MapFlags flags,
                                             unsigned array_flags,
                                             const memory::Requester& requester) {
    return GraphicsResource::enrol(
        [&](const Ref<gl::ShareGroup>& group) -> Result<Ref<GraphicsResource>> {
          auto image = TRY(gl::Image::of(group, name, target, late_uses, requester));
          TRY(image->check_flags(array_flags));
          return Ref<GraphicsResource>(make_ref<ImageResource>(group, std::move(image), flags,
                                                               array_flags, requester.owner));
        });
  }

  const memory::Lender& lender() const override { return own_.image(); }
  Ref<device::MipmappedArray> arrays_ever_mapped() const override { return own_.arrays(); }

 private:
  Result<> take(const memory::Requester& requester, MapFlags flags) override {
    return own_.take(requester, {flags != MapFlags::read_only, flags == MapFlags::write_discard});
  }
  Result<> give_back(const memory::Requester& requester) override {
    return own_.give_back(requester);
  }
  bool is_lent() const override { return image().mappings() > 0; }
  gl::LateUse& late_use() override { return image().late_use; }
  void note_late_write_while_lent() override { image().note_write(); }
  bool others_are_registered() const override { return image().registrations() > 1; }
  Result<> copy_late(const memory::Requester& requester) override {
    return image().refresh(requester);
  }
  // An image that was mapped only to be read is not written back, as at unmap.
  Result<> give_back_late(const memory::Requester& requester, bool written) override {
    return written ? image().write_back_late(requester) : Result<>();
  }
  std::optional<gl::Object> object() const override { return image().object(); }
  void retire() override { own_.retire(); }
  void hide() override { own_.revoke(" is deleted: its arrays are no longer valid."); }
  void drop() override { own_.drop(); }
  Ref<const memory::Allocation> memory() const override {
    return Ref<const memory::Allocation>(image().memory().get());
  }

  Result<Ref<device::MipmappedArray>> mapped_arrays() const override { return own_.arrays(); }
  const memory::Allocation* last_use() const override {
    return image().mappings() <= 1 ? image().memory().get() : nullptr;
  }
  gl::Image& image() const { return own_.image(); }

  gl::ImageArrays own_;
};

}  // namespace

Result<> check_gl_image_target(unsigned target) { return gl::Image::check_target(target); }

Result<Ref<GraphicsResource>> register_gl_image(unsigned name, unsigned target, MapFlags flags,
                                                unsigned array_flags,
                                                const memory::Requester& requester) {
  return ImageResource::enrol(name, target, flags, array_flags, requester);
}

}  // namespace cuvette::interop
