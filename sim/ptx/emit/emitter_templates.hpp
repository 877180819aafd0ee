// SPDX-License-Identifier: Apache-2.0
// Emitter's templates, which many of its files use: code under a condition, for each lane, and what
// is computed lane by lane from operands. Only emitter.hpp includes this, at its end.
#pragma once

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

template <typename F>
void Emitter::when(V* condition, const F& body, bool rarely) {
  llvm::BasicBlock* const then = new_block("then");
  llvm::BasicBlock* const behind = new_block("behind");
  llvm::BranchInst* const branch = builder_.CreateCondBr(condition, then, behind);
  if (rarely) unlikely(branch);
  builder_.SetInsertPoint(then);
  body();
  if (!builder_.GetInsertBlock()->getTerminator()) builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
}

template <typename F>
void Emitter::elementwise(const Instruction& instruction, std::initializer_list<Type> from, Type to,
                          const F& compute) {
  std::vector<Value> values;
  size_t operand = 1;
  for (const Type type : from) values.push_back(read(instruction.operands[operand++], type));
  // All the same, in the warp or in its halves: once. Otherwise lane by lane.
  bool same = true, linear = true;
  for (const Value& value : values) {
    same &= value.shape.has_no_stride();
    linear &= value.shape.linear || value.shape.is_varying();
  }
  Value result;
  if (same) {
    result.shape = {Shape::Kind::affine, linear, false, 0};
    for (int half = 0; half < (linear ? 1 : 2); ++half) {
      std::vector<V*> arguments;
      for (const Value& value : values)
        arguments.push_back(value.scalar[value.shape.linear ? 0 : half]);
      result.scalar[half] = compute(arguments);
    }
  } else {
    std::vector<V*> arguments;
    for (const Value& value : values) arguments.push_back(vector_of(value));
    result = varying(compute(arguments));
  }
  write(instruction.operands[0], result, to);
}

// Computes 16 bits from the 16 bits of each operand, for each half where there are two.
template <typename F>
void Emitter::each_small(const Instruction& i, Type type, const F& compute) {
  const bool pair = size_of(type) == 4;
  const auto both = [&](const std::vector<V*>& v) -> V* {
    if (!pair) return compute(v);
    std::vector<V*> low, high;
    for (V* const value : v) {
      llvm::Type* const half = like(value, builder_.getInt16Ty());
      low.push_back(builder_.CreateTrunc(value, half));
      high.push_back(builder_.CreateTrunc(
          builder_.CreateLShr(value, llvm::ConstantInt::get(value->getType(), 16)), half));
    }
    llvm::Type* const own = v[0]->getType();
    V* const lower = builder_.CreateZExt(compute(low), own);
    V* const upper = builder_.CreateZExt(compute(high), own);
    return builder_.CreateOr(lower, builder_.CreateShl(upper, llvm::ConstantInt::get(own, 16)));
  };
  const Type bits = pair ? Type::b32 : Type::b16;
  if (i.operands.size() == 2) return elementwise(i, {bits}, bits, both);
  if (i.operands.size() == 3) return elementwise(i, {bits, bits}, bits, both);
  elementwise(i, {bits, bits, bits}, bits, both);
}

template <typename F>
void Emitter::for_each_lane(const F& body) {
  // while (left) { lane = ctz(left); body(lane); left &= left - 1; }
  V* const all = active_bits();
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const loop = new_block("lane");
  llvm::BasicBlock* const behind = new_block("lanes.done");
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* const bits = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  bits->addIncoming(all, before);
  V* const lane = intrinsic(llvm::Intrinsic::cttz, {bits, builder_.getTrue()});
  body(lane);
  V* const rest = builder_.CreateAnd(bits, builder_.CreateSub(bits, i32(1)));
  bits->addIncoming(rest, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpNE(rest, i32(0)), loop, behind);
  builder_.SetInsertPoint(behind);
}

template <typename F>
void Emitter::for_each_lane_quickly(const F& body) {
  constexpr uint32_t group = 8;
  const auto groups = [&] {
    llvm::BasicBlock* const before = builder_.GetInsertBlock();
    llvm::BasicBlock* const loop = new_block("lanes");
    llvm::BasicBlock* const behind = new_block("lanes.done");
    builder_.CreateBr(loop);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* const first = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    first->addIncoming(i64(0), before);
    for (uint32_t lane = 0; lane < group; ++lane)
      body(builder_.CreateAdd(first, i64(lane), "", true, true));
    V* const next = builder_.CreateAdd(first, i64(group), "", true, true);
    first->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpULT(next, i64(warp_size)), loop, behind);
    builder_.SetInsertPoint(behind);
  };
  if (all_active()) return groups();
  llvm::BasicBlock* const all = new_block("all");
  llvm::BasicBlock* const some = new_block("some");
  llvm::BasicBlock* const behind = new_block("each.done");
  builder_.CreateCondBr(builder_.CreateICmpEQ(active_bits(), i32(UINT32_MAX)), all, some);
  builder_.SetInsertPoint(all);
  groups();
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(some);
  for_each_lane(body);
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
}

template <typename... Arguments>
llvm::Value* Emitter::call_helper(size_t offset, llvm::Type* result, Arguments... arguments) {
  std::vector<V*> values{arguments...};
  std::vector<llvm::Type*> types;
  for (V* const value : values) types.push_back(value->getType());
  V* const table = context_field(offsetof(BlockContext, helpers), builder_.getPtrTy());
  V* const function =
      builder_.CreateLoad(builder_.getPtrTy(),
                          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), table, offset));
  llvm::CallInst* const call =
      builder_.CreateCall(llvm::FunctionType::get(result, types, false), function, values);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

}  // namespace cuvette::ptx
