// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together: shuffles, votes, matches, sums; and barriers of the block.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

// bar.sync 0; barrier.sync id, threads; bar.red.popc.u32 d, id, p. A warp arrives as one.
void Emitter::emit_barrier(const Instruction& i) {
  if (i.has(dot::warp)) return compiler_fence();  // its lanes are where this instruction is
  if (i.has(dot::cluster)) return emit_cluster(i);
  const bool reduces = i.has(dot::red);
  size_t operand = reduces ? 1 : 0;
  V* const barrier =
      i.operands.size() > operand ? read_scalar(i.operands[operand], Type::u32) : i32(0);
  ++operand;
  V* threads = i32(0);
  if (i.operands.size() > operand + (reduces ? 1 : 0))
    threads = read_scalar(i.operands[operand++], Type::u32);
  if (i.has(dot::arrive)) {
    V* const status = call_helper(offsetof(Helpers, barrier_arrive), builder_.getInt32Ty(),
                                  function_->getArg(0), barrier, threads);
    when(
        builder_.CreateICmpNE(status, i32(0)), [&] { fail_warp(status); }, true);
    return;
  }
  const auto field = [&](size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offset);
  };
  builder_.CreateStore(barrier, field(offsetof(WarpFrame, barrier)));
  builder_.CreateStore(threads, field(offsetof(WarpFrame, barrier_threads)));
  builder_.CreateStore(active_bits(), field(offsetof(WarpFrame, lanes)));
  uint32_t reduction = 0;
  if (reduces) {
    Value predicate = read(i.operands[operand], Type::pred);
    V* const holds = builder_.CreateAnd(vector_of(predicate), active_mask());
    builder_.CreateStore(bits_of(holds), field(offsetof(WarpFrame, predicate)));
    reduction = i.has(dot::popc) ? 1 : i.has(dot::and_) ? 2 : 3;
  }
  builder_.CreateStore(i32(reduction), field(offsetof(WarpFrame, reduction)));
  suspend(waits_in(block_) ? Status::barrier_in_wait : Status::barrier,
          live_behind(block_, instruction_));
  if (!reduces) return;
  V* const result = builder_.CreateLoad(builder_.getInt32Ty(), field(offsetof(WarpFrame, result)));
  if (i.has(dot::popc))
    write(i.operands[0], uniform(result), Type::u32);
  else
    write(i.operands[0], uniform(builder_.CreateICmpNE(result, i32(0))), Type::pred);
}

// shfl.sync.down.b32 d|p, a, b, c, mask. c holds the segment's mask (bits 8 to 12) and the last
// lane that may be read; p says whether a lane was read that lies within.
void Emitter::emit_shuffle(const Instruction& i) {
  const Operand& to = i.operands[0];
  const bool with_predicate = to.kind == Operand::Kind::vector;
  V* const source = read_vector(i.operands[1], Type::b32);
  llvm::Type* const word = builder_.getInt32Ty();
  V* const lane = lanes(1, word);
  V* const b = builder_.CreateAnd(read_vector(i.operands[2], Type::u32), splat(i32(31)));
  V* const c = read_vector(i.operands[3], Type::u32);
  V* const bound = builder_.CreateAnd(c, splat(i32(31)));
  V* const segment = builder_.CreateAnd(builder_.CreateLShr(c, splat(i32(8))), splat(i32(31)));
  V* const outside = builder_.CreateNot(segment);
  V* const least = builder_.CreateAnd(lane, segment);
  V* const most = builder_.CreateOr(least, builder_.CreateAnd(bound, outside));
  V *from, *inside;
  if (i.has(dot::up)) {
    from = builder_.CreateSub(lane, b);
    inside = builder_.CreateICmpSGE(from, most);
  } else if (i.has(dot::down)) {
    from = builder_.CreateAdd(lane, b);
    inside = builder_.CreateICmpSLE(from, most);
  } else if (i.has(dot::bfly)) {
    from = builder_.CreateXor(lane, b);
    inside = builder_.CreateICmpSLE(from, most);
  } else {
    from = builder_.CreateOr(least, builder_.CreateAnd(b, outside));
    inside = builder_.CreateICmpSLE(from, most);
  }
  from = builder_.CreateAnd(builder_.CreateSelect(inside, from, lane), splat(i32(31)));
  V* const result = permuted(source, from);
  if (!with_predicate) return write(to, varying(result), Type::b32);
  write(to.elements[0], varying(result), Type::b32);
  write(to.elements[1], varying(inside), Type::pred);
}

// values[from[lane]] for each lane.
llvm::Value* Emitter::permuted(V* values, V* from) {
  if (auto* const constant = llvm::dyn_cast<llvm::Constant>(from)) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      auto* const one = llvm::dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
      if (!one) break;
      order.push_back(static_cast<int>(one->getZExtValue() & 31));
    }
    if (order.size() == warp_size) return builder_.CreateShuffleVector(values, order);
  }
  // Written down and gathered: what no fixed permutation is.
  llvm::Type* const type = llvm::cast<llvm::VectorType>(values->getType())->getElementType();
  llvm::AllocaInst* const array = array_of(type);
  builder_.CreateStore(values, array);
  V* const places = builder_.CreateGEP(type, array, from);
  return builder_.CreateMaskedGather(
      values->getType(), places, llvm::Align(4),
      llvm::Constant::getAllOnesValue(vector_type(builder_.getInt1Ty())));
}

void Emitter::emit_vote(const Instruction& i) {
  const Opcode op = i.opcode;
  V* const active = active_bits();
  if (op == Opcode::activemask) return write(i.operands[0], uniform(active), Type::b32);
  if (op == Opcode::elect) {
    // One of the lanes that each names: the first.
    V* const members = builder_.CreateAnd(vector_of(read(i.operands[1], Type::b32)), splat(active));
    V* const leader = intrinsic(llvm::Intrinsic::cttz, {members, builder_.getFalse()});
    V* const chosen = builder_.CreateICmpEQ(lanes(1, builder_.getInt32Ty()), leader);
    const Operand& to = i.operands[0];
    write(to.kind == Operand::Kind::vector ? to.elements[0] : to, varying(leader), Type::b32);
    if (to.kind == Operand::Kind::vector) write(to.elements[1], varying(chosen), Type::pred);
    return;
  }
  const Value predicate = read(i.operands[1], Type::pred);
  V* const holds = builder_.CreateAnd(bits_of(vector_of(predicate)), active);
  const Value named = i.has(dot::sync) ? read(i.operands.back(), Type::b32) : uniform(active);
  if (!named.shape.is_uniform()) {
    // Lanes vote in groups: each sees the votes of those that it names.
    V* const members = builder_.CreateAnd(vector_of(named), splat(active));
    V* const votes = builder_.CreateAnd(members, splat(holds));
    if (i.has(dot::ballot)) return write(i.operands[0], varying(votes), Type::b32);
    V* const some = builder_.CreateICmpNE(votes, splat(i32(0)));
    V* const all = builder_.CreateICmpEQ(votes, members);
    return write(i.operands[0],
                 varying(i.has(dot::any)   ? some
                         : i.has(dot::all) ? all
                                           : builder_.CreateOr(all, builder_.CreateNot(some))),
                 Type::pred);
  }
  if (i.has(dot::ballot)) return write(i.operands[0], uniform(holds), Type::b32);
  V* result;
  if (i.has(dot::any))
    result = builder_.CreateICmpNE(holds, i32(0));
  else if (i.has(dot::all))
    result = builder_.CreateICmpEQ(holds, active);
  else
    result = builder_.CreateOr(builder_.CreateICmpEQ(holds, active),
                               builder_.CreateICmpEQ(holds, i32(0)));
  write(i.operands[0], uniform(result), Type::pred);
}

// body(the first of them, all of them) for each set of lanes that name each other in `named`.
template <typename F>
void Emitter::for_each_group(V* named, const F& body) {
  V* const active = active_bits();
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const loop = new_block("group");
  llvm::BasicBlock* const behind = new_block("groups.done");
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* const bits = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  bits->addIncoming(active, before);
  V* const first = intrinsic(llvm::Intrinsic::cttz, {bits, builder_.getTrue()});
  V* const itself = builder_.CreateShl(i32(1), first);
  V* const members = builder_.CreateAnd(
      builder_.CreateOr(builder_.CreateExtractElement(named, first), itself), active);
  body(first, members);
  V* const rest = builder_.CreateAnd(bits, builder_.CreateNot(members));
  bits->addIncoming(rest, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpNE(rest, i32(0)), loop, behind);
  builder_.SetInsertPoint(behind);
}

// Which lanes hold the same value: one comparison with all for each different value.
void Emitter::emit_match(const Instruction& i) {
  const Type type = i.type();
  V* const values = read_vector(i.operands[1], type);
  const Operand& to = i.operands[0];
  const Value named = read(i.operands.back(), Type::b32);
  if (i.has(dot::all) && !named.shape.is_uniform()) {
    llvm::AllocaInst* const answers = array_of(builder_.getInt32Ty());
    builder_.CreateStore(llvm::Constant::getNullValue(vector_type(builder_.getInt32Ty())), answers);
    for_each_group(vector_of(named), [&](V* first, V* members) {
      V* const one = builder_.CreateExtractElement(values, first);
      V* const same =
          builder_.CreateAnd(bits_of(builder_.CreateICmpEQ(values, splat(one))), members);
      V* const answer =
          builder_.CreateSelect(builder_.CreateICmpEQ(same, members), members, i32(0));
      builder_.CreateMaskedStore(splat(answer), answers, llvm::Align(64), mask_of(members));
    });
    V* const answer = builder_.CreateLoad(vector_type(builder_.getInt32Ty()), answers);
    write(to.kind == Operand::Kind::vector ? to.elements[0] : to, varying(answer), Type::b32);
    if (to.kind == Operand::Kind::vector)
      write(to.elements[1], varying(builder_.CreateICmpNE(answer, splat(i32(0)))), Type::pred);
    return;
  }
  if (i.has(dot::all)) {
    V* const first = builder_.CreateExtractElement(
        values,
        builder_.CreateAnd(intrinsic(llvm::Intrinsic::cttz, {active_bits(), builder_.getFalse()}),
                           i32(31)));
    V* const same =
        builder_.CreateAnd(bits_of(builder_.CreateICmpEQ(values, splat(first))), active_bits());
    V* const all = builder_.CreateICmpEQ(same, active_bits());
    V* const result = builder_.CreateSelect(all, active_bits(), i32(0));
    write(to.kind == Operand::Kind::vector ? to.elements[0] : to, uniform(result), Type::b32);
    if (to.kind == Operand::Kind::vector) write(to.elements[1], uniform(all), Type::pred);
    return;
  }
  llvm::AllocaInst* const results = array_of(builder_.getInt32Ty());
  llvm::AllocaInst* const sources = array_of(element(type));
  builder_.CreateStore(values, sources);
  builder_.CreateStore(llvm::Constant::getNullValue(vector_type(builder_.getInt32Ty())), results);
  V* const active = active_bits();
  for_each_lane([&](V* lane) {
    V* const one =
        builder_.CreateLoad(element(type), builder_.CreateGEP(element(type), sources, lane));
    V* const same = builder_.CreateAnd(bits_of(builder_.CreateICmpEQ(values, splat(one))), active);
    builder_.CreateStore(same, builder_.CreateGEP(builder_.getInt32Ty(), results, lane));
  });
  V* found = builder_.CreateLoad(vector_type(builder_.getInt32Ty()), results);
  if (!named.shape.is_uniform()) found = builder_.CreateAnd(found, vector_of(named));
  write(to, varying(found), Type::b32);
}

void Emitter::emit_redux(const Instruction& i) {
  const Type type = i.type();
  if (is_floating(type)) return unsupported(i);
  V* const values = read_vector(i.operands[1], type);
  llvm::Type* const own = values->getType();
  const bool with_sign = is_signed(type);
  V* neutral = llvm::Constant::getNullValue(own);
  if (i.has(dot::and_)) neutral = llvm::Constant::getAllOnesValue(own);
  if (i.has(dot::min))
    neutral = ConstantInt::get(
        own, with_sign ? llvm::APInt::getSignedMaxValue(32) : llvm::APInt::getMaxValue(32));
  if (i.has(dot::max) && with_sign)
    neutral = ConstantInt::get(own, llvm::APInt::getSignedMinValue(32));
  const auto reduced = [&](V* members) {
    V* const taken = builder_.CreateSelect(members, values, neutral);
    if (i.has(dot::add)) return builder_.CreateAddReduce(taken);
    if (i.has(dot::min)) return builder_.CreateIntMinReduce(taken, with_sign);
    if (i.has(dot::max)) return builder_.CreateIntMaxReduce(taken, with_sign);
    if (i.has(dot::and_)) return builder_.CreateAndReduce(taken);
    return i.has(dot::or_) ? builder_.CreateOrReduce(taken) : builder_.CreateXorReduce(taken);
  };
  const Value named = read(i.operands.back(), Type::b32);
  if (named.shape.is_uniform()) return write(i.operands[0], uniform(reduced(active_mask())), type);
  llvm::AllocaInst* const results = array_of(element(type));
  builder_.CreateStore(llvm::Constant::getNullValue(own), results);
  for_each_group(vector_of(named), [&](V*, V* members) {
    V* const mask = mask_of(members);
    builder_.CreateMaskedStore(splat(reduced(mask)), results, llvm::Align(64), mask);
  });
  write(i.operands[0], varying(builder_.CreateLoad(own, results)), type);
}

}  // namespace cuvette::ptx
