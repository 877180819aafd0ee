// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/misuse.hpp"

#include "sim/device/stream/observer.hpp"

namespace cuvette::device {

const char* misuse::words_of(TextureHandle::State state) {
  switch (state) {
    case TextureHandle::State::null:
      return "which is a null handle";
    case TextureHandle::State::unbound:
      return "a reference that was bound to nothing when the kernel was launched";
    case TextureHandle::State::destroyed_after:
      return "which was destroyed after the kernel was launched";
    case TextureHandle::State::destroyed_before:
      return "which was destroyed before the kernel was launched";
    case TextureHandle::State::of_unmapped_image:
      return "which belongs to an image that is unmapped";
    case TextureHandle::State::without_array:
      break;
  }
  return "whose array was destroyed";
}

void notify_misuse(const Misuse& misuse) { observers().notify(&Observer::misused, misuse); }

}  // namespace cuvette::device
