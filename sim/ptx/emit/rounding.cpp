// SPDX-License-Identifier: Apache-2.0
// Arithmetic that rounds towards zero, up or down. Processors with AVX-512 take the mode with each
// instruction; others have a mode, which is set for one operation in its own function, so that
// nothing else comes into it.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/lanes.hpp"
#include "sim/ptx/emit/number_formats.hpp"

namespace cuvette::ptx {
namespace {

llvm::Value* directed_wide(WarpBuilder& w, Opcode operation, Rounding rounding,
                           const std::vector<V*>& operands);
llvm::Function* rounding_function(WarpBuilder& w, Opcode operation, Rounding rounding,
                                  const std::vector<V*>& operands);

}  // namespace

using llvm::ConstantFP;
using llvm::ConstantInt;
using llvm::Intrinsic::ID;

void emit_directed(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const bool ftz = i.has(dot::ftz) && type == Type::f32;
  const auto compute = [&](const std::vector<V*>& values) -> V* {
    std::vector<V*> v = values;
    if (ftz)
      for (V*& one : v) one = flush(w, one);
    Opcode operation = i.opcode == Opcode::mad ? Opcode::fma : i.opcode;
    if (operation == Opcode::rcp) {
      v.insert(v.begin(), ConstantFP::get(v[0]->getType(), 1.0));
      operation = Opcode::div;
    }
    V* result = directed(w, operation, rounding_of(i), v);
    if (type == Type::f32) result = canonical(w, result);
    if (ftz) result = flush(w, result);
    return i.has(dot::sat) ? saturate(w, result) : result;
  };
  if (i.operands.size() == 2) return w.elementwise(i, {type}, type, compute);
  if (i.operands.size() == 3) return w.elementwise(i, {type, type}, type, compute);
  w.elementwise(i, {type, type, type}, type, compute);
}

llvm::Value* directed(WarpBuilder& w, Opcode operation, Rounding rounding,
                      const std::vector<V*>& operands) {
  if (w.input().request.vectors == Vectors::avx512)
    return directed_wide(w, operation, rounding, operands);
  const bool f32 = operands[0]->getType()->getScalarType()->isFloatTy();
  if (operation == Opcode::fma && f32 && w.input().request.vectors == Vectors::sse) {
    // The product is exact in f64, the sum as good as that; zero has the sign that a sum of exact
    // numbers has.
    llvm::Type* const wide = like(w, operands[0], w.getDoubleTy());
    V* const product =
        w.CreateFMul(w.CreateFPExt(operands[0], wide), w.CreateFPExt(operands[1], wide));
    V* const addend = w.CreateFPExt(operands[2], wide);
    V* const bits = narrow(w, odd_sum(w, product, addend), f32_format, rounding, false);
    V* result = w.bits_as(bits, w.getFloatTy());
    if (rounding != Rounding::down) return result;
    llvm::Type* const whole_type = like(w, product, w.getInt64Ty());
    V* const signs =
        w.CreateOr(w.CreateBitCast(product, whole_type), w.CreateBitCast(addend, whole_type));
    V* const minus = w.CreateICmpSLT(signs, llvm::Constant::getNullValue(whole_type));
    V* const zero = w.CreateFCmpOEQ(result, llvm::Constant::getNullValue(result->getType()));
    V* const exact =
        w.CreateFCmpOEQ(w.CreateFAdd(product, addend), llvm::Constant::getNullValue(wide));
    return w.CreateSelect(w.CreateAnd(minus, w.CreateAnd(zero, exact)),
                          ConstantFP::getNegativeZero(result->getType()), result);
  }
  std::vector<V*> arguments = operands;
  llvm::Function* const function = rounding_function(w, operation, rounding, operands);
  if (function->arg_size() > operands.size()) {
    V* const table = w.context_field(offsetof(BlockContext, helpers), w.getPtrTy());
    arguments.push_back(w.CreateLoad(
        w.getPtrTy(), w.CreateConstInBoundsGEP1_64(w.getInt8Ty(), table, offsetof(Helpers, math))));
  }
  return w.CreateCall(function, arguments);
}

namespace {

// In pieces of 512 bits; a scalar is the first element of one.
llvm::Value* directed_wide(WarpBuilder& w, Opcode operation, Rounding rounding,
                           const std::vector<V*>& operands) {
  const bool single = operands[0]->getType()->getScalarType()->isFloatTy();
  const ID id = operation == Opcode::add   ? (single ? llvm::Intrinsic::x86_avx512_add_ps_512
                                                     : llvm::Intrinsic::x86_avx512_add_pd_512)
                : operation == Opcode::sub ? (single ? llvm::Intrinsic::x86_avx512_sub_ps_512
                                                     : llvm::Intrinsic::x86_avx512_sub_pd_512)
                : operation == Opcode::mul ? (single ? llvm::Intrinsic::x86_avx512_mul_ps_512
                                                     : llvm::Intrinsic::x86_avx512_mul_pd_512)
                : operation == Opcode::div ? (single ? llvm::Intrinsic::x86_avx512_div_ps_512
                                                     : llvm::Intrinsic::x86_avx512_div_pd_512)
                : operation == Opcode::fma ? (single ? llvm::Intrinsic::x86_avx512_vfmadd_ps_512
                                                     : llvm::Intrinsic::x86_avx512_vfmadd_pd_512)
                                           : (single ? llvm::Intrinsic::x86_avx512_sqrt_ps_512
                                                     : llvm::Intrinsic::x86_avx512_sqrt_pd_512);
  // Without exceptions, and the direction.
  const uint32_t mode = 8 + (rounding == Rounding::down ? 1u : rounding == Rounding::up ? 2u : 3u);
  const unsigned lanes = single ? 16 : 8;
  const auto piece = [&](const std::vector<V*>& parts) {
    std::vector<V*> arguments = parts;
    arguments.push_back(w.i32(mode));
    return w.CreateIntrinsic(id, {}, arguments);
  };
  std::vector<V*> parts;
  if (!operands[0]->getType()->isVectorTy()) {
    for (V* const operand : operands) parts.push_back(w.splat(operand, lanes));
    return w.CreateExtractElement(piece(parts), uint64_t{0});
  }
  std::vector<V*> results;
  for (unsigned first = 0; first < warp_size; first += lanes) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < lanes; ++lane) order.push_back(static_cast<int>(first + lane));
    parts.clear();
    for (V* const operand : operands) parts.push_back(w.CreateShuffleVector(operand, order));
    results.push_back(piece(parts));
  }
  while (results.size() > 1) {
    std::vector<V*> joined;
    for (size_t n = 0; n < results.size(); n += 2)
      joined.push_back(concatenate(w, results[n], results[n + 1]));
    results = joined;
  }
  return results[0];
}

// f(operands): sets the mode, computes, and sets the mode back. Functions that need the machine's
// help get its address as the last argument.
llvm::Function* rounding_function(WarpBuilder& w, Opcode operation, Rounding rounding,
                                  const std::vector<V*>& operands) {
  llvm::Type* const type = operands[0]->getType();
  const bool single = type->getScalarType()->isFloatTy();
  const std::string name = "round." + std::string(name_of(operation)) +
                           (single ? ".f32." : ".f64.") + (type->isVectorTy() ? "v" : "s") +
                           std::to_string(static_cast<int>(rounding));
  if (llvm::Function* const known = w.module().getFunction(name)) return known;
  const bool helped = operation == Opcode::fma && w.input().request.vectors == Vectors::sse;
  std::vector<llvm::Type*> parameters(operands.size(), type);
  if (helped) parameters.push_back(w.getPtrTy());
  llvm::Function* const function =
      llvm::Function::Create(llvm::FunctionType::get(type, parameters, false),
                             llvm::Function::InternalLinkage, name, w.module());
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::StrictFP);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(w.getContext(), "", function));
  builder.setIsFPConstrained(true);
  builder.setDefaultConstrainedRounding(llvm::RoundingMode::Dynamic);
  builder.setDefaultConstrainedExcept(llvm::fp::ebStrict);
  llvm::Type* const word = builder.getInt32Ty();
  V* const old_mode = builder.CreateAlloca(word);
  V* const new_mode = builder.CreateAlloca(word);
  std::vector<V*> places;
  if (helped)
    for (int n = 0; n < 4; ++n) places.push_back(builder.CreateAlloca(type));
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_stmxcsr, {}, {old_mode});
  const uint32_t bits = rounding == Rounding::down ? 1 : rounding == Rounding::up ? 2 : 3;
  V* const cleared = builder.CreateAnd(builder.CreateLoad(word, old_mode), w.i32(~0x6000u));
  builder.CreateStore(builder.CreateOr(cleared, w.i32(bits << 13)), new_mode);
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {new_mode});
  V* result;
  std::vector<V*> v;
  for (size_t n = 0; n < operands.size(); ++n)
    v.push_back(function->getArg(static_cast<unsigned>(n)));
  if (helped) {
    const MathFunction which = single ? MathFunction::fma_f32 : MathFunction::fma_f64;
    for (int n = 0; n < 3; ++n)
      builder.CreateStore(v[static_cast<size_t>(n)], places[static_cast<size_t>(n) + 1]);
    llvm::Type* const pointer = builder.getPtrTy();
    builder.CreateCall(
        llvm::FunctionType::get(builder.getVoidTy(),
                                {word, pointer, pointer, pointer, pointer, word}, false),
        function->getArg(3),
        {w.i32(static_cast<uint32_t>(which)), places[0], places[1], places[2], places[3],
         w.i32(type->isVectorTy() ? UINT32_MAX : 1)});
    result = builder.CreateLoad(type, places[0]);
  } else if (operation == Opcode::fma || operation == Opcode::sqrt) {
    const ID id = operation == Opcode::fma ? llvm::Intrinsic::experimental_constrained_fma
                                           : llvm::Intrinsic::experimental_constrained_sqrt;
    result = builder.CreateConstrainedFPCall(
        llvm::Intrinsic::getDeclaration(&w.module(), id, {type}), v);
  } else {
    result = operation == Opcode::add   ? builder.CreateFAdd(v[0], v[1])
             : operation == Opcode::sub ? builder.CreateFSub(v[0], v[1])
             : operation == Opcode::mul ? builder.CreateFMul(v[0], v[1])
                                        : builder.CreateFDiv(v[0], v[1]);
  }
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {old_mode});
  builder.CreateRet(result);
  return function;
}

}  // namespace

}  // namespace cuvette::ptx
