// SPDX-License-Identifier: Apache-2.0
// div of floating-point numbers.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/special_functions.hpp"

namespace cuvette::ptx {

using llvm::ConstantFP;

void emit_float_division(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  if (type != Type::f32 && type != Type::f64) return w.unsupported(i);
  if (i.has(dot::rz) || i.has(dot::rm) || i.has(dot::rp)) return emit_directed(w, i);
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  w.elementwise(i, {type, type}, type, [&](const std::vector<V*>& v) -> V* {
    if (type == Type::f32 && w.input().request.approx == Approx::hardware &&
        (i.has(dot::approx) || i.has(dot::full)))
      return special_quotient(w, i, ftz ? flush(w, v[0]) : v[0], ftz ? flush(w, v[1]) : v[1]);
    if (i.has(dot::approx) && type == Type::f32) {
      // Multiplies by the reciprocal: the reciprocal of the largest numbers is subnormal and is
      // lost.
      V* const a = ftz ? flush(w, v[0]) : v[0];
      V* const b = ftz ? flush(w, v[1]) : v[1];
      llvm::Type* const own = b->getType();
      V* const magnitude = w.intrinsic(llvm::Intrinsic::fabs, {b});
      V* const large = w.CreateAnd(w.CreateFCmpOGT(magnitude, ConstantFP::get(own, 0x1p126)),
                                   w.CreateFCmpOLT(magnitude, ConstantFP::getInfinity(own)));
      V* const none =
          w.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, ConstantFP::get(own, 0.0), b);
      V* const result =
          canonical(w, w.CreateSelect(large, w.CreateFMul(a, none), w.CreateFDiv(a, b)));
      return ftz ? flush(w, result) : result;
    }
    V* const quotient =
        ftz ? flush(w, w.CreateFDiv(flush(w, v[0]), flush(w, v[1]))) : w.CreateFDiv(v[0], v[1]);
    return type == Type::f32 ? canonical(w, quotient) : quotient;
  });
}

}  // namespace cuvette::ptx
