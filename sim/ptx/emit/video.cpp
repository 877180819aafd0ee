// SPDX-License-Identifier: Apache-2.0
// Video instructions on several numbers: sums, differences, minima and the like of two or four
// numbers side by side (vadd2, vadd4), which may lie anywhere in the operands.
//
// A lane computes in twice the bits, where none of them overflows; the rest is common to all: the
// result is clamped to its type if asked for, and is inserted into another operand or added to it.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/video_values.hpp"
#include "sim/ptx/syntax/video.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

struct NumberPlace {
  unsigned at, bits;
};

// Returns where the n-th number of a source with a selector like "h10" or "b3021" lies in two
// registers side by side. Without a selector the second source is the second register.
NumberPlace place_of_number(std::string_view part, unsigned count, unsigned n, bool second) {
  const unsigned bits = 32 / count;
  if (part.empty()) return {bits * (n + (second ? count : 0)), bits};
  return {bits * static_cast<unsigned>(part[part.size() - 1 - n] - '0'), bits};
}

// Returns whether the target's mask names the n-th result.
bool is_written(std::string_view mask, unsigned n) {
  return mask.empty() || mask.find(static_cast<char>('0' + n)) != std::string_view::npos;
}

}  // namespace

// Returns the number at bit `at` of `words`, lowest word first, in 32 bits, or in 64 if `wide`.
llvm::Value* video_number(WarpBuilder& w, const std::vector<V*>& words, unsigned at, unsigned bits,
                          bool with_sign, bool wide) {
  V* const word = words[at / 32];
  llvm::Type* const own = word->getType();
  V* const up = w.CreateShl(word, ConstantInt::get(own, 32 - bits - at % 32));
  V* const by = ConstantInt::get(own, 32 - bits);
  V* const number = with_sign ? w.CreateAShr(up, by) : w.CreateLShr(up, by);
  if (!wide) return number;
  llvm::Type* const twice = like(w, word, w.getInt64Ty());
  return with_sign ? w.CreateSExt(number, twice) : w.CreateZExt(number, twice);
}

namespace {

llvm::Value* video_limited(WarpBuilder& w, V* value, unsigned bits, bool with_sign) {
  const int64_t most = (int64_t{1} << (with_sign ? bits - 1 : bits)) - 1;
  const auto limit = [&](int64_t number) {
    return ConstantInt::get(value->getType(), static_cast<uint64_t>(number));
  };
  value = w.intrinsic(llvm::Intrinsic::smax, {value, limit(with_sign ? -most - 1 : 0)});
  return w.intrinsic(llvm::Intrinsic::smin, {value, limit(most)});
}

}  // namespace

// Computes the operation on two numbers, in more bits than they have.
llvm::Value* video_result(WarpBuilder& w, const Instruction& i, VideoOperation operation, V* a,
                          V* b) {
  llvm::Type* const own = a->getType();
  const auto number = [&](uint64_t value) { return ConstantInt::get(own, value); };
  switch (operation) {
    case VideoOperation::add:
      return w.CreateAdd(a, b);
    case VideoOperation::sub:
      return w.CreateSub(a, b);
    case VideoOperation::absdiff:
      return w.intrinsic(llvm::Intrinsic::abs, {w.CreateSub(a, b), w.getFalse()});
    case VideoOperation::min:
      return w.intrinsic(llvm::Intrinsic::smin, {a, b});
    case VideoOperation::max:
      return w.intrinsic(llvm::Intrinsic::smax, {a, b});
    case VideoOperation::avrg: {
      // Halves are rounded away from zero.
      V* const sum = w.CreateAdd(a, b);
      V* const up = w.CreateZExt(w.CreateICmpSGE(sum, number(0)), own);
      return w.CreateAShr(w.CreateAdd(sum, up), number(1));
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
  return w.CreateZExt(w.CreateICmp(predicate, a, b), own);
}

void emit_video(WarpBuilder& w, const Instruction& i) {
  const VideoForm form = video_form(i.opcode);
  const VideoOperation operation = form.operation;
  const unsigned count = form.count;
  // vset gives 0 or 1; its types only describe the values that it compares.
  const bool compares = operation == VideoOperation::set;
  if (i.types.size() != (compares ? 2 : 3)) return w.unsupported(i);
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
        const NumberPlace place =
            place_of_number(i.operands[1 + operand].part, count, n, operand == 1);
        return video_number(w, {v[0], v[1]}, place.at, place.bits, with_sign, false);
      };
      V* value = video_result(w, i, operation, source(0, a_signed), source(1, b_signed));
      const NumberPlace to{32 / count * n, 32 / count};
      if (i.has(dot::sat)) value = video_limited(w, value, to.bits, is_signed(result_type));
      V* const word = w.CreateZExtOrTrunc(value, own);
      if (adds) {
        result = w.CreateAdd(result, word);
        continue;
      }
      const uint64_t mask = ((uint64_t{1} << to.bits) - 1) << to.at;
      V* const placed = w.CreateAnd(w.CreateShl(word, number(to.at)), number(mask));
      result = w.CreateOr(w.CreateAnd(result, number(~mask & UINT32_MAX)), placed);
    }
    return result;
  };
  w.elementwise(i, {Type::b32, Type::b32, Type::b32}, Type::b32, compute);
}

}  // namespace cuvette::ptx
