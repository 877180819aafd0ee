// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_forms_parts.hpp"
#include "sim/ptx/syntax/video.hpp"

namespace cuvette::ptx::forms {

std::string check_video(const Instruction& i) {
  const VideoForm form = video_form(i.opcode);
  const bool several = form.count > 1, compares = form.operation == VideoOperation::set;
  if (i.types.size() != (compares ? 2 : 3)) return "the number of types is wrong";
  if (compares && count_of(i, {dot::eq, dot::ne, dot::lt, dot::le, dot::gt, dot::ge}) != 1)
    return "it does not say how to compare";
  if (several) return {};
  if (i.opcode == Opcode::vmad) {
    if (count_of(i, {dot::shr7, dot::shr15}) > 1) return "it names two shifts";
    const bool factor = i.operands[1].negated || i.operands[2].negated;
    if (factor && i.operands[3].negated) return "a factor and the addend cannot both be negated";
    if (i.has(dot::po) && (factor || i.operands[3].negated))
      return "with .po nothing can be negated";
    return {};
  }
  if ((i.opcode == Opcode::vshl || i.opcode == Opcode::vshr) &&
      count_of(i, {dot::clamp, dot::wrap}) != 1)
    return ".clamp or .wrap is missing";
  const size_t second = count_of(i, {dot::add, dot::min, dot::max});
  const bool inserts = !i.operands[0].part.empty();
  if (second + inserts > 1) return "it names two operations for the last operand";
  if (second + inserts != (i.operands.size() == 4))
    return "the last operand and its operation come together";
  return {};
}

}  // namespace cuvette::ptx::forms
