// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/video.hpp"

#include <cstdlib>

namespace cuvette::ptx {

VideoForm video_form(Opcode opcode) {
  using Op = VideoOperation;
  switch (opcode) {
    case Opcode::vadd:
      return {Op::add, 1};
    case Opcode::vadd2:
      return {Op::add, 2};
    case Opcode::vadd4:
      return {Op::add, 4};
    case Opcode::vsub:
      return {Op::sub, 1};
    case Opcode::vsub2:
      return {Op::sub, 2};
    case Opcode::vsub4:
      return {Op::sub, 4};
    case Opcode::vabsdiff:
      return {Op::absdiff, 1};
    case Opcode::vabsdiff2:
      return {Op::absdiff, 2};
    case Opcode::vabsdiff4:
      return {Op::absdiff, 4};
    case Opcode::vavrg2:
      return {Op::avrg, 2};
    case Opcode::vavrg4:
      return {Op::avrg, 4};
    case Opcode::vmin:
      return {Op::min, 1};
    case Opcode::vmin2:
      return {Op::min, 2};
    case Opcode::vmin4:
      return {Op::min, 4};
    case Opcode::vmax:
      return {Op::max, 1};
    case Opcode::vmax2:
      return {Op::max, 2};
    case Opcode::vmax4:
      return {Op::max, 4};
    case Opcode::vset:
      return {Op::set, 1};
    case Opcode::vset2:
      return {Op::set, 2};
    case Opcode::vset4:
      return {Op::set, 4};
    case Opcode::vshl:
      return {Op::shl, 1};
    case Opcode::vshr:
      return {Op::shr, 1};
    case Opcode::vmad:
      return {Op::mad, 1};
    default:
      abort();
  }
}

}  // namespace cuvette::ptx
