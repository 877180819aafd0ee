// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/emit/special_functions.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cmath>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {

using llvm::Constant;
using llvm::ConstantFP;
using llvm::ConstantInt;

namespace {

enum class Table : uint8_t { rcp, rsqrt, sqrt, ex2, lg2, sine, tanh };

struct Segment {
  Table table;
  uint64_t c0, c1, c2;
};
constexpr Segment segments[] = {
#define SEGMENT(table, c0, c1, c2) {Table::table, c0, c1, c2},
#include "sim/ptx/emit/special_functions.def"
};

// How the parts of a sum are aligned: (c0 << offset) + rounding +- c1 x +- c2 (square << curve).
struct Layout {
  const char* name;
  unsigned offset;
  uint64_t rounding;
  bool falls, bends_down;  // whether c1 and c2 are negative
  unsigned curve;
};
constexpr Layout layouts[] = {
    {"rcp", 14, 4046, true, false, 1},   {"rsqrt", 14, 16383, true, false, 2},
    {"sqrt", 15, 32767, false, true, 1}, {"ex2", 13, 6114, false, false, 0},
    {"lg2", 12, 837, false, true, 1},    {"sine", 12, 0, false, true, 0},
    {"tanh", 15, 0, false, true, 8},
};

// A row of a table in one word, c2 lowest, or in two for tanh, because its c1 is wide.
constexpr unsigned c1_at = 11, c0_at = 28;
constexpr bool fits(const Segment& s) {
  return s.table == Table::tanh ? s.c1 < 1u << 31 && s.c2 < 1u << 31
                                : s.c2 < 1u << c1_at && s.c1 < 1u << (c0_at - c1_at);
}
static_assert(std::all_of(std::begin(segments), std::end(segments), fits));

// Writes code of 32-bit and 64-bit numbers, one or a warp's.
class Unit {
 public:
  Unit(WarpBuilder& w, V* x) : w_(w), own_(x->getType()), whole_(like(w, x, w.getInt32Ty())) {}

  V* u32(uint32_t value) const { return ConstantInt::get(whole_, value); }
  V* number(double value) const { return ConstantFP::get(own_, value); }
  V* bits(V* x) const { return w_.CreateBitCast(x, whole_); }
  V* as_number(V* bits) const { return w_.CreateBitCast(bits, own_); }
  V* nan() const { return as_number(u32(static_cast<uint32_t>(f32_format.nan()))); }
  V* infinity(bool negative = false) const { return ConstantFP::getInfinity(own_, negative); }
  V* field(V* bits, unsigned from, unsigned width) const {
    return w_.CreateAnd(w_.CreateLShr(bits, u32(from)), u32((1u << width) - 1));
  }
  V* is_nan(V* x) const { return w_.CreateFCmpUNO(x, x); }
  // The sign of `from` on `magnitude`.
  V* with_sign(V* magnitude, V* from) const {
    return w_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, from);
  }

  V* u64(V* like_this, uint64_t value) const {
    return ConstantInt::get(like_this->getType(), value);
  }
  V* widened(V* number) const { return w_.CreateZExt(number, like(w_, number, w_.getInt64Ty())); }
  V* narrowed(V* number) const { return w_.CreateTrunc(number, whole_); }

  // The sum for row `index` and the argument's 17 lower bits.
  V* sum(Table table, V* index, V* low) const {
    const Layout& layout = layouts[static_cast<size_t>(table)];
    V* const square = widened(w_.CreateShl(squared(low), u32(layout.curve)));
    V *c0, *c1, *c2;
    V* const word = lookup(table, index, 0);
    if (table == Table::tanh) {
      V* const other = lookup(table, index, 1);
      c0 = w_.CreateShl(word, u64(word, layout.offset));
      c1 = w_.CreateAnd(other, u64(word, 0xffffffff));
      c2 = w_.CreateLShr(other, u64(word, 32));
    } else {
      c0 = w_.CreateAnd(w_.CreateLShr(word, u64(word, c0_at - layout.offset)),
                        u64(word, ~((uint64_t{1} << layout.offset) - 1)));
      c1 = w_.CreateAnd(w_.CreateLShr(word, u64(word, c1_at)),
                        u64(word, (uint64_t{1} << (c0_at - c1_at)) - 1));
      c2 = w_.CreateAnd(word, u64(word, (uint64_t{1} << c1_at) - 1));
    }
    V* sum = w_.CreateAdd(c0, u64(word, layout.rounding));
    V* const line = w_.CreateMul(c1, widened(low));
    V* const curve = w_.CreateMul(c2, square);
    sum = layout.falls ? w_.CreateSub(sum, line) : w_.CreateAdd(sum, line);
    return layout.bends_down ? w_.CreateSub(sum, curve) : w_.CreateAdd(sum, curve);
  }

  // A whole number times 2^scale as f32, truncated to 24 bits. |number| is less than 2^51: in the
  // upper half of a double's mantissa range, adding 1.5 2^52 to it puts the number into the bits.
  V* truncated(V* number, int scale) const {
    llvm::Type* const wide = like(w_, number, w_.getDoubleTy());
    V* const base = ConstantInt::get(number->getType(), 0x4338000000000000);
    V* const sum = w_.CreateBitCast(w_.CreateAdd(number, base), wide);
    V* const exact = w_.CreateFSub(sum, ConstantFP::get(wide, 0x1.8p52));
    V* const kept = w_.CreateAnd(w_.CreateBitCast(exact, number->getType()),
                                 u64(number, ~((uint64_t{1} << 29) - 1)));
    V* const result = w_.CreateFPTrunc(w_.CreateBitCast(kept, wide), own_);
    return w_.CreateFMul(result, this->number(std::ldexp(1.0, scale)));
  }

 private:
  // The square of a number of 17 bits as the unit computes it: of the products of two bits, those
  // of a column below 19 are left out, then 19 columns. With h the upper 8 bits and l the lower 9,
  // what is left of h h is h h / 2, of the products of h and bit i of l h >> (9 - i), and of l l
  // nothing. Sixteen bits hold it all.
  V* squared(V* low) const {
    llvm::Type* const small = like(w_, low, w_.getInt16Ty());
    const auto constant = [&](unsigned value) { return ConstantInt::get(small, value); };
    V* const h = w_.CreateTrunc(w_.CreateLShr(low, u32(9)), small);
    V* const l = w_.CreateTrunc(low, small);
    V* sum = w_.CreateLShr(w_.CreateMul(h, h), constant(1));
    for (unsigned i = 2; i < 9; ++i) {
      V* const product = w_.CreateLShr(h, constant(9 - i));
      V* const bit = w_.CreateICmpNE(w_.CreateAnd(l, constant(1u << i)), constant(0));
      sum = w_.CreateAdd(sum, w_.CreateSelect(bit, product, constant(0)));
    }
    return w_.CreateZExt(sum, whole_);
  }

  V* lookup(Table table, V* index, int part) const {
    const std::string name =
        std::string("special.") + layouts[static_cast<size_t>(table)].name + (part ? ".1" : "");
    llvm::GlobalVariable* rows = w_.module().getNamedGlobal(name);
    if (!rows) {
      std::vector<uint64_t> words;
      for (const Segment& s : segments) {
        if (s.table != table) continue;
        if (table == Table::tanh)
          words.push_back(part ? s.c1 | s.c2 << 32 : s.c0);
        else
          words.push_back(s.c2 | s.c1 << c1_at | s.c0 << c0_at);
      }
      Constant* const data = llvm::ConstantDataArray::get(w_.getContext(), words);
      rows = new llvm::GlobalVariable(w_.module(), data->getType(), true,
                                      llvm::GlobalValue::PrivateLinkage, data, name);
      rows->setAlignment(llvm::Align(64));
    }
    llvm::Type* const word = w_.getInt64Ty();
    V* const place = w_.CreateGEP(word, rows, index);
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
    if (!vector) return w_.CreateAlignedLoad(word, place, llvm::Align(8));
    const unsigned lanes = vector->getNumElements();
    return w_.CreateMaskedGather(w_.vector_type(word, lanes), place, llvm::Align(8),
                                 Constant::getAllOnesValue(w_.vector_type(w_.getInt1Ty(), lanes)));
  }

  WarpBuilder& w_;
  llvm::Type* own_;
  llvm::Type* whole_;
};

// From the lower bits of one number to those of the table's row and the rest.
struct Split {
  V *index, *low;
};
Split split(const Unit& u, V* bits, unsigned rows_bits) {
  return {u.field(bits, 17, rows_bits), u.field(bits, 0, 17)};
}

}  // namespace

namespace special {

// 2^x = 2^n 2^f with whole n <= x and f in steps of 2^-23. A negative x is cut off towards zero
// there, and then, unless it is whole, becomes the complement of its magnitude.
llvm::Value* exponential(WarpBuilder& w, V* x) {
  const Unit u(w, x);
  V* limited = w.CreateSelect(w.CreateFCmpOGT(x, u.number(-152)), x, u.number(-152));  // also NaN
  limited = w.CreateSelect(w.CreateFCmpOLT(limited, u.number(128)), limited, u.number(128));
  V* steps = w.CreateFPToSI(w.CreateFMul(limited, u.number(0x1p23)), u.u32(0)->getType());
  V* const is_broken = w.CreateICmpNE(u.field(steps, 0, 23), u.u32(0));
  V* const below = w.CreateAnd(is_broken, w.CreateICmpSLT(steps, u.u32(0)));
  steps = w.CreateAdd(steps, w.CreateSExt(below, steps->getType()));
  const Split at = split(u, steps, 6);
  V* const sum = u.sum(Table::ex2, at.index, at.low);
  V* const mantissa = u.narrowed(w.CreateLShr(sum, u.u64(sum, 15)));  // with its leading bit
  V* const n = w.CreateAShr(steps, u.u32(23));
  V* const exponent = w.CreateShl(w.CreateAdd(n, u.u32(126)), u.u32(23));
  V* result = u.as_number(w.CreateAdd(exponent, mantissa));
  result =
      w.CreateSelect(w.CreateICmpSGT(n, u.u32(static_cast<uint32_t>(-127))), result, u.number(0));
  result = w.CreateSelect(w.CreateFCmpOGE(x, u.number(128)), u.infinity(), result);
  return w.CreateSelect(u.is_nan(x), u.nan(), result);
}

// In steps of 2^-36, of which the upper 24 bits remain; a negative result is the complement of its
// magnitude.
llvm::Value* logarithm(WarpBuilder& w, V* x) {
  const Unit u(w, x);
  V* const bits = u.bits(x);
  const Split at = split(u, bits, 6);
  V* const sum = u.sum(Table::lg2, at.index, at.low);  // in steps of 2^-38
  V* const exponent = w.CreateSub(w.CreateAShr(bits, u.u32(23)), u.u32(127));
  V* const whole = w.CreateShl(w.CreateSExt(exponent, sum->getType()), u.u64(sum, 38));
  V* steps = w.CreateAnd(w.CreateAdd(whole, sum), u.u64(sum, ~uint64_t{3}));
  V* const negative = w.CreateICmpSLT(steps, u.u64(sum, 0));
  steps = w.CreateSelect(negative, w.CreateAdd(steps, u.u64(sum, 4)), steps);
  V* result = u.truncated(steps, -38);
  result = w.CreateSelect(w.CreateFCmpOEQ(x, u.number(1)), u.number(0), result);
  result = w.CreateSelect(w.CreateFCmpOEQ(x, u.infinity()), u.infinity(), result);
  result = w.CreateSelect(w.CreateFCmpOEQ(x, u.number(0)), u.infinity(true), result);
  return w.CreateSelect(w.CreateFCmpULT(x, u.number(0)), u.nan(), result);
}

// Of a mantissa the 7 upper bits choose the row: the rest has 16 bits, and stands in the upper ones
// of 17. A mantissa of 1 gives a sum of one bit more, which adds one to the exponent.
llvm::Value* reciprocal(WarpBuilder& w, V* x) {
  const Unit u(w, x);
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {x});
  V* const bits = u.bits(magnitude);
  V* const low = w.CreateShl(u.field(bits, 0, 16), u.u32(1));
  V* const sum = u.sum(Table::rcp, u.field(bits, 16, 7), low);
  V* const mantissa = u.narrowed(w.CreateLShr(sum, u.u64(sum, 16)));
  // 2^-e m with m below 1: the exponent of m, -1, is in `mantissa` once more as its leading bit.
  V* const exponent = w.CreateSub(u.u32(252u << 23), w.CreateAnd(bits, u.u32(0xffu << 23)));
  V* result = w.CreateAdd(exponent, mantissa);
  result = w.CreateSelect(w.CreateICmpSLT(result, u.u32(1u << 23)), u.u32(0), result);
  V* number = u.as_number(result);
  number = w.CreateSelect(w.CreateFCmpOEQ(magnitude, u.number(0)), u.infinity(), number);
  number = w.CreateSelect(w.CreateFCmpOEQ(magnitude, u.infinity()), u.number(0), number);
  return w.CreateSelect(u.is_nan(x), u.nan(), u.with_sign(number, x));
}

namespace {

// The common part of rsqrt and sqrt: a row for the lowest bit of the exponent and 6 bits of the
// mantissa. Returns the mantissa of the result with its leading bit.
V* root_mantissa(WarpBuilder& w, const Unit& u, Table table, V* bits) {
  const Split at = split(u, bits, 7);
  V* const sum = u.sum(table, at.index, at.low);
  const unsigned shift = table == Table::rsqrt ? 16 : 17;
  return u.narrowed(w.CreateLShr(sum, u.u64(sum, shift)));
}

// Half the exponent, rounded down, as a field of bits.
V* half_exponent(WarpBuilder& w, const Unit& u, V* bits) {
  V* const exponent = w.CreateSub(w.CreateLShr(bits, u.u32(23)), u.u32(127));
  return w.CreateShl(w.CreateAShr(exponent, u.u32(1)), u.u32(23));
}

}  // namespace

// Powers of 4 are exact: the table's row would give the number below.
llvm::Value* reciprocal_root(WarpBuilder& w, V* x) {
  const Unit u(w, x);
  V* const bits = u.bits(x);
  V* mantissa = root_mantissa(w, u, Table::rsqrt, bits);
  V* const power = w.CreateICmpEQ(u.field(bits, 0, 24), u.u32(1u << 23));
  mantissa = w.CreateSelect(power, u.u32(1u << 24), mantissa);
  V* const exponent = w.CreateSub(u.u32(125u << 23), half_exponent(w, u, bits));
  V* result = u.as_number(w.CreateAdd(exponent, mantissa));
  V* const zero = w.CreateFCmpOEQ(x, u.number(0));
  result = w.CreateSelect(w.CreateFCmpOEQ(x, u.infinity()), u.number(0), result);
  result = w.CreateSelect(w.CreateFCmpULT(x, u.number(0)), u.nan(), result);
  result = w.CreateSelect(zero, u.with_sign(u.infinity(), x), result);
  return w.CreateSelect(u.is_nan(x), u.nan(), result);
}

llvm::Value* root(WarpBuilder& w, V* x) {
  const Unit u(w, x);
  V* const bits = u.bits(x);
  V* const mantissa = root_mantissa(w, u, Table::sqrt, bits);
  V* const exponent = w.CreateAdd(u.u32(126u << 23), half_exponent(w, u, bits));
  V* result = u.as_number(w.CreateAdd(exponent, mantissa));
  V* const itself = w.CreateOr(w.CreateFCmpOEQ(x, u.number(0)), w.CreateFCmpOEQ(x, u.infinity()));
  result = w.CreateSelect(itself, x, result);
  return w.CreateSelect(w.CreateFCmpULT(x, u.number(0)), u.nan(), result);
}

// The angle in steps of 2^-25 turns, cut off. The table has a quarter; where a quarter runs
// backwards, the complement of the step is looked up.
llvm::Value* sine(WarpBuilder& w, V* turns, bool cosine) {
  const Unit u(w, turns);
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {turns});
  V* const finite = w.CreateFCmpOLT(magnitude, u.infinity());
  V* const angle = w.CreateSelect(finite, magnitude, u.number(0));
  V* const rest = w.CreateFSub(angle, whole(w, angle, Rounding::zero));
  V* const steps = w.CreateFPToSI(w.CreateFMul(rest, u.number(0x1p25)), u.u32(0)->getType());
  V* const quarter = w.CreateLShr(steps, u.u32(23));
  // All ones where the quarter is odd, for a cosine where it is even.
  V* backwards = w.CreateAShr(w.CreateShl(steps, u.u32(8)), u.u32(31));
  if (cosine) backwards = w.CreateNot(backwards);
  const Split at = split(u, w.CreateXor(steps, backwards), 6);
  V* const sum = u.sum(Table::sine, at.index, at.low);
  V* result = u.truncated(sum, -37);
  V* const none = w.CreateICmpEQ(steps, u.u32(0));
  if (cosine) {
    // Negative in the second and third quarter.
    V* const sign = w.CreateAnd(w.CreateAdd(quarter, u.u32(1)), u.u32(2));
    result = u.as_number(w.CreateXor(u.bits(result), w.CreateShl(sign, u.u32(30))));
    result = w.CreateSelect(none, u.number(1), result);
  } else {
    result = w.CreateSelect(none, u.number(0), result);
    V* const sign = w.CreateXor(w.CreateShl(w.CreateAnd(quarter, u.u32(2)), u.u32(30)),
                                w.CreateAnd(u.bits(turns), u.u32(1u << 31)));
    result = u.as_number(w.CreateXor(u.bits(result), sign));
  }
  return w.CreateSelect(finite, result, u.nan());
}

// Each power of two from 2^-8 to 8 has rows of its own, 1 to 16 of them. A smaller x is its own
// result, a larger one gives 1.
llvm::Value* hyperbolic_tangent(WarpBuilder& w, V* x) {
  constexpr int lowest = -8, powers = 11;
  constexpr unsigned row_bits[powers] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
  uint64_t bits_of_rows = 0, first_rows[2] = {};
  for (unsigned n = 0, first = 0; n < powers; ++n) {
    bits_of_rows |= uint64_t{row_bits[n]} << (4 * n);
    first_rows[n / 8] |= uint64_t{first} << (8 * (n % 8));
    first += 1u << row_bits[n];
  }
  const Unit u(w, x);
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {x});
  V* const bits = u.bits(magnitude);
  V* const small = w.CreateFCmpULT(magnitude, u.number(std::ldexp(1.0, lowest)));  // also NaN
  V* const large = w.CreateFCmpOGE(magnitude, u.number(std::ldexp(1.0, lowest + powers)));
  V* const outside = w.CreateOr(small, large);
  V* const power = w.CreateSelect(outside, u.u32(0),
                                  w.CreateSub(w.CreateLShr(bits, u.u32(23)), u.u32(127 + lowest)));
  V* const wide_power = u.widened(power);
  const auto picked = [&](uint64_t packed, V* at, unsigned width) {
    V* const shift = w.CreateMul(at, u.u64(at, width));
    return u.narrowed(
        w.CreateAnd(w.CreateLShr(u.u64(at, packed), shift), u.u64(at, (uint64_t{1} << width) - 1)));
  };
  V* const width = picked(bits_of_rows, wide_power, 4);
  V* const is_upper = w.CreateICmpUGE(wide_power, u.u64(wide_power, 8));
  V* const within = w.CreateAnd(wide_power, u.u64(wide_power, 7));
  V* const first =
      w.CreateSelect(is_upper, picked(first_rows[1], within, 8), picked(first_rows[0], within, 8));
  V* const mantissa = u.field(bits, 0, 23);
  V* const row = w.CreateAdd(first, w.CreateLShr(mantissa, w.CreateSub(u.u32(23), width)));
  V* const low = w.CreateAnd(w.CreateLShr(mantissa, w.CreateSub(u.u32(6), width)), u.u32(0x1ffff));
  V* result = u.truncated(u.sum(Table::tanh, row, low), -46);
  result = w.CreateSelect(small, magnitude, result);
  result = w.CreateSelect(large, u.number(1), result);
  return w.CreateSelect(u.is_nan(x), u.nan(), u.with_sign(result, x));
}

}  // namespace special

namespace {

// function(x times `scale` where `where`) and, there, what `back` makes of the result.
template <typename F, typename B>
V* scaled(WarpBuilder& w, V* x, V* where, double scale, const F& function, const B& back) {
  V* const factor = ConstantFP::get(x->getType(), scale);
  V* const result = function(w, w.CreateSelect(where, w.CreateFMul(x, factor), x));
  return w.CreateSelect(where, back(result), result);
}

}  // namespace

llvm::Value* special_function(WarpBuilder& w, const Instruction& i, V* x) {
  const auto number = [&](double value) { return ConstantFP::get(x->getType(), value); };
  const auto times = [&](double factor) {
    return [&w, &number, factor](V* result) { return w.CreateFMul(result, number(factor)); };
  };
  const bool ftz = i.has(dot::ftz);
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {x});
  V* const subnormal = w.CreateFCmpULT(magnitude, number(0x1p-126));
  switch (i.opcode) {
    case Opcode::ex2: {
      if (ftz) return special::exponential(w, x);
      V* const low = w.CreateFCmpULT(x, number(-126));
      return canonical(w, scaled(w, x, low, 0.5, special::exponential,
                                 [&](V* result) { return w.CreateFMul(result, result); }));
    }
    case Opcode::lg2:
      if (ftz) return special::logarithm(w, x);
      return canonical(w, scaled(w, x, subnormal, 0x1p24, special::logarithm,
                                 [&](V* result) { return w.CreateFSub(result, number(24)); }));
    case Opcode::rsqrt:
      if (ftz) return special::reciprocal_root(w, x);
      return canonical(w, scaled(w, x, subnormal, 0x1p24, special::reciprocal_root, times(0x1p12)));
    case Opcode::sqrt:
      if (ftz) return special::root(w, x);
      return canonical(w, scaled(w, x, subnormal, 0x1p24, special::root, times(0x1p-12)));
    case Opcode::rcp: {
      if (ftz) return special::reciprocal(w, x);
      V* const large = w.CreateFCmpOGT(magnitude, number(0x1p126));
      V* const factor =
          w.CreateSelect(subnormal, number(0x1p24), w.CreateSelect(large, number(0.25), number(1)));
      V* const result = special::reciprocal(w, w.CreateFMul(x, factor));
      return canonical(w, w.CreateFMul(result, factor));
    }
    case Opcode::sin:
    case Opcode::cos: {
      V* const turns = directed(w, Opcode::mul, Rounding::zero, {x, number(0x1.45f306p-3)});
      return special::sine(w, turns, i.opcode == Opcode::cos);
    }
    default:
      return special::hyperbolic_tangent(w, x);
  }
}

// Both operands are scaled where the divisor has no reciprocal, a large one for div.full alone.
llvm::Value* special_quotient(WarpBuilder& w, const Instruction& i, V* a, V* b) {
  const auto number = [&](double value) { return ConstantFP::get(b->getType(), value); };
  const bool ftz = i.has(dot::ftz);
  V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {b});
  V* factor = number(1);
  if (!ftz)
    factor = w.CreateSelect(w.CreateFCmpULT(magnitude, number(0x1p-126)), number(0x1p24), factor);
  if (i.has(dot::full))
    factor = w.CreateSelect(w.CreateFCmpOGT(magnitude, number(0x1p126)), number(0.25), factor);
  const auto flushed = [&](V* value) { return ftz ? flush(w, value) : value; };
  V* const divisor = flushed(w.CreateFMul(b, factor));
  V* const dividend = flushed(w.CreateFMul(a, factor));
  return flushed(canonical(w, w.CreateFMul(special::reciprocal(w, divisor), dividend)));
}

}  // namespace cuvette::ptx
