// SPDX-License-Identifier: Apache-2.0
// Comparison, selection, logic, shifts, permutation of bytes.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::CmpInst;
using llvm::ConstantInt;

namespace {

// Of whole numbers; lo, ls, hi, hs are without sign whatever the type.
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
void Emitter::emit_set(const Instruction& i) {
  const Type type = i.type();
  const bool single = type == Type::f32;
  const bool floating = is_floating(type);
  if (is_small(type)) return emit_small_set(i);
  const auto predicate = floating ? float_comparison(i) : integer_comparison(i, is_signed(type));
  if (!predicate) return unsupported(i);
  const bool combines = i.has(dot::and_) || i.has(dot::or_) || i.has(dot::xor_);
  const Value a = read(i.operands[1], type), b = read(i.operands[2], type);
  Value c;
  if (combines) c = read(i.operands[3], Type::pred);
  const bool once =
      a.shape.is_uniform() && b.shape.is_uniform() && (!combines || c.shape.is_uniform());
  const bool of_line = !once && !floating && can_compare_line(i, a, b);
  V* x = once ? a.scalar[0] : of_line ? nullptr : vector_of(a);
  V* y = once ? b.scalar[0] : of_line ? nullptr : vector_of(b);
  if (i.has(dot::ftz) && single) {
    x = flush(x);
    y = flush(y);
  }
  V* const holds = of_line    ? compare_line(*predicate, a, b)
                   : floating ? builder_.CreateFCmp(*predicate, x, y)
                              : builder_.CreateICmp(*predicate, x, y);
  const auto combined = [&](V* one) -> V* {
    if (!combines) return one;
    V* const other = once ? c.scalar[0] : vector_of(c);
    if (i.has(dot::and_)) return builder_.CreateAnd(one, other);
    return i.has(dot::or_) ? builder_.CreateOr(one, other) : builder_.CreateXor(one, other);
  };
  const auto as_value = [&](V* value) { return once ? uniform(value) : varying(value); };
  if (i.opcode == Opcode::setp) {
    const Operand& result = i.operands[0];
    if (result.kind != Operand::Kind::vector)
      return write(result, as_value(combined(holds)), Type::pred);
    // Both are computed before either is written: an operand may be one of them.
    V* const p = combined(holds);
    V* const q = combined(builder_.CreateNot(holds));
    write(result.elements[0], as_value(p), Type::pred);
    return write(result.elements[1], as_value(q), Type::pred);
  }
  const Type to = i.types[0];
  V* const result = combined(holds);
  llvm::Type* const scalar = element(to);
  llvm::Type* const wanted = once ? scalar : static_cast<llvm::Type*>(vector_type(scalar));
  V* const yes = is_floating(to) ? llvm::ConstantFP::get(wanted, 1.0)
                                 : static_cast<V*>(llvm::Constant::getAllOnesValue(wanted));
  write(i.operands[0],
        as_value(builder_.CreateSelect(result, yes, llvm::Constant::getNullValue(wanted))), to);
}

// Whether it is indices of neighbours that are compared with one number, for a branch: `i < n`.
bool Emitter::can_compare_line(const Instruction& i, const Value& a, const Value& b) {
  const auto is_line = [](const Value& value) {
    return value.shape.is_affine() && value.shape.linear && value.shape.stride == 1 &&
           !value.shape.stepped;
  };
  if (i.opcode != Opcode::setp || size_of(i.type()) != 4 || i.has(dot::eq) || i.has(dot::ne) ||
      !((is_line(a) && b.shape.is_uniform()) || (is_line(b) && a.shape.is_uniform())))
    return false;
  const Operand& result = i.operands[0];
  return result.kind == Operand::Kind::reg && decides(result.index);
}

// Predicates that branches depend on, and what those are made of.
bool Emitter::decides(uint32_t reg) {
  if (!decides_.empty()) return decides_[reg];
  decides_.assign(body_.registers.size() + 1, false);
  for (const Block& block : flow_.blocks)
    if (block.has_terminator && body_.instructions[block.end - 1].predicate)
      decides_[*body_.instructions[block.end - 1].predicate] = true;
  for (size_t n = body_.instructions.size(); n-- > 0;) {
    const Instruction& i = body_.instructions[n];
    if (i.type() != Type::pred || i.operands.empty() || i.operands[0].kind != Operand::Kind::reg ||
        !decides_[i.operands[0].index])
      continue;
    for (const Operand& operand : i.operands)
      if (operand.kind == Operand::Kind::reg) decides_[operand.index] = true;
  }
  return decides_[reg];
}

// The bits of the lanes for which it holds are a run from one end: its length is a difference. Only
// where the indices run over the end of 32 bits lanes are compared one by one.
llvm::Value* Emitter::compare_line(CmpInst::Predicate predicate, const Value& a, const Value& b) {
  const bool swapped = a.shape.is_uniform();
  const Value& line = swapped ? b : a;
  V* const number = swapped ? a.scalar[0] : b.scalar[0];
  if (swapped) predicate = CmpInst::getSwappedPredicate(predicate);
  const bool with_sign = CmpInst::isSigned(predicate);
  llvm::Type* const wide = builder_.getInt64Ty();
  const auto extend = [&](V* x) {
    return with_sign ? builder_.CreateSExt(x, wide) : builder_.CreateZExt(x, wide);
  };
  V* const first = extend(line.scalar[0]);
  const int64_t top = with_sign ? INT32_MAX : UINT32_MAX;
  V* const over = builder_.CreateICmpSGT(first, i64(static_cast<uint64_t>(top - 31)));
  const auto run = [&] {
    const bool inverted = predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT ||
                          predicate == CmpInst::ICMP_SGE || predicate == CmpInst::ICMP_UGE;
    const bool and_equal = predicate == CmpInst::ICMP_SLE || predicate == CmpInst::ICMP_ULE ||
                           predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT;
    V* length = builder_.CreateSub(extend(number), first);
    if (and_equal) length = builder_.CreateAdd(length, i64(1));
    length = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, length, i64(0));
    length = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, length, i64(warp_size));
    V* const bits = builder_.CreateTrunc(
        builder_.CreateSub(builder_.CreateShl(i64(1), length), i64(1)), builder_.getInt32Ty());
    return inverted ? builder_.CreateNot(bits) : bits;
  };
  if (straight_) {
    leave_straight(over);
    return mask_of(run());
  }
  llvm::BasicBlock* each = new_block("each");
  llvm::BasicBlock* at_once = new_block("run");
  llvm::BasicBlock* const behind = new_block("compared");
  unlikely(builder_.CreateCondBr(over, each, at_once));
  builder_.SetInsertPoint(each);
  Value cold = line;
  cold.scalar[0] = opaque(line.scalar[0]);
  V* const one_by_one = bits_of(builder_.CreateICmp(predicate, vector_of(cold), splat(number)));
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(at_once);
  V* const together = run();
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
  llvm::PHINode* const bits = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  bits->addIncoming(one_by_one, each);
  bits->addIncoming(together, at_once);
  return mask_of(bits);
}

// Numbers of 16 bits. With two of them each half is compared: setp's two results are those of the
// lower and of the upper half.
void Emitter::emit_small_set(const Instruction& i) {
  const Type type = i.type();
  const bool pair = size_of(type) == 4;
  const auto predicate = float_comparison(i);
  if (!predicate) return unsupported(i);
  const Format format = format_of(type);
  const Type bits = pair ? Type::b32 : Type::b16;
  V* const a = read_vector(i.operands[1], bits);
  V* const b = read_vector(i.operands[2], bits);
  const bool combines = i.has(dot::and_) || i.has(dot::or_) || i.has(dot::xor_);
  V* const other = combines ? read_vector(i.operands[3], Type::pred) : nullptr;
  const auto holds = [&](bool upper) -> V* {
    const auto number = [&](V* value) {
      if (upper) value = builder_.CreateLShr(value, ConstantInt::get(value->getType(), 16));
      V* part = builder_.CreateTrunc(value, like(value, builder_.getInt16Ty()));
      if (i.has(dot::ftz)) part = flush_small(part, format);
      return widen(part, format);
    };
    V* const one = builder_.CreateFCmp(*predicate, number(a), number(b));
    if (!combines) return one;
    if (i.has(dot::and_)) return builder_.CreateAnd(one, other);
    return i.has(dot::or_) ? builder_.CreateOr(one, other) : builder_.CreateXor(one, other);
  };
  if (i.opcode == Opcode::setp) {
    const Operand& result = i.operands[0];
    if (result.kind != Operand::Kind::vector)
      return pair ? unsupported(i) : write(result, varying(holds(false)), Type::pred);
    if (!pair) return unsupported(i);
    V* const low = holds(false);
    V* const high = holds(true);
    write(result.elements[0], varying(low), Type::pred);
    return write(result.elements[1], varying(high), Type::pred);
  }
  // 1.0, or all ones where the result is a whole number: of a pair each half has its own.
  const Type to = i.types[0];
  const Type held = size_of(to) == 2 ? Type::b16 : Type::b32;
  llvm::Type* const target = vector_type(element(held));
  const uint64_t one = is_small(to)      ? format_of(to).bias() << format_of(to).mantissa
                       : to == Type::f32 ? 0x3f800000
                                         : UINT32_MAX;
  const auto value = [&](bool upper) {
    const uint64_t yes = !is_small(to) && (pair || size_of(to) == 2) ? one & 0xffff : one;
    return builder_.CreateSelect(holds(upper), ConstantInt::get(target, upper ? yes << 16 : yes),
                                 llvm::Constant::getNullValue(target));
  };
  V* result = value(false);
  if (pair) result = builder_.CreateOr(result, value(true));
  write(i.operands[0], varying(result), held);
}

void Emitter::emit_select(const Instruction& i) {
  const Type type = i.opcode == Opcode::selp ? i.type() : i.types[0];
  if (i.opcode == Opcode::selp)
    return elementwise(i, {type, type, Type::pred}, type, [&](const std::vector<V*>& v) {
      return builder_.CreateSelect(v[2], v[0], v[1]);
    });
  // slct: a where c >= 0, else b.
  const Type by = i.types[1];
  elementwise(i, {type, type, by}, type, [&](const std::vector<V*>& v) {
    V* c = v[2];
    if (by == Type::f32 && i.has(dot::ftz)) c = flush(c);
    V* const zero = llvm::Constant::getNullValue(c->getType());
    V* const holds =
        by == Type::f32 ? builder_.CreateFCmpOGE(c, zero) : builder_.CreateICmpSGE(c, zero);
    return builder_.CreateSelect(holds, v[0], v[1]);
  });
}

// One term for each row of the table that is 1; LLVM makes the shortest of it.
llvm::Value* Emitter::by_table(const std::vector<V*>& v, uint64_t table) {
  V* result = llvm::Constant::getNullValue(v[0]->getType());
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table >> row & 1)) continue;
    const auto literal = [&](unsigned operand) {
      return row >> (2 - operand) & 1 ? v[operand] : builder_.CreateNot(v[operand]);
    };
    result = builder_.CreateOr(
        result, builder_.CreateAnd(literal(0), builder_.CreateAnd(literal(1), literal(2))));
  }
  return result;
}

// lop3.or.b32 d|p, a, b, c, table, q: p = d != 0 or q.
void Emitter::emit_lop3_predicate(const Instruction& i, uint64_t table) {
  const Operand& result = i.operands[0];
  if (result.kind != Operand::Kind::vector || i.operands.size() < 6) return unsupported(i);
  std::vector<V*> v;
  for (size_t n = 1; n < 4; ++n) v.push_back(read_vector(i.operands[n], Type::b32));
  V* const q = read_vector(i.operands[5], Type::pred);
  V* const word = by_table(v, table);
  V* const some = builder_.CreateICmpNE(word, llvm::Constant::getNullValue(word->getType()));
  write(result.elements[0], varying(word), Type::b32);
  write(result.elements[1],
        varying(i.has(dot::or_) ? builder_.CreateOr(some, q) : builder_.CreateAnd(some, q)),
        Type::pred);
}

void Emitter::emit_logic(const Instruction& i) {
  const Type type = i.type();
  const Opcode op = i.opcode;
  if (op == Opcode::lop3) {
    const uint64_t table = i.operands[4].bits;
    if (i.has(dot::and_) || i.has(dot::or_)) return emit_lop3_predicate(i, table);
    return elementwise(i, {type, type, type}, type,
                       [&](const std::vector<V*>& v) { return by_table(v, table); });
  }
  if (op == Opcode::not_)
    return elementwise(i, {type}, type,
                       [&](const std::vector<V*>& v) { return builder_.CreateNot(v[0]); });
  if (op == Opcode::cnot)
    return elementwise(i, {type}, type, [&](const std::vector<V*>& v) {
      V* const zero = llvm::Constant::getNullValue(v[0]->getType());
      return builder_.CreateZExt(builder_.CreateICmpEQ(v[0], zero), v[0]->getType());
    });
  // The number of the lane, where a thread's index has been cut down to it.
  const Shape shape = shape_of_result(i);
  if (op == Opcode::and_ && shape.is_affine() && shape.stride == 1) {
    Value lane = uniform(ConstantInt::get(element(type), 0));
    lane.shape.stride = 1;
    return write(i.operands[0], lane, type);
  }
  elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
    if (op == Opcode::and_) return builder_.CreateAnd(v[0], v[1]);
    return op == Opcode::or_ ? builder_.CreateOr(v[0], v[1]) : builder_.CreateXor(v[0], v[1]);
  });
}

void Emitter::emit_shift(const Instruction& i) {
  const Type type = i.type();
  const uint64_t width = 8 * size_of(type);
  if (i.opcode == Opcode::shf) {
    // Two words side by side, of which one is cut out.
    return elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32,
                       [&](const std::vector<V*>& v) -> V* {
                         llvm::Type* const own = v[0]->getType();
                         V* by = v[2];
                         const bool left = i.has(dot::l);
                         if (i.has(dot::clamp))
                           by = intrinsic(llvm::Intrinsic::umin, {by, ConstantInt::get(own, 32)});
                         else
                           by = builder_.CreateAnd(by, ConstantInt::get(own, 31));
                         V* const result = left ? intrinsic3(llvm::Intrinsic::fshl, v[1], v[0], by)
                                                : intrinsic3(llvm::Intrinsic::fshr, v[1], v[0], by);
                         if (!i.has(dot::clamp)) return result;
                         // A shift by 32 is one by 0 to the intrinsic.
                         V* const whole = builder_.CreateICmpEQ(by, ConstantInt::get(own, 32));
                         return builder_.CreateSelect(whole, left ? v[0] : v[1], result);
                       });
  }
  const bool left = i.opcode == Opcode::shl;
  const bool arithmetic = !left && is_signed(type);
  int64_t constant = 0;
  if (constant_of(body_, shapes_, i.operands[2], constant) && constant >= 0 &&
      static_cast<uint64_t>(constant) < width) {
    // A line stays one under a shift to the left; the number of a warp comes of one to the right.
    const Value value = read(i.operands[1], type);
    if (value.shape.is_affine() && value.shape.stride != 0 && !shape_of_result(i).is_varying()) {
      Value result = value;
      for (int half = 0; half < value.scalars(); ++half) {
        V* const by =
            ConstantInt::get(value.scalar[half]->getType(), static_cast<uint64_t>(constant));
        if (left) {
          result.scalar[half] = builder_.CreateShl(value.scalar[half], by);
          if (value.step[half]) result.step[half] = builder_.CreateShl(value.step[half], by);
        } else {
          result.scalar[half] = arithmetic ? builder_.CreateAShr(value.scalar[half], by)
                                           : builder_.CreateLShr(value.scalar[half], by);
        }
      }
      result.shape.stride =
          left ? static_cast<int64_t>(static_cast<uint64_t>(value.shape.stride) << constant) : 0;
      return write(i.operands[0], result, type);
    }
  }
  elementwise(i, {type, Type::u32}, type, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    V* const large = builder_.CreateICmpUGE(v[1], ConstantInt::get(v[1]->getType(), width));
    V* const inside = builder_.CreateSelect(
        large, ConstantInt::get(v[1]->getType(), arithmetic ? width - 1 : 0), v[1]);
    V* const by = builder_.CreateZExtOrTrunc(inside, own);
    if (arithmetic) return builder_.CreateAShr(v[0], by);
    V* const shifted = left ? builder_.CreateShl(v[0], by) : builder_.CreateLShr(v[0], by);
    return builder_.CreateSelect(large, llvm::Constant::getNullValue(own), shifted);
  });
}

llvm::Value* Emitter::intrinsic3(llvm::Intrinsic::ID id, V* a, V* b, V* c) {
  return builder_.CreateIntrinsic(id, {a->getType()}, {a, b, c});
}

// Picks four of the eight bytes of two words; the sign of a byte may be spread over it.
void Emitter::emit_permute(const Instruction& i) {
  static constexpr Modifier modes[] = {dot::f4e, dot::b4e, dot::rc8, dot::ecl, dot::ecr, dot::rc16};
  int mode = -1;
  for (int m = 0; m < 6; ++m)
    if (i.has(modes[m])) mode = m;
  elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    llvm::Type* const twice = own->isVectorTy()
                                  ? static_cast<llvm::Type*>(vector_type(builder_.getInt64Ty()))
                                  : builder_.getInt64Ty();
    V* const both = builder_.CreateOr(
        builder_.CreateZExt(v[0], twice),
        builder_.CreateShl(builder_.CreateZExt(v[1], twice), ConstantInt::get(twice, 32)));
    V* result = llvm::Constant::getNullValue(own);
    V* const c = builder_.CreateAnd(v[2], ConstantInt::get(own, mode < 0 ? 0xffff : 3));
    for (unsigned n = 0; n < 4; ++n) {
      V* selector;
      const auto constant = [&](uint64_t value) { return ConstantInt::get(own, value); };
      switch (mode) {
        case -1:
          selector = builder_.CreateAnd(builder_.CreateLShr(c, constant(4 * n)), constant(15));
          break;
        case 0:
          selector = builder_.CreateAdd(c, constant(n));
          break;
        case 1:
          selector = builder_.CreateAnd(builder_.CreateSub(c, constant(n)), constant(7));
          break;
        case 2:
          selector = c;
          break;
        case 3:
          selector = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, c, constant(n));
          break;
        case 4:
          selector = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, c, constant(n));
          break;
        default:
          selector = builder_.CreateAdd(
              builder_.CreateShl(builder_.CreateAnd(c, constant(1)), constant(1)), constant(n & 1));
      }
      V* const place =
          builder_.CreateShl(builder_.CreateZExt(builder_.CreateAnd(selector, constant(7)), twice),
                             ConstantInt::get(twice, 3));
      V* byte = builder_.CreateAnd(builder_.CreateTrunc(builder_.CreateLShr(both, place), own),
                                   constant(255));
      if (mode < 0) {
        V* const sign =
            builder_.CreateICmpNE(builder_.CreateAnd(selector, constant(8)), constant(0));
        V* const top = builder_.CreateICmpNE(builder_.CreateAnd(byte, constant(128)), constant(0));
        V* const spread = builder_.CreateSelect(top, constant(255), constant(0));
        byte = builder_.CreateSelect(sign, spread, byte);
      }
      result = builder_.CreateOr(result, builder_.CreateShl(byte, constant(8 * n)));
    }
    return result;
  });
}

}  // namespace cuvette::ptx
