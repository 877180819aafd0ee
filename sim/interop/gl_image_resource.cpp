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
                uint64_t owner)
      : GraphicsResource(group, flags, owner), image_(std::move(image)) {}

  static Result<Ref<GraphicsResource>> enrol(unsigned name, unsigned target, MapFlags flags,
                                             unsigned array_flags,
                                             const memory::Requester& requester) {
    return GraphicsResource::enrol(
        [&](const Ref<gl::ShareGroup>& group) -> Result<Ref<GraphicsResource>> {
          auto image =
              TRY(gl::Image::of(group, name, target, array_flags, late_uses, requester.call_site));
          return Ref<GraphicsResource>(
              make_ref<ImageResource>(group, std::move(image), flags, requester.owner));
        });
  }

  const memory::Lender& lender() const override { return *image_; }
  Ref<device::MipmappedArray> arrays_ever_mapped() const override { return image_->arrays(); }

 private:
  Result<> take(const memory::Requester& requester, MapFlags flags) override {
    written_ = flags != MapFlags::read_only;
    image_->read_only.store(!written_, std::memory_order_relaxed);
    return image_->take(requester, flags == MapFlags::write_discard);
  }
  Result<> give_back(const memory::Requester& requester) override {
    return image_->give_back(requester, written_);
  }
  Result<> copy_late(const memory::Requester& requester) override {
    return image_->refresh(requester);
  }
  // An image that was mapped only to be read is not written back, as at unmap.
  Result<> give_back_late(const memory::Requester& requester, bool written) override {
    return written && written_ ? image_->write_back(requester) : Result<>();
  }
  std::optional<gl::Object> object() const override { return image_->object(); }
  void retire() override { image_->retire(); }

  Result<Ref<device::MipmappedArray>> mapped_arrays() const override { return image_->arrays(); }
  const memory::Allocation* last_use() const override { return image_->memory(); }

  const Ref<gl::Image> image_;
  bool written_ = true;  // as far as the map flags say
};

}  // namespace

Result<> check_gl_image_target(unsigned target) { return gl::Image::check_target(target); }

Result<Ref<GraphicsResource>> register_gl_image(unsigned name, unsigned target, MapFlags flags,
                                                unsigned array_flags,
                                                const memory::Requester& requester) {
  return ImageResource::enrol(name, target, flags, array_flags, requester);
}

}  // namespace cuvette::interop
