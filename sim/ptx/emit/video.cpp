// SPDX-License-Identifier: Apache-2.0
// Video instructions of several numbers: sums, differences, minima and the like of two or four
// numbers side by side (vadd2, vadd4), which may lie anywhere in the operands.
//
// A lane computes in twice the bits, where none of them overflows; what follows is common to all:
// the result is limited to its type if asked for, and is put among the bits of another operand or
// added to it.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/video.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

struct Place {
  unsigned at, bits;
};

// Where a source lies: of "h10", "b3021" the n-th, in two registers side by side. Without a
// selector the second source is the second register.
Place place_of(std::string_view part, unsigned count, unsigned n, bool second) {
  const unsigned bits = 32 / count;
  if (part.empty()) return {bits * (n + (second ? count : 0)), bits};
  return {bits * static_cast<unsigned>(part[part.size() - 1 - n] - '0'), bits};
}

// Whether the n-th of several results is one that the mask of the target names.
bool is_written(std::string_view mask, unsigned n) {
  return mask.empty() || mask.find(static_cast<char>('0' + n)) != std::string_view::npos;
}

}  // namespace

// The number at `at` of `words`, the first being the lowest; as wide as a word, or `wide`.
llvm::Value* Emitter::video_number(const std::vector<V*>& words, unsigned at, unsigned bits,
                                   bool with_sign, bool wide) {
  V* const word = words[at / 32];
  llvm::Type* const own = word->getType();
  V* const up = builder_.CreateShl(word, ConstantInt::get(own, 32 - bits - at % 32));
  V* const by = ConstantInt::get(own, 32 - bits);
  V* const number = with_sign ? builder_.CreateAShr(up, by) : builder_.CreateLShr(up, by);
  if (!wide) return number;
  llvm::Type* const twice = like(word, builder_.getInt64Ty());
  return with_sign ? builder_.CreateSExt(number, twice) : builder_.CreateZExt(number, twice);
}

llvm::Value* Emitter::video_limited(V* value, unsigned bits, bool with_sign) {
  const int64_t most = (int64_t{1} << (with_sign ? bits - 1 : bits)) - 1;
  const auto limit = [&](int64_t number) {
    return ConstantInt::get(value->getType(), static_cast<uint64_t>(number));
  };
  value = intrinsic(llvm::Intrinsic::smax, {value, limit(with_sign ? -most - 1 : 0)});
  return intrinsic(llvm::Intrinsic::smin, {value, limit(most)});
}

// Of two numbers, in more bits than they have.
llvm::Value* Emitter::video_result(const Instruction& i, VideoOperation operation, V* a, V* b) {
  llvm::Type* const own = a->getType();
  const auto number = [&](uint64_t value) { return ConstantInt::get(own, value); };
  switch (operation) {
    case VideoOperation::add:
      return builder_.CreateAdd(a, b);
    case VideoOperation::sub:
      return builder_.CreateSub(a, b);
    case VideoOperation::absdiff:
      return intrinsic(llvm::Intrinsic::abs, {builder_.CreateSub(a, b), builder_.getFalse()});
    case VideoOperation::min:
      return intrinsic(llvm::Intrinsic::smin, {a, b});
    case VideoOperation::max:
      return intrinsic(llvm::Intrinsic::smax, {a, b});
    case VideoOperation::avrg: {
      // Halves are rounded away from zero.
      V* const sum = builder_.CreateAdd(a, b);
      V* const up = builder_.CreateZExt(builder_.CreateICmpSGE(sum, number(0)), own);
      return builder_.CreateAShr(builder_.CreateAdd(sum, up), number(1));
    }
    default:
      break;  // a comparison
  }
  using llvm::CmpInst;
  const CmpInst::Predicate predicate = i.has(dot::eq)   ? CmpInst::ICMP_EQ
                                       : i.has(dot::ne) ? CmpInst::ICMP_NE
                                       : i.has(dot::lt) ? CmpInst::ICMP_SLT
                                       : i.has(dot::le) ? CmpInst::ICMP_SLE
                                       : i.has(dot::gt) ? CmpInst::ICMP_SGT
                                                        : CmpInst::ICMP_SGE;
  return builder_.CreateZExt(builder_.CreateICmp(predicate, a, b), own);
}

void Emitter::emit_video(const Instruction& i) {
  const VideoForm form = video_form(i.opcode);
  const VideoOperation operation = form.operation;
  const unsigned count = form.count;
  // vset gives 0 or 1, and names the types of what it compares alone.
  const bool compares = operation == VideoOperation::set;
  if (i.types.size() != (compares ? 2 : 3)) return unsupported(i);
  const Type result_type = compares ? Type::u32 : i.types[0];
  const bool a_signed = is_signed(i.types[compares ? 0 : 1]);
  const bool b_signed = is_signed(i.types[compares ? 1 : 2]);
  const std::string_view target = i.operands[0].part;
  const bool adds = i.has(dot::add);
  const auto compute = [&](const std::vector<V*>& v) -> V* {
    llvm::Type* const own = v[0]->getType();
    const auto number = [&](uint64_t value) { return ConstantInt::get(own, value); };
    V* result = v[2];
    for (unsigned n = 0; n < count; ++n) {
      if (!is_written(target, n)) continue;
      const auto source = [&](unsigned operand, bool with_sign) {
        const Place place = place_of(i.operands[1 + operand].part, count, n, operand == 1);
        return video_number({v[0], v[1]}, place.at, place.bits, with_sign, false);
      };
      V* value = video_result(i, operation, source(0, a_signed), source(1, b_signed));
      const Place to{32 / count * n, 32 / count};
      if (i.has(dot::sat)) value = video_limited(value, to.bits, is_signed(result_type));
      V* const word = builder_.CreateZExtOrTrunc(value, own);
      if (adds) {
        result = builder_.CreateAdd(result, word);
        continue;
      }
      const uint64_t mask = ((uint64_t{1} << to.bits) - 1) << to.at;
      V* const placed = builder_.CreateAnd(builder_.CreateShl(word, number(to.at)), number(mask));
      result = builder_.CreateOr(builder_.CreateAnd(result, number(~mask & UINT32_MAX)), placed);
    }
    return result;
  };
  elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, compute);
}

}  // namespace cuvette::ptx
