// SPDX-License-Identifier: Apache-2.0
// Video instructions of one number: vadd, vsub, vabsdiff, vmin, vmax, vset, vshl, vshr, vmad.
//
// Today's GPUs have none of them: their compiler makes other instructions of them, and what those
// give is not always what the manual says. It is what is computed here; tests/sim/ptx/forms.def has
// the forms that were measured. A lane computes in 64 bits.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/video.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

struct Place {
  unsigned at, bits;
};

// "h1", "b3", or all of a register.
Place place_of(std::string_view part) {
  if (part.empty()) return {0, 32};
  const unsigned bits = part[0] == 'b' ? 8 : 16;
  return {bits * static_cast<unsigned>(part[1] - '0'), bits};
}

}  // namespace

// A number between the ends, which may lie in either order without signs.
llvm::Value* Emitter::video_between(V* value, int64_t least, int64_t most) {
  const auto limit = [&](int64_t number) {
    return ConstantInt::get(value->getType(), static_cast<uint64_t>(number));
  };
  value = intrinsic(llvm::Intrinsic::smax, {value, limit(least)});
  return intrinsic(llvm::Intrinsic::smin, {value, limit(most)});
}

// a * b + c, all with signs whatever their types say, and shifted.
llvm::Value* Emitter::video_product(const Instruction& i, V* a, V* b, V* c) {
  llvm::Type* const wide = a->getType();
  const auto number = [&](V* value) {
    return builder_.CreateSExt(builder_.CreateTrunc(value, like(value, builder_.getInt32Ty())),
                               wide);
  };
  V* product = builder_.CreateMul(number(a), number(b));
  if (i.operands[1].negated != i.operands[2].negated) product = builder_.CreateNeg(product);
  V* added = builder_.CreateSExt(c, wide);
  if (i.operands[3].negated) added = builder_.CreateNeg(added);
  V* sum = builder_.CreateAdd(product, added);
  if (i.has(dot::po)) sum = builder_.CreateAdd(sum, ConstantInt::get(wide, 1));
  const bool any_negated = i.operands[1].negated || i.operands[2].negated || i.operands[3].negated;
  const bool with_sign = is_signed(i.types[1]) || is_signed(i.types[2]) || any_negated;
  V* const by = ConstantInt::get(wide, i.has(dot::shr7) ? 7 : i.has(dot::shr15) ? 15 : 0);
  sum = with_sign ? builder_.CreateAShr(sum, by) : builder_.CreateLShr(sum, by);
  if (!i.has(dot::sat)) return sum;
  return with_sign ? video_between(sum, INT32_MIN, INT32_MAX) : video_between(sum, 0, UINT32_MAX);
}

void Emitter::emit_video_single(const Instruction& i) {
  const VideoOperation operation = video_form(i.opcode).operation;
  const bool compares =
      operation == VideoOperation::set;  // names the types of what it compares alone
  const bool shifts = operation == VideoOperation::shl || operation == VideoOperation::shr;
  const bool multiplies = operation == VideoOperation::mad, saturates = i.has(dot::sat);
  const Type a_type = i.types[compares ? 0 : 1], b_type = i.types[compares ? 1 : 2];
  const bool with_sign = is_signed(compares ? a_type : i.types[0]);
  const std::string_view target = i.operands[0].part;
  const auto compute = [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    llvm::Type* const wide = like(v[0], builder_.getInt64Ty());
    const auto number = [&](uint64_t value) { return ConstantInt::get(wide, value); };
    const auto source = [&](unsigned n, Type type) {
      const Place place = place_of(i.operands[1 + n].part);
      return video_number({v[n]}, place.at, place.bits, is_signed(type), true);
    };
    V* const a = source(0, a_type);
    V* const b = source(1, b_type);
    V* value;
    if (shifts) {
      V* const count = i.has(dot::clamp) ? intrinsic(llvm::Intrinsic::umin, {b, number(32)})
                                         : builder_.CreateAnd(b, number(31));
      value = operation == VideoOperation::shl ? builder_.CreateShl(a, count)
                                               : builder_.CreateAShr(a, count);
      // Two bits beyond a word say whether it is too large.
      if (operation == VideoOperation::shl && saturates)
        value = builder_.CreateAShr(builder_.CreateShl(value, number(30)), number(30));
    } else if (multiplies) {
      value = video_product(i, a, b, v[2]);
    } else {
      value = video_result(i, operation, a, b);
    }
    const auto limited = [&](V* one) {
      return with_sign ? video_between(one, INT32_MIN, INT32_MAX)
             : operation == VideoOperation::shl || !target.empty()
                 ? video_between(one, 0, UINT32_MAX)
                 : intrinsic(llvm::Intrinsic::smax, {one, number(0)});
    };
    if (!target.empty()) {
      const Place place = place_of(target);
      const uint64_t ones = (uint64_t{1} << place.bits) - 1;
      if (saturates && shifts) {
        value = limited(value);
      } else if (saturates) {
        // What is negative is too large.
        value = intrinsic(llvm::Intrinsic::umin, {value, number(with_sign ? ones >> 1 : ones)});
      }
      // The upper half is not brought there: it has to be there already.
      V* const placed = target == "h1" ? value : builder_.CreateShl(value, number(place.at));
      const uint64_t mask = ones << place.at;
      V* const inside = builder_.CreateTrunc(builder_.CreateAnd(placed, number(mask)), own);
      return builder_.CreateOr(builder_.CreateAnd(v[2], ConstantInt::get(own, ~mask & UINT32_MAX)),
                               inside);
    }
    if (saturates && !multiplies) value = limited(value);
    V* const word = builder_.CreateTrunc(value, own);
    if (multiplies || v.size() == 2) return word;
    if (i.has(dot::add)) return builder_.CreateAdd(word, v[2]);
    // Sums have lost what does not fit into a word.
    const bool cut = operation == VideoOperation::add || operation == VideoOperation::sub ||
                     (shifts && saturates);
    V* const first = cut ? builder_.CreateSExt(word, wide) : value;
    V* const second = with_sign ? builder_.CreateSExt(v[2], wide) : builder_.CreateZExt(v[2], wide);
    using llvm::CmpInst;
    const CmpInst::Predicate predicate = i.has(dot::min)
                                             ? (with_sign ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                                             : (with_sign ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT);
    return builder_.CreateSelect(builder_.CreateICmp(predicate, first, second), word, v[2]);
  };
  if (i.operands.size() == 4)
    return elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, compute);
  elementwise(i, {Type::b32, Type::b32}, Type::b32, compute);
}

}  // namespace cuvette::ptx
