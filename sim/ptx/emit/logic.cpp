// SPDX-License-Identifier: Apache-2.0
// Comparison, selection, logic.
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {
namespace {

bool can_compare_line(WarpBuilder& w, const Instruction& i, const Value& a, const Value& b);
llvm::Value* compare_line(WarpBuilder& w, llvm::CmpInst::Predicate predicate, const Value& a,
                          const Value& b);
void emit_small_set(WarpBuilder& w, const Instruction& i);

}  // namespace

using llvm::CmpInst;
using llvm::ConstantInt;

namespace {

// Of whole numbers; lo, ls, hi, hs are unsigned for any type.
std::optional<CmpInst::Predicate> integer_comparison(const Instruction& i, bool with_sign) {
  if (i.has(dot::eq)) return CmpInst::ICMP_EQ;
  if (i.has(dot::ne)) return CmpInst::ICMP_NE;
  if (i.has(dot::lo)) return CmpInst::ICMP_ULT;
  if (i.has(dot::ls)) return CmpInst::ICMP_ULE;
  if (i.has(dot::hi)) return CmpInst::ICMP_UGT;
  if (i.has(dot::hs)) return CmpInst::ICMP_UGE;
  if (i.has(dot::lt)) return with_sign ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
  if (i.has(dot::le)) return with_sign ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
  if (i.has(dot::gt)) return with_sign ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
  if (i.has(dot::ge)) return with_sign ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE;
  return {};
}

std::optional<CmpInst::Predicate> float_comparison(const Instruction& i) {
  if (i.has(dot::eq)) return CmpInst::FCMP_OEQ;
  if (i.has(dot::ne)) return CmpInst::FCMP_ONE;
  if (i.has(dot::lt)) return CmpInst::FCMP_OLT;
  if (i.has(dot::le)) return CmpInst::FCMP_OLE;
  if (i.has(dot::gt)) return CmpInst::FCMP_OGT;
  if (i.has(dot::ge)) return CmpInst::FCMP_OGE;
  if (i.has(dot::equ)) return CmpInst::FCMP_UEQ;
  if (i.has(dot::neu)) return CmpInst::FCMP_UNE;
  if (i.has(dot::ltu)) return CmpInst::FCMP_ULT;
  if (i.has(dot::leu)) return CmpInst::FCMP_ULE;
  if (i.has(dot::gtu)) return CmpInst::FCMP_UGT;
  if (i.has(dot::geu)) return CmpInst::FCMP_UGE;
  if (i.has(dot::num)) return CmpInst::FCMP_ORD;
  if (i.has(dot::nan)) return CmpInst::FCMP_UNO;
  return {};
}

}  // namespace

// setp.lt.and.s32 p|q, a, b, c: p = (a < b) and c, q = !(a < b) and c. set.lt.u32.s32 gives all
// ones or 0, and 1.0 or 0.0 where the result is a number with a point.
void emit_set(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool single = type == Type::f32;
  const bool floating = is_floating(type);
  if (is_small(type)) return emit_small_set(w, i);
  const auto predicate = floating ? float_comparison(i) : integer_comparison(i, is_signed(type));
  if (!predicate) return w.unsupported(i);
  const bool combines = i.has(dot::and_) || i.has(dot::or_) || i.has(dot::xor_);
  const Value a = w.read(i.operands[1], type), b = w.read(i.operands[2], type);
  Value c;
  if (combines) c = w.read(i.operands[3], Type::pred);
  const bool once =
      a.shape.is_uniform() && b.shape.is_uniform() && (!combines || c.shape.is_uniform());
  const bool of_line = !once && !floating && can_compare_line(w, i, a, b);
  V* x = once ? a.scalar[0] : of_line ? nullptr : w.vector_of(a);
  V* y = once ? b.scalar[0] : of_line ? nullptr : w.vector_of(b);
  if (i.has(dot::ftz) && single) {
    x = flush(w, x);
    y = flush(w, y);
  }
  V* const holds = of_line    ? compare_line(w, *predicate, a, b)
                   : floating ? w.CreateFCmp(*predicate, x, y)
                              : w.CreateICmp(*predicate, x, y);
  const auto combined = [&](V* one) -> V* {
    if (!combines) return one;
    V* const other = once ? c.scalar[0] : w.vector_of(c);
    if (i.has(dot::and_)) return w.CreateAnd(one, other);
    return i.has(dot::or_) ? w.CreateOr(one, other) : w.CreateXor(one, other);
  };
  const auto as_value = [&](V* value) { return once ? uniform(value) : varying(value); };
  if (i.opcode == Opcode::setp) {
    const Operand& result = i.operands[0];
    if (result.kind != Operand::Kind::vector)
      return w.write(result, as_value(combined(holds)), Type::pred);
    // Both are computed before either is written: an operand may be one of them.
    V* const p = combined(holds);
    V* const q = combined(w.CreateNot(holds));
    w.write(result.elements[0], as_value(p), Type::pred);
    return w.write(result.elements[1], as_value(q), Type::pred);
  }
  const Type to = i.types[0];
  V* const result = combined(holds);
  llvm::Type* const scalar = w.element(to);
  llvm::Type* const wanted = once ? scalar : static_cast<llvm::Type*>(w.vector_type(scalar));
  V* const yes = is_floating(to) ? llvm::ConstantFP::get(wanted, 1.0)
                                 : static_cast<V*>(llvm::Constant::getAllOnesValue(wanted));
  w.write(i.operands[0],
          as_value(w.CreateSelect(result, yes, llvm::Constant::getNullValue(wanted))), to);
}

namespace {

// Whether it is indices of neighbours that are compared with one number, for a branch: `i < n`.
bool can_compare_line(WarpBuilder& w, const Instruction& i, const Value& a, const Value& b) {
  const auto is_line = [](const Value& value) {
    return value.shape.is_affine() && value.shape.linear && value.shape.stride == 1 &&
           !value.shape.stepped;
  };
  if (i.opcode != Opcode::setp || size_of(i.type()) != 4 || i.has(dot::eq) || i.has(dot::ne) ||
      !((is_line(a) && b.shape.is_uniform()) || (is_line(b) && a.shape.is_uniform())))
    return false;
  const Operand& result = i.operands[0];
  return result.kind == Operand::Kind::reg && w.decides(result.index);
}

// The bits of the lanes for which it holds are a run from one end: its length is a difference. Only
// where the indices run over the end of 32 bits lanes are compared one by one.
llvm::Value* compare_line(WarpBuilder& w, llvm::CmpInst::Predicate predicate, const Value& a,
                          const Value& b) {
  const bool swapped = a.shape.is_uniform();
  const Value& line = swapped ? b : a;
  V* const number = swapped ? a.scalar[0] : b.scalar[0];
  if (swapped) predicate = CmpInst::getSwappedPredicate(predicate);
  const bool with_sign = CmpInst::isSigned(predicate);
  llvm::Type* const wide = w.getInt64Ty();
  const auto extend = [&](V* x) {
    return with_sign ? w.CreateSExt(x, wide) : w.CreateZExt(x, wide);
  };
  V* const first = extend(line.scalar[0]);
  const int64_t top = with_sign ? INT32_MAX : UINT32_MAX;
  V* const over = w.CreateICmpSGT(first, w.i64(static_cast<uint64_t>(top - 31)));
  const auto run = [&] {
    const bool inverted = predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT ||
                          predicate == CmpInst::ICMP_SGE || predicate == CmpInst::ICMP_UGE;
    const bool and_equal = predicate == CmpInst::ICMP_SLE || predicate == CmpInst::ICMP_ULE ||
                           predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT;
    V* length = w.CreateSub(extend(number), first);
    if (and_equal) length = w.CreateAdd(length, w.i64(1));
    length = w.CreateBinaryIntrinsic(llvm::Intrinsic::smax, length, w.i64(0));
    length = w.CreateBinaryIntrinsic(llvm::Intrinsic::smin, length, w.i64(warp_size));
    V* const bits =
        w.CreateTrunc(w.CreateSub(w.CreateShl(w.i64(1), length), w.i64(1)), w.getInt32Ty());
    return inverted ? w.CreateNot(bits) : bits;
  };
  if (w.at.straight) {
    w.leave_straight(over);
    return w.mask_of(run());
  }
  llvm::BasicBlock* each = w.new_block("each");
  llvm::BasicBlock* at_once = w.new_block("run");
  llvm::BasicBlock* const behind = w.new_block("compared");
  w.unlikely(w.CreateCondBr(over, each, at_once));
  w.SetInsertPoint(each);
  Value cold = line;
  cold.scalar[0] = w.opaque(line.scalar[0]);
  V* const one_by_one = w.bits_of(w.CreateICmp(predicate, w.vector_of(cold), w.splat(number)));
  w.CreateBr(behind);
  w.SetInsertPoint(at_once);
  V* const together = run();
  w.CreateBr(behind);
  w.SetInsertPoint(behind);
  llvm::PHINode* const bits = w.CreatePHI(w.getInt32Ty(), 2);
  bits->addIncoming(one_by_one, each);
  bits->addIncoming(together, at_once);
  return w.mask_of(bits);
}

// Numbers of 16 bits. With two of them each half is compared: setp's two results are for the lower
// and the upper half.
void emit_small_set(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool pair = size_of(type) == 4;
  const auto predicate = float_comparison(i);
  if (!predicate) return w.unsupported(i);
  const Format format = format_of(type);
  const Type bits = pair ? Type::b32 : Type::b16;
  V* const a = w.read_vector(i.operands[1], bits);
  V* const b = w.read_vector(i.operands[2], bits);
  const bool combines = i.has(dot::and_) || i.has(dot::or_) || i.has(dot::xor_);
  V* const other = combines ? w.read_vector(i.operands[3], Type::pred) : nullptr;
  const auto holds = [&](bool upper) -> V* {
    const auto number = [&](V* value) {
      if (upper) value = w.CreateLShr(value, ConstantInt::get(value->getType(), 16));
      V* part = w.CreateTrunc(value, like(w, value, w.getInt16Ty()));
      if (i.has(dot::ftz)) part = flush_small(w, part, format);
      return widen(w, part, format);
    };
    V* const one = w.CreateFCmp(*predicate, number(a), number(b));
    if (!combines) return one;
    if (i.has(dot::and_)) return w.CreateAnd(one, other);
    return i.has(dot::or_) ? w.CreateOr(one, other) : w.CreateXor(one, other);
  };
  if (i.opcode == Opcode::setp) {
    const Operand& result = i.operands[0];
    if (result.kind != Operand::Kind::vector)
      return pair ? w.unsupported(i) : w.write(result, varying(holds(false)), Type::pred);
    if (!pair) return w.unsupported(i);
    V* const low = holds(false);
    V* const high = holds(true);
    w.write(result.elements[0], varying(low), Type::pred);
    return w.write(result.elements[1], varying(high), Type::pred);
  }
  // 1.0, or all ones where the result is a whole number: of a pair each half has its own.
  const Type to = i.types[0];
  const Type held = size_of(to) == 2 ? Type::b16 : Type::b32;
  llvm::Type* const target = w.vector_type(w.element(held));
  const uint64_t one = is_small(to)      ? format_of(to).bias() << format_of(to).mantissa
                       : to == Type::f32 ? 0x3f800000
                                         : UINT32_MAX;
  const auto value = [&](bool upper) {
    const uint64_t yes = !is_small(to) && (pair || size_of(to) == 2) ? one & 0xffff : one;
    return w.CreateSelect(holds(upper), ConstantInt::get(target, upper ? yes << 16 : yes),
                          llvm::Constant::getNullValue(target));
  };
  V* result = value(false);
  if (pair) result = w.CreateOr(result, value(true));
  w.write(i.operands[0], varying(result), held);
}

}  // namespace

void emit_select(WarpBuilder& w, const Instruction& i) {
  const Type type = i.opcode == Opcode::selp ? i.type() : i.types[0];
  if (i.opcode == Opcode::selp)
    return w.elementwise(i, {type, type, Type::pred}, type, [&](const std::vector<V*>& v) {
      return w.CreateSelect(v[2], v[0], v[1]);
    });
  // slct: a where c >= 0, else b.
  const Type by = i.types[1];
  w.elementwise(i, {type, type, by}, type, [&](const std::vector<V*>& v) {
    V* c = v[2];
    if (by == Type::f32 && i.has(dot::ftz)) c = flush(w, c);
    V* const zero = llvm::Constant::getNullValue(c->getType());
    V* const holds = by == Type::f32 ? w.CreateFCmpOGE(c, zero) : w.CreateICmpSGE(c, zero);
    return w.CreateSelect(holds, v[0], v[1]);
  });
}

namespace {

// One term for each row of the table that is 1; LLVM makes the shortest of it.
llvm::Value* by_table(WarpBuilder& w, const std::vector<V*>& v, uint64_t table) {
  V* result = llvm::Constant::getNullValue(v[0]->getType());
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table >> row & 1)) continue;
    const auto literal = [&](unsigned operand) {
      return row >> (2 - operand) & 1 ? v[operand] : w.CreateNot(v[operand]);
    };
    result = w.CreateOr(result, w.CreateAnd(literal(0), w.CreateAnd(literal(1), literal(2))));
  }
  return result;
}

// lop3.or.b32 d|p, a, b, c, table, q: p = d != 0 or q.
void emit_lop3_predicate(WarpBuilder& w, const Instruction& i, uint64_t table) {
  const Operand& result = i.operands[0];
  if (result.kind != Operand::Kind::vector || i.operands.size() < 6) return w.unsupported(i);
  std::vector<V*> v;
  for (size_t n = 1; n < 4; ++n) v.push_back(w.read_vector(i.operands[n], Type::b32));
  V* const q = w.read_vector(i.operands[5], Type::pred);
  V* const word = by_table(w, v, table);
  V* const some = w.CreateICmpNE(word, llvm::Constant::getNullValue(word->getType()));
  w.write(result.elements[0], varying(word), Type::b32);
  w.write(result.elements[1], varying(i.has(dot::or_) ? w.CreateOr(some, q) : w.CreateAnd(some, q)),
          Type::pred);
}

}  // namespace

void emit_logic(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const Opcode op = i.opcode;
  if (op == Opcode::lop3) {
    const uint64_t table = i.operands[4].bits;
    if (i.has(dot::and_) || i.has(dot::or_)) return emit_lop3_predicate(w, i, table);
    return w.elementwise(i, {type, type, type}, type,
                         [&](const std::vector<V*>& v) { return by_table(w, v, table); });
  }
  if (op == Opcode::not_)
    return w.elementwise(i, {type}, type,
                         [&](const std::vector<V*>& v) { return w.CreateNot(v[0]); });
  if (op == Opcode::cnot)
    return w.elementwise(i, {type}, type, [&](const std::vector<V*>& v) {
      V* const zero = llvm::Constant::getNullValue(v[0]->getType());
      return w.CreateZExt(w.CreateICmpEQ(v[0], zero), v[0]->getType());
    });
  // The number of the lane, where a thread's index has been cut down to it.
  const Shape shape = w.shape_of_result(i);
  if (op == Opcode::and_ && shape.is_affine() && shape.stride == 1) {
    Value lane = uniform(ConstantInt::get(w.element(type), 0));
    lane.shape.stride = 1;
    return w.write(i.operands[0], lane, type);
  }
  w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
    if (op == Opcode::and_) return w.CreateAnd(v[0], v[1]);
    return op == Opcode::or_ ? w.CreateOr(v[0], v[1]) : w.CreateXor(v[0], v[1]);
  });
}

}  // namespace cuvette::ptx
