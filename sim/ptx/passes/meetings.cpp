// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {

bool may_wait(const Instruction& instruction) {
  const std::string_view op = instruction.opcode;
  return (op == "atom" && (instruction.has("cas") || instruction.has("exch"))) ||
         (op == "ld" && (instruction.has("volatile") || instruction.has("relaxed") ||
                         instruction.has("acquire"))) ||
         op == "nanosleep" ||
         (op == "mbarrier" && (instruction.has("try_wait") || instruction.has("test_wait")));
}

bool gathers(const Instruction& instruction) {
  const std::string_view op = instruction.opcode;
  const auto names_all = [&] {
    if (instruction.operands.empty()) return false;
    const Operand& members = instruction.operands.back();
    return members.kind == Operand::Kind::immediate &&
           static_cast<uint32_t>(members.bits) == UINT32_MAX;
  };
  if (instruction.predicate) return false;
  if (op == "bar" || op == "barrier")
    return instruction.has("warp") ? names_all() : !instruction.has("arrive");
  if (op == "shfl" || op == "vote" || op == "match" || op == "redux")
    return instruction.has("sync") && names_all();
  return op == "mma" || op == "wmma" || op == "ldmatrix" || op == "stmatrix" || op == "movmatrix";
}

}  // namespace cuvette::ptx
