// SPDX-License-Identifier: Apache-2.0
// The video instructions: what each computes, and on how many values per register.
#pragma once

#include <cstdint>

#include "sim/ptx/syntax/opcodes.hpp"

namespace cuvette::ptx {

enum class VideoOperation : uint8_t { add, sub, absdiff, avrg, min, max, set, shl, shr, mad };

struct VideoForm {
  VideoOperation operation;
  uint32_t count;  // 1, 2 halves or 4 bytes
};

// Of an opcode with the trait `video`.
VideoForm video_form(Opcode opcode);

}  // namespace cuvette::ptx
