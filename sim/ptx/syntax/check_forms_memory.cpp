// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_forms_parts.hpp"

namespace cuvette::ptx::forms {

std::string check_access(const Instruction& i) {
  const TypeKind kind = kind_of(i.type());
  if (kind == TypeKind::predicate || kind == TypeKind::opaque)
    return "nothing in memory is of this type";
  return {};
}

std::string check_atomic(const Instruction& i) {
  if (i.has(dot::async)) return "this is for clusters of several blocks: it is not implemented";
  if (count_of(i, {dot::add, dot::and_, dot::or_, dot::xor_, dot::cas, dot::exch, dot::inc,
                   dot::dec, dot::min, dot::max}) != 1)
    return "it does not say what to do";
  const bool returns = i.opcode == Opcode::atom;
  if (returns && length_of(i.operands[0]) != length_of(i.operands[2]) &&
      i.operands[0].kind != Operand::Kind::sink)
    return "these vectors are of different lengths";
  return {};
}

std::string check_copy(const Instruction& i, const Operands& operands) {
  const size_t count = operands.count();
  if (i.has_any({dot::commit_group, dot::wait_all})) return count == 0 ? "" : wrong_operands;
  if (i.has(dot::wait_group)) return count == 1 && operands.reads(0, 4) ? "" : wrong_operands;
  if (i.has(dot::bulk)) {
    const bool counted = i.has(dot::mbarrier_complete_tx_bytes);
    if (!counted && !i.has(dot::bulk_group))
      return "it does not say how its completion is signalled";
    if (!operands.is_address(0) || !operands.is_address(1) || !operands.reads(2, 4) ||
        (counted && !operands.is_address(3)))
      return wrong_operands;
    if (!i.has(dot::global) || !i.has_any({dot::shared_cluster, dot::shared_cta}))
      return "copies between the blocks of a cluster are not implemented";
    return {};
  }
  if (i.has(dot::mbarrier)) return count == 1 && operands.is_address(0) ? "" : wrong_operands;
  if (!operands.is_address(0) || !operands.is_address(1) || count < 3) return wrong_operands;
  const Operand& size = i.operands[2];
  if (size.kind != Operand::Kind::immediate ||
      (size.bits != 4 && size.bits != 8 && size.bits != 16))
    return "a copy is of 4, 8 or 16 bytes";
  const size_t hint = i.has(dot::L2_cache_hint);
  if (count > 4 + hint || count < 3 + hint || (count == 4 + hint && !operands.reads(3, 4)) ||
      (hint && !operands.reads(count - 1, 8)))
    return wrong_operands;
  return {};
}

std::string check_mbarrier(const Instruction& i, const Operands& operands) {
  const size_t count = operands.count();
  const auto when = [](bool right) { return std::string(right ? "" : wrong_operands); };
  if (!i.types.empty() && i.type() != Type::b64) return "an mbarrier has 64 bits";
  if (i.has(dot::pending_count))
    return when(count == 2 && operands.writes(0, 4) && operands.reads(1, 8));
  if (i.has(dot::inval)) return when(count == 1 && operands.is_address(0));
  if (i.has_any({dot::test_wait, dot::try_wait}))
    return when(operands.writes_predicate(0) && operands.is_address(1) &&
                operands.reads(2, i.has(dot::parity) ? 4 : 8) &&
                (count == 3 || (count == 4 && i.has(dot::try_wait) && operands.reads(3, 4))));
  if (i.has_any({dot::arrive, dot::arrive_drop})) {
    const size_t at = operands.is_address(0) ? 0 : 1;
    return when((at == 0 || operands.writes(0, 8)) && operands.is_address(at) &&
                (count == at + 1 || (count == at + 2 && operands.reads(at + 1, 4))));
  }
  if (i.has_any({dot::init, dot::expect_tx, dot::complete_tx}))
    return when(count == 2 && operands.is_address(0) && operands.reads(1, 4));
  return "it does not say what to do";
}

std::string check_barrier(const Instruction& i, const Operands& operands) {
  const size_t count = operands.count();
  const auto when = [](bool right) { return std::string(right ? "" : wrong_operands); };
  if (i.has(dot::cluster)) return when(count == 0);
  if (i.has(dot::warp)) return when(count == 1 && operands.reads(0, 4));
  if (i.has(dot::red)) {
    const bool counts = i.has(dot::popc);
    if (count_of(i, {dot::popc, dot::and_, dot::or_}) != 1) return "it does not say what to count";
    return when((counts ? operands.writes(0, 4) : operands.writes_predicate(0)) &&
                operands.reads(1, 4) && (count == 3 || (count == 4 && operands.reads(2, 4))) &&
                operands.reads_predicate(count - 1));
  }
  const bool arrives = i.has(dot::arrive);
  if (i.has_any({dot::popc, dot::and_, dot::or_})) return "this is for .red";
  return when(operands.reads(0, 4) && (count == 1 ? !arrives : count == 2 && operands.reads(1, 4)));
}

std::string check_vote(const Instruction& i, const Operands& operands) {
  if (count_of(i, {dot::all, dot::any, dot::uni, dot::ballot}) != 1)
    return "it does not say what to vote";
  const bool right = i.has(dot::ballot) ? operands.writes(0, 4) : operands.writes_predicate(0);
  return right ? "" : wrong_operands;
}

}  // namespace cuvette::ptx::forms
