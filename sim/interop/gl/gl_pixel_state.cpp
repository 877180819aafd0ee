// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/gl_pixel_state.hpp"

namespace cuvette::interop::gl {
namespace {

// The names of a state for the two directions, and its value for rows without gaps.
struct Stored {
  GLenum pack, unpack;
  GLint plain;
};
constexpr Stored stores[] = {
    {GL_PACK_ALIGNMENT, GL_UNPACK_ALIGNMENT, 1},
    {GL_PACK_ROW_LENGTH, GL_UNPACK_ROW_LENGTH, 0},
    {GL_PACK_IMAGE_HEIGHT, GL_UNPACK_IMAGE_HEIGHT, 0},
    {GL_PACK_SKIP_PIXELS, GL_UNPACK_SKIP_PIXELS, 0},
    {GL_PACK_SKIP_ROWS, GL_UNPACK_SKIP_ROWS, 0},
    {GL_PACK_SKIP_IMAGES, GL_UNPACK_SKIP_IMAGES, 0},
    {GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES, 0},
    {GL_PACK_LSB_FIRST, GL_UNPACK_LSB_FIRST, 0},
};

// Scale and bias of red, green, blue and alpha, and whether colours go through a map. They are
// given as numbers, because the core profile has no names for them.
struct Transferred {
  GLenum name;
  GLfloat plain;
};
constexpr Transferred transfers[] = {
    {0x0D14, 1}, {0x0D15, 0}, {0x0D18, 1}, {0x0D19, 0}, {0x0D1A, 1},
    {0x0D1B, 0}, {0x0D1C, 1}, {0x0D1D, 0}, {0x0D10, 0}, {0x0D11, 0},
};

}  // namespace

PixelState::PixelState(const Functions& gl, Way way, bool legacy)
    : gl_(gl), way_(way), legacy_(legacy) {
  static_assert(sizeof stores / sizeof *stores == stored);
  static_assert(sizeof transfers / sizeof *transfers == transferred);
  const bool pack = way_ == Way::pack;
  for (size_t i = 0; i < stored; ++i) {
    const GLenum name = pack ? stores[i].pack : stores[i].unpack;
    gl_.GetIntegerv(name, &stored_[i]);
    if (stored_[i] != stores[i].plain) gl_.PixelStorei(name, stores[i].plain);
  }
  gl_.GetIntegerv(pack ? GL_PIXEL_PACK_BUFFER_BINDING : GL_PIXEL_UNPACK_BUFFER_BINDING, &buffer_);
  if (buffer_) gl_.BindBuffer(pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER, 0);
  if (!legacy_) return;
  for (size_t i = 0; i < transferred; ++i) {
    gl_.GetFloatv(transfers[i].name, &transferred_[i]);
    if (transferred_[i] != transfers[i].plain)
      gl_.PixelTransferf(transfers[i].name, transfers[i].plain);
  }
}

PixelState::~PixelState() {
  const bool pack = way_ == Way::pack;
  for (size_t i = 0; i < stored; ++i)
    if (stored_[i] != stores[i].plain)
      gl_.PixelStorei(pack ? stores[i].pack : stores[i].unpack, stored_[i]);
  if (buffer_)
    gl_.BindBuffer(pack ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER,
                   static_cast<GLuint>(buffer_));
  if (!legacy_) return;
  for (size_t i = 0; i < transferred; ++i)
    if (transferred_[i] != transfers[i].plain)
      gl_.PixelTransferf(transfers[i].name, transferred_[i]);
}

}  // namespace cuvette::interop::gl
