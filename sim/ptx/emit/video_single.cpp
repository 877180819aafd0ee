// SPDX-License-Identifier: Apache-2.0
// Video instructions on one number: vadd, vsub, vabsdiff, vmin, vmax, vset, vshl, vshr, vmad.
//
// Today's GPUs have none of these: the compiler replaces them by other instructions, and the
// results are not always what the manual says. Those results are computed here;
// tests/sim/ptx/emit/forms.def has the forms that were measured. A lane computes in 64 bits.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/video_values.hpp"
#include "sim/ptx/syntax/video.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

struct Place {
  unsigned at, bits;
};

// Returns where "h1" or "b3" lies in a register; without a selector, all of it.
Place place_of(std::string_view part) {
  if (part.empty()) return {0, 32};
  const unsigned bits = part[0] == 'b' ? 8 : 16;
  return {bits * static_cast<unsigned>(part[1] - '0'), bits};
}

// Clamps a number to [least, most] by signed comparisons.
llvm::Value* video_between(WarpBuilder& w, V* value, int64_t least, int64_t most) {
  const auto limit = [&](int64_t number) {
    return ConstantInt::get(value->getType(), static_cast<uint64_t>(number));
  };
  value = w.intrinsic(llvm::Intrinsic::smax, {value, limit(least)});
  return w.intrinsic(llvm::Intrinsic::smin, {value, limit(most)});
}

// Returns a * b + c, shifted. All operands count as signed, regardless of their types.
llvm::Value* video_product(WarpBuilder& w, const Instruction& i, V* a, V* b, V* c) {
  llvm::Type* const wide = a->getType();
  const auto number = [&](V* value) {
    return w.CreateSExt(w.CreateTrunc(value, like(w, value, w.getInt32Ty())), wide);
  };
  V* product = w.CreateMul(number(a), number(b));
  if (i.operands[1].negated != i.operands[2].negated) product = w.CreateNeg(product);
  V* added = w.CreateSExt(c, wide);
  if (i.operands[3].negated) added = w.CreateNeg(added);
  V* sum = w.CreateAdd(product, added);
  if (i.has(dot::po)) sum = w.CreateAdd(sum, ConstantInt::get(wide, 1));
  const bool any_negated = i.operands[1].negated || i.operands[2].negated || i.operands[3].negated;
  const bool with_sign = is_signed(i.types[1]) || is_signed(i.types[2]) || any_negated;
  V* const by = ConstantInt::get(wide, i.has(dot::shr7) ? 7 : i.has(dot::shr15) ? 15 : 0);
  sum = with_sign ? w.CreateAShr(sum, by) : w.CreateLShr(sum, by);
  if (!i.has(dot::sat)) return sum;
  return with_sign ? video_between(w, sum, INT32_MIN, INT32_MAX)
                   : video_between(w, sum, 0, UINT32_MAX);
}

}  // namespace

void emit_video_single(WarpBuilder& w, const Instruction& i) {
  const VideoOperation operation = video_form(i.opcode).operation;
  const bool compares =
      operation == VideoOperation::set;  // its types only describe the values that it compares
  const bool shifts = operation == VideoOperation::shl || operation == VideoOperation::shr;
  const bool multiplies = operation == VideoOperation::mad, saturates = i.has(dot::sat);
  const Type a_type = i.types[compares ? 0 : 1], b_type = i.types[compares ? 1 : 2];
  const bool with_sign = is_signed(compares ? a_type : i.types[0]);
  const std::string_view target = i.operands[0].part;
  const auto compute = [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    llvm::Type* const wide = like(w, v[0], w.getInt64Ty());
    const auto number = [&](uint64_t value) { return ConstantInt::get(wide, value); };
    const auto source = [&](unsigned n, Type type) {
      const Place place = place_of(i.operands[1 + n].part);
      return video_number(w, {v[n]}, place.at, place.bits, is_signed(type), true);
    };
    V* const a = source(0, a_type);
    V* const b = source(1, b_type);
    V* value;
    if (shifts) {
      V* const count = i.has(dot::clamp) ? w.intrinsic(llvm::Intrinsic::umin, {b, number(32)})
                                         : w.CreateAnd(b, number(31));
      value = operation == VideoOperation::shl ? w.CreateShl(a, count) : w.CreateAShr(a, count);
      // Only two bits above the word decide whether it is too large.
      if (operation == VideoOperation::shl && saturates)
        value = w.CreateAShr(w.CreateShl(value, number(30)), number(30));
    } else if (multiplies) {
      value = video_product(w, i, a, b, v[2]);
    } else {
      value = video_result(w, i, operation, a, b);
    }
    const auto limited = [&](V* one) {
      return with_sign ? video_between(w, one, INT32_MIN, INT32_MAX)
             : operation == VideoOperation::shl || !target.empty()
                 ? video_between(w, one, 0, UINT32_MAX)
                 : w.intrinsic(llvm::Intrinsic::smax, {one, number(0)});
    };
    if (!target.empty()) {
      const Place place = place_of(target);
      const uint64_t ones = (uint64_t{1} << place.bits) - 1;
      if (saturates && shifts) {
        value = limited(value);
      } else if (saturates) {
        // A negative value counts as too large.
        value = w.intrinsic(llvm::Intrinsic::umin, {value, number(with_sign ? ones >> 1 : ones)});
      }
      // A value for h1 is not shifted there: its own upper half is taken.
      V* const placed = target == "h1" ? value : w.CreateShl(value, number(place.at));
      const uint64_t mask = ones << place.at;
      V* const inside = w.CreateTrunc(w.CreateAnd(placed, number(mask)), own);
      return w.CreateOr(w.CreateAnd(v[2], ConstantInt::get(own, ~mask & UINT32_MAX)), inside);
    }
    if (saturates && !multiplies) value = limited(value);
    V* const word = w.CreateTrunc(value, own);
    if (multiplies || v.size() == 2) return word;
    if (i.has(dot::add)) return w.CreateAdd(word, v[2]);
    // Sums are cut to a word before they are compared.
    const bool cut = operation == VideoOperation::add || operation == VideoOperation::sub ||
                     (shifts && saturates);
    V* const first = cut ? w.CreateSExt(word, wide) : value;
    V* const second = with_sign ? w.CreateSExt(v[2], wide) : w.CreateZExt(v[2], wide);
    using llvm::CmpInst;
    const CmpInst::Predicate predicate = i.has(dot::min)
                                             ? (with_sign ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                                             : (with_sign ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT);
    return w.CreateSelect(w.CreateICmp(predicate, first, second), word, v[2]);
  };
  if (i.operands.size() == 4)
    return w.elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, compute);
  w.elementwise(i, {Type::b32, Type::b32}, Type::b32, compute);
}

}  // namespace cuvette::ptx
