// SPDX-License-Identifier: Apache-2.0
// A registration of an OpenGL buffer object.
#include "sim/interop/gl/gl_buffer.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::interop {
namespace {

class BufferResource final : public GraphicsResource {
 public:
  BufferResource(const Ref<gl::ShareGroup>& group, Ref<gl::Buffer> buffer, MapFlags flags,
                 uint64_t owner)
      : GraphicsResource(group, flags, owner), buffer_(std::move(buffer)) {
    buffer_->add_registration();
  }

  static Result<Ref<GraphicsResource>> enrol(unsigned name, MapFlags flags,
                                             const memory::Requester& requester) {
    return GraphicsResource::enrol(
        [&](const Ref<gl::ShareGroup>& group) -> Result<Ref<GraphicsResource>> {
          auto buffer = TRY(gl::Buffer::of(group, name, &withdraw_if_ended, requester.call_site));
          return Ref<GraphicsResource>(
              make_ref<BufferResource>(group, std::move(buffer), flags, requester.owner));
        });
  }

  const memory::Lender& lender() const override { return *buffer_; }

 private:
  Result<> take(const memory::Requester& requester, MapFlags flags) override {
    return buffer_->map(requester, flags == MapFlags::read_only, flags == MapFlags::write_discard);
  }
  Result<> give_back(const memory::Requester& requester) override {
    return buffer_->unmap(requester);
  }
  bool is_lent() const override { return buffer_->mappings() > 0; }
  std::optional<gl::Object> object() const override {
    return gl::Object{gl::Object::Kind::buffer, buffer_->name()};
  }
  void retire() override { buffer_->remove_registration(); }
  void lose() override { buffer_->lose(); }
  void hide() override { buffer_->hide(); }
  void drop() override { buffer_->drop(); }
  Ref<const memory::Allocation> memory() const override {
    return Ref<const memory::Allocation>(buffer_->allocation().get());
  }

  Result<MappedPointer> mapped_pointer() const override {
    return MappedPointer{buffer_->allocation()->address, buffer_->size()};
  }
  const memory::Allocation* last_use() const override {
    return buffer_->mappings() == 1 ? buffer_->allocation().get() : nullptr;
  }

  const Ref<gl::Buffer> buffer_;
};

}  // namespace

Result<Ref<GraphicsResource>> register_gl_buffer(unsigned name, MapFlags flags,
                                                 const memory::Requester& requester) {
  return BufferResource::enrol(name, flags, requester);
}

}  // namespace cuvette::interop
