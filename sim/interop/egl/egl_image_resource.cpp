// SPDX-License-Identifier: Apache-2.0
// A registration of an EGLImage, reached through our own texture, its sibling.
#include <iterator>

#include "sim/interop/egl/egl.hpp"
#include "sim/interop/gl/gl_image.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/graphics_resource.hpp"
#include "sim/os/process.hpp"

namespace cuvette::interop {
namespace {

using device::ArrayFormat;
namespace array_flag = device::array_flag;

// Whether the driver takes a format that EGL makes images of (measured).
bool format_taken(const device::ArrayDescriptor& descriptor) {
  if (descriptor.channels == 1) return descriptor.format == ArrayFormat::UNSIGNED_INT8;
  return descriptor.channels == 4 && (descriptor.format == ArrayFormat::UNSIGNED_INT8 ||
                                      descriptor.format == ArrayFormat::UNSIGNED_INT16 ||
                                      descriptor.format == ArrayFormat::HALF);
}

// Makes a texture of the current context with the image's storage; 0 if it is not an image.
GLuint sibling_of(const gl::ShareGroup& group, void* image) {
  using Target = void(APIENTRYP)(GLenum target, void* image);
  const auto target_texture =
      reinterpret_cast<Target>(gl::function(group.system(), "glEGLImageTargetTexture2DOES"));
  // Mesa's images are pointers, which it follows before it checks whether they are its own.
  constexpr size_t looked_at = 64;
  if (!target_texture || !os::accessible(reinterpret_cast<uintptr_t>(image), looked_at, false))
    return 0;
  const gl::Functions& gl = group.gl();
  GLint before = 0;
  GLuint texture = 0;
  gl.GetIntegerv(GL_TEXTURE_BINDING_2D, &before);
  gl.GenTextures(1, &texture);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  target_texture(GL_TEXTURE_2D, image);
  gl.BindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before));
  GLint width = 0;
  gl.GetTextureLevelParameteriv(texture, 0, GL_TEXTURE_WIDTH, &width);
  if (width > 0) return texture;
  gl.GetError();  // the error of our own call
  gl.DeleteTextures(1, &texture);
  return 0;
}

class EglImageResource final : public GraphicsResource {
 public:
  EglImageResource(const Ref<gl::ShareGroup>& group, Ref<gl::Image> image, GLuint texture,
                   MapFlags flags, uint64_t owner)
      : GraphicsResource(group, flags, owner),
        group_(group),
        own_(std::move(image), array_flags),
        texture_(texture),
        flags_(flags) {}

  static Result<Ref<GraphicsResource>> enrol(void* egl_image, MapFlags flags,
                                             const memory::Requester& requester) {
    return GraphicsResource::enrol(
        [&](const Ref<gl::ShareGroup>& group) -> Result<Ref<GraphicsResource>> {
          if (!group->capabilities().direct_access)
            return refuse(Error::not_supported, "EGL images need OpenGL 4.5.");
          const GLuint texture = sibling_of(*group, egl_image);
          if (texture == 0) return refuse(Error::unknown, "%p is not an EGLImage.", egl_image);
          auto image = make(group, texture, requester);
          if (!image.ok()) {
            group->gl().DeleteTextures(1, &texture);
            return image.error();
          }
          return Ref<GraphicsResource>(make_ref<EglImageResource>(group, std::move(image).value(),
                                                                  texture, flags, requester.owner));
        });
  }

  const memory::Lender& lender() const override { return own_.image(); }
  Ref<device::MipmappedArray> arrays_ever_mapped() const override { return own_.arrays(); }

 private:
  static constexpr unsigned array_flags = array_flag::surface_ldst | array_flag::texture_gather;

  static Result<Ref<gl::Image>> make(const Ref<gl::ShareGroup>& group, GLuint texture,
                                     const memory::Requester& requester) {
    auto image = TRY(gl::Image::of(group, texture, GL_TEXTURE_2D, late_uses, requester));
    TRY(image->check_flags(array_flags));
    const device::ArrayDescriptor& shape = image->descriptor();
    if (!format_taken(shape))
      return refuse(Error::not_supported,
                    "An EGLImage of %u channels of format %u is not supported.", shape.channels,
                    static_cast<unsigned>(shape.format));
    image->set_name("EGLImage (" + std::to_string(shape.width) + " x " +
                    std::to_string(shape.height) + ")");
    image->need_no_mapping();
    return image;
  }

  bool needs_no_mapping() const override { return true; }
  Result<> copy_frame(const memory::Requester& requester) override {
    return own_.take(requester, {flags_ != MapFlags::read_only, flags_ == MapFlags::write_discard});
  }
  // "cuGraphicsMapResources is not needed": measured, it is an unknown error.
  Result<> take(const memory::Requester&, MapFlags) override {
    return refuse(
        Error::unknown,
        "An EGLImage cannot be mapped: call cuGraphicsResourceGetMappedEglFrame for its frame.");
  }
  Result<> give_back(const memory::Requester& requester) override {
    return own_.give_back(requester);
  }
  void retire() override {
    own_.retire();
    group_->gl().DeleteTextures(1, &texture_);
  }
  void hide() override { own_.revoke(" is deleted: its arrays are no longer valid."); }
  void drop() override { own_.drop(); }
  Ref<const memory::Allocation> memory() const override {
    return Ref<const memory::Allocation>(own_.image().memory().get());
  }
  Result<Ref<device::MipmappedArray>> mapped_arrays() const override {
    if (!own_.arrays())
      return refuse(
          Error::not_mapped,
          "%s must be accessed by its frame: call cuGraphicsResourceGetMappedEglFrame first.",
          own_.image().describe().c_str());
    return own_.arrays();
  }
  const memory::Allocation* last_use() const override { return own_.image().memory().get(); }

  const Ref<gl::ShareGroup> group_;
  gl::ImageArrays own_;
  const GLuint texture_;
  const MapFlags flags_;
};

}  // namespace

Result<Ref<GraphicsResource>> register_egl_image(void* image, MapFlags flags,
                                                 const memory::Requester& requester) {
  return EglImageResource::enrol(image, flags, requester);
}

}  // namespace cuvette::interop
