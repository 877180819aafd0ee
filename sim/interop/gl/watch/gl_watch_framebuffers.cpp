// SPDX-License-Identifier: Apache-2.0
// Finds what a call uses of framebuffers: only colours, because CUDA takes no depth and no stencil.
#include "sim/interop/gl/watch/gl_watch_uses.hpp"

namespace cuvette::interop::gl {
namespace {

constexpr GLenum first_colour = GL_COLOR_ATTACHMENT0;
constexpr GLenum last_colour = GL_COLOR_ATTACHMENT31;

bool is_colour(GLenum attachment) {
  return attachment >= first_colour && attachment <= last_colour;
}

}  // namespace

// `rasterised`: fragments or clears write, which rasterizer discard switches off.
void Uses::look_at_draw_buffers(unsigned index, bool rasterised) {
  if (integer(GL_DRAW_FRAMEBUFFER_BINDING) == 0) return;  // the window's
  if (rasterised && enabled(GL_RASTERIZER_DISCARD)) return;
  const auto count = static_cast<unsigned>(integer(GL_MAX_DRAW_BUFFERS));
  for (unsigned i = 0; i < count; ++i) {
    if (index != Touch::all && index != i) continue;
    const auto attachment = static_cast<GLenum>(integer(GL_DRAW_BUFFER0 + i));
    if (!is_colour(attachment)) continue;
    GLboolean written[4] = {};
    if (has(30, 32)) {
      gl_.GetBooleani_v(GL_COLOR_WRITEMASK, i, written);
    } else {
      gl_.GetBooleanv(GL_COLOR_WRITEMASK, written);
    }
    if (rasterised && !written[0] && !written[1] && !written[2] && !written[3]) continue;
    look_at_attachment(GL_DRAW_FRAMEBUFFER, attachment);
  }
}

void Uses::look_at_read_buffer() {
  if (integer(GL_READ_FRAMEBUFFER_BINDING) == 0) return;
  const auto attachment = static_cast<GLenum>(integer(GL_READ_BUFFER));
  if (is_colour(attachment)) look_at_attachment(GL_READ_FRAMEBUFFER, attachment);
}

void Uses::look_at_attachments(GLenum target, const Touch& touch) {
  const bool read = target == GL_READ_FRAMEBUFFER;
  if (!read && target != GL_DRAW_FRAMEBUFFER && target != GL_FRAMEBUFFER) return;
  if (integer(read ? GL_READ_FRAMEBUFFER_BINDING : GL_DRAW_FRAMEBUFFER_BINDING) == 0) return;
  const auto most = static_cast<GLenum>(integer(GL_MAX_COLOR_ATTACHMENTS));
  for (uint32_t i = 0; i < touch.index; ++i)
    if (is_colour(touch.list[i]) && touch.list[i] - first_colour < most)
      look_at_attachment(read ? GL_READ_FRAMEBUFFER : GL_DRAW_FRAMEBUFFER, touch.list[i]);
}

void Uses::look_at_attachment(GLenum target, GLenum attachment) {
  const auto get = [&](GLenum which) {
    GLint value = 0;
    gl_.GetFramebufferAttachmentParameteriv(target, attachment, which, &value);
    return static_cast<GLuint>(value);
  };
  const GLenum type = get(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
  if (type != GL_TEXTURE && type != GL_RENDERBUFFER) return;
  const auto kind = type == GL_TEXTURE ? Object::Kind::texture : Object::Kind::renderbuffer;
  see({kind, get(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME)}, [&] {
    return "colour attachment " + std::to_string(attachment - first_colour) + " of the " +
           (target == GL_READ_FRAMEBUFFER ? "read" : "draw") + " framebuffer";
  });
}

}  // namespace cuvette::interop::gl
