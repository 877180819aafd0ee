// SPDX-License-Identifier: Apache-2.0
// Operations that the lanes of a warp execute together: shuffles, votes, matches, sums; and
// barriers of the block.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {
namespace {

llvm::Value* permuted(WarpBuilder& w, V* values, V* from);

// Whether all lanes of a warp have to come to the barrier together: it is of the aligned form, or
// no other instruction exists where the rest of them could come to it.
bool comes_whole(const WarpBuilder& w, const Instruction& barrier) {
  if (barrier.opcode == Opcode::bar || barrier.has(dot::aligned)) return true;
  return std::ranges::count_if(w.body().instructions, [](const Instruction& i) {
           return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && !i.has(dot::warp);
         }) == 1;
}

}  // namespace

using llvm::ConstantInt;

// bar.sync 0; barrier.sync id, threads; bar.red.popc.u32 d, id, p. A warp arrives as one.
void emit_barrier(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (i.has(dot::warp)) {
    if (w.input().request.watch)
      memory.order(Ordering::warp, w.CreateZExt(w.read_vector(i.operands[0], Type::b32),
                                                w.vector_type(w.getInt64Ty())));
    return compiler_fence(w);  // its lanes are where this instruction is
  }
  if (i.has(dot::cluster)) return emit_cluster(w, i);
  const bool reduces = i.has(dot::red);
  size_t operand = reduces ? 1 : 0;
  V* const barrier =
      i.operands.size() > operand ? w.read_scalar(i.operands[operand], Type::u32) : w.i32(0);
  ++operand;
  V* threads = w.i32(0);
  if (i.operands.size() > operand + (reduces ? 1 : 0))
    threads = w.read_scalar(i.operands[operand++], Type::u32);
  if (w.input().request.watch) {
    V* const fixed = w.i64(barrier_operand(0, 0, comes_whole(w, i), i.has(dot::arrive)));
    V* const operand = w.CreateOr(
        w.CreateOr(w.CreateZExt(w.CreateAnd(barrier, w.i32(0xffff)), w.getInt64Ty()), fixed),
        w.CreateShl(w.CreateZExt(threads, w.getInt64Ty()), w.i64(32)));
    memory.order(Ordering::barrier, w.splat(operand));
  }
  if (i.has(dot::arrive)) {
    V* const status = w.call_helper(offsetof(Helpers, barrier_arrive), w.getInt32Ty(), w.context(),
                                    barrier, threads, w.active_bits(), w.warp());
    w.when(
        w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); }, true);
    return;
  }
  const auto field = [&](size_t offset) {
    return w.CreateConstInBoundsGEP1_64(w.getInt8Ty(), w.frame(), offset);
  };
  w.CreateStore(barrier, field(offsetof(WarpFrame, barrier)));
  w.CreateStore(threads, field(offsetof(WarpFrame, barrier_threads)));
  const auto joined = [&](V* bits, V* others) { return others ? w.CreateOr(bits, others) : bits; };
  w.CreateStore(joined(w.active_bits(), w.joining.lanes), field(offsetof(WarpFrame, lanes)));
  uint32_t reduction = 0;
  if (reduces) {
    Value predicate = w.read(i.operands[operand], Type::pred);
    V* const holds = w.CreateAnd(w.vector_of(predicate), w.active_mask());
    w.CreateStore(joined(w.bits_of(holds), w.joining.holds), field(offsetof(WarpFrame, predicate)));
    reduction = i.has(dot::popc) ? 1 : i.has(dot::and_) ? 2 : 3;
  }
  w.CreateStore(w.i32(reduction), field(offsetof(WarpFrame, reduction)));
  w.suspend(w.waits_in(w.at.block) ? Status::barrier_in_wait : Status::barrier, w.live_behind());
  if (!reduces) return;
  V* const result = w.CreateLoad(w.getInt32Ty(), field(offsetof(WarpFrame, result)));
  if (w.joining.lanes) w.set(w.reduced(), result);
  write_reduced(w, i, result);
}

void write_reduced(WarpBuilder& w, const Instruction& i, V* result) {
  if (i.has(dot::popc))
    w.write(i.operands[0], uniform(result), Type::u32);
  else
    w.write(i.operands[0], uniform(w.CreateICmpNE(result, w.i32(0))), Type::pred);
}

// shfl.sync.down.b32 d|p, a, b, c, mask. c holds the segment's mask (bits 8 to 12) and the last
// lane that may be read; p says whether a lane was read that lies within.
ShuffleSources sources_of_shuffle(WarpBuilder& w, const Instruction& i) {
  V* const lane = w.lanes(1, w.getInt32Ty());
  V* const b = w.CreateAnd(w.read_vector(i.operands[2], Type::u32), w.splat(w.i32(31)));
  V* const c = w.read_vector(i.operands[3], Type::u32);
  V* const bound = w.CreateAnd(c, w.splat(w.i32(31)));
  V* const segment = w.CreateAnd(w.CreateLShr(c, w.splat(w.i32(8))), w.splat(w.i32(31)));
  V* const outside = w.CreateNot(segment);
  V* const least = w.CreateAnd(lane, segment);
  V* const most = w.CreateOr(least, w.CreateAnd(bound, outside));
  V *from, *inside;
  if (i.has(dot::up)) {
    from = w.CreateSub(lane, b);
    inside = w.CreateICmpSGE(from, most);
  } else if (i.has(dot::down)) {
    from = w.CreateAdd(lane, b);
    inside = w.CreateICmpSLE(from, most);
  } else if (i.has(dot::bfly)) {
    from = w.CreateXor(lane, b);
    inside = w.CreateICmpSLE(from, most);
  } else {
    from = w.CreateOr(least, w.CreateAnd(b, outside));
    inside = w.CreateICmpSLE(from, most);
  }
  return {w.CreateAnd(w.CreateSelect(inside, from, lane), w.splat(w.i32(31))), inside};
}

void emit_shuffle(WarpBuilder& w, const Instruction& i) {
  const Operand& to = i.operands[0];
  const bool with_predicate = to.kind == Operand::Kind::vector;
  V* const source = w.read_vector(i.operands[1], Type::b32);
  const auto [from, inside] = sources_of_shuffle(w, i);
  V* const result = permuted(w, source, from);
  if (!with_predicate) return w.write(to, varying(result), Type::b32);
  w.write(to.elements[0], varying(result), Type::b32);
  w.write(to.elements[1], varying(inside), Type::pred);
}

namespace {

// values[from[lane]] for each lane.
llvm::Value* permuted(WarpBuilder& w, V* values, V* from) {
  if (auto* const constant = llvm::dyn_cast<llvm::Constant>(from)) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      auto* const one = llvm::dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
      if (!one) break;
      order.push_back(static_cast<int>(one->getZExtValue() & 31));
    }
    if (order.size() == warp_size) return w.CreateShuffleVector(values, order);
  }
  // Not a fixed permutation: stores the values and gathers them.
  llvm::Type* const type = llvm::cast<llvm::VectorType>(values->getType())->getElementType();
  llvm::AllocaInst* const array = w.array_of(type);
  w.CreateStore(values, array);
  V* const places = w.CreateGEP(type, array, from);
  return w.CreateMaskedGather(values->getType(), places, llvm::Align(4),
                              llvm::Constant::getAllOnesValue(w.vector_type(w.getInt1Ty())));
}

}  // namespace

void emit_vote(WarpBuilder& w, const Instruction& i) {
  const Opcode op = i.opcode;
  V* const active = w.active_bits();
  if (op == Opcode::activemask) return w.write(i.operands[0], uniform(active), Type::b32);
  if (op == Opcode::elect) {
    // One of the lanes that each names: the first.
    V* const members = w.CreateAnd(w.vector_of(w.read(i.operands[1], Type::b32)), w.splat(active));
    V* const leader = w.intrinsic(llvm::Intrinsic::cttz, {members, w.getFalse()});
    V* const chosen = w.CreateICmpEQ(w.lanes(1, w.getInt32Ty()), leader);
    const Operand& to = i.operands[0];
    w.write(to.kind == Operand::Kind::vector ? to.elements[0] : to, varying(leader), Type::b32);
    if (to.kind == Operand::Kind::vector) w.write(to.elements[1], varying(chosen), Type::pred);
    return;
  }
  const Value predicate = w.read(i.operands[1], Type::pred);
  V* const holds = w.CreateAnd(w.bits_of(w.vector_of(predicate)), active);
  const Value named = i.has(dot::sync) ? w.read(i.operands.back(), Type::b32) : uniform(active);
  if (!named.shape.is_uniform()) {
    // Lanes vote in groups: each sees the votes of the lanes that it names.
    V* const members = w.CreateAnd(w.vector_of(named), w.splat(active));
    V* const votes = w.CreateAnd(members, w.splat(holds));
    if (i.has(dot::ballot)) return w.write(i.operands[0], varying(votes), Type::b32);
    V* const some = w.CreateICmpNE(votes, w.splat(w.i32(0)));
    V* const all = w.CreateICmpEQ(votes, members);
    return w.write(i.operands[0],
                   varying(i.has(dot::any)   ? some
                           : i.has(dot::all) ? all
                                             : w.CreateOr(all, w.CreateNot(some))),
                   Type::pred);
  }
  if (i.has(dot::ballot)) return w.write(i.operands[0], uniform(holds), Type::b32);
  V* result;
  if (i.has(dot::any))
    result = w.CreateICmpNE(holds, w.i32(0));
  else if (i.has(dot::all))
    result = w.CreateICmpEQ(holds, active);
  else
    result = w.CreateOr(w.CreateICmpEQ(holds, active), w.CreateICmpEQ(holds, w.i32(0)));
  w.write(i.operands[0], uniform(result), Type::pred);
}

namespace {

// Calls body(first lane, all lanes) for each set of lanes that name each other in `named`.
template <typename F>
void for_each_group(WarpBuilder& w, V* named, const F& body) {
  V* const active = w.active_bits();
  llvm::BasicBlock* const before = w.GetInsertBlock();
  llvm::BasicBlock* const loop = w.new_block("group");
  llvm::BasicBlock* const behind = w.new_block("groups.done");
  w.CreateBr(loop);
  w.SetInsertPoint(loop);
  llvm::PHINode* const bits = w.CreatePHI(w.getInt32Ty(), 2);
  bits->addIncoming(active, before);
  V* const first = w.intrinsic(llvm::Intrinsic::cttz, {bits, w.getTrue()});
  V* const itself = w.CreateShl(w.i32(1), first);
  V* const members = w.CreateAnd(w.CreateOr(w.CreateExtractElement(named, first), itself), active);
  body(first, members);
  V* const rest = w.CreateAnd(bits, w.CreateNot(members));
  bits->addIncoming(rest, w.GetInsertBlock());
  w.CreateCondBr(w.CreateICmpNE(rest, w.i32(0)), loop, behind);
  w.SetInsertPoint(behind);
}

}  // namespace

// Which lanes hold the same value: one comparison with all for each different value.
void emit_match(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  V* const values = w.read_vector(i.operands[1], type);
  const Operand& to = i.operands[0];
  const Value named = w.read(i.operands.back(), Type::b32);
  if (i.has(dot::all) && !named.shape.is_uniform()) {
    llvm::AllocaInst* const answers = w.array_of(w.getInt32Ty());
    w.CreateStore(llvm::Constant::getNullValue(w.vector_type(w.getInt32Ty())), answers);
    for_each_group(w, w.vector_of(named), [&](V* first, V* members) {
      V* const one = w.CreateExtractElement(values, first);
      V* const same = w.CreateAnd(w.bits_of(w.CreateICmpEQ(values, w.splat(one))), members);
      V* const answer = w.CreateSelect(w.CreateICmpEQ(same, members), members, w.i32(0));
      w.CreateMaskedStore(w.splat(answer), answers, llvm::Align(64), w.mask_of(members));
    });
    V* const answer = w.CreateLoad(w.vector_type(w.getInt32Ty()), answers);
    w.write(to.kind == Operand::Kind::vector ? to.elements[0] : to, varying(answer), Type::b32);
    if (to.kind == Operand::Kind::vector)
      w.write(to.elements[1], varying(w.CreateICmpNE(answer, w.splat(w.i32(0)))), Type::pred);
    return;
  }
  if (i.has(dot::all)) {
    V* const first = w.CreateExtractElement(
        values, w.CreateAnd(w.intrinsic(llvm::Intrinsic::cttz, {w.active_bits(), w.getFalse()}),
                            w.i32(31)));
    V* const same = w.CreateAnd(w.bits_of(w.CreateICmpEQ(values, w.splat(first))), w.active_bits());
    V* const all = w.CreateICmpEQ(same, w.active_bits());
    V* const result = w.CreateSelect(all, w.active_bits(), w.i32(0));
    w.write(to.kind == Operand::Kind::vector ? to.elements[0] : to, uniform(result), Type::b32);
    if (to.kind == Operand::Kind::vector) w.write(to.elements[1], uniform(all), Type::pred);
    return;
  }
  llvm::AllocaInst* const results = w.array_of(w.getInt32Ty());
  llvm::AllocaInst* const sources = w.array_of(w.element(type));
  w.CreateStore(values, sources);
  w.CreateStore(llvm::Constant::getNullValue(w.vector_type(w.getInt32Ty())), results);
  V* const active = w.active_bits();
  w.for_each_lane([&](V* lane) {
    V* const one = w.CreateLoad(w.element(type), w.CreateGEP(w.element(type), sources, lane));
    V* const same = w.CreateAnd(w.bits_of(w.CreateICmpEQ(values, w.splat(one))), active);
    w.CreateStore(same, w.CreateGEP(w.getInt32Ty(), results, lane));
  });
  V* found = w.CreateLoad(w.vector_type(w.getInt32Ty()), results);
  if (!named.shape.is_uniform()) found = w.CreateAnd(found, w.vector_of(named));
  w.write(to, varying(found), Type::b32);
}

void emit_redux(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  if (is_floating(type)) return w.unsupported(i);
  V* const values = w.read_vector(i.operands[1], type);
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
    V* const taken = w.CreateSelect(members, values, neutral);
    if (i.has(dot::add)) return w.CreateAddReduce(taken);
    if (i.has(dot::min)) return w.CreateIntMinReduce(taken, with_sign);
    if (i.has(dot::max)) return w.CreateIntMaxReduce(taken, with_sign);
    if (i.has(dot::and_)) return w.CreateAndReduce(taken);
    return i.has(dot::or_) ? w.CreateOrReduce(taken) : w.CreateXorReduce(taken);
  };
  const Value named = w.read(i.operands.back(), Type::b32);
  if (named.shape.is_uniform())
    return w.write(i.operands[0], uniform(reduced(w.active_mask())), type);
  llvm::AllocaInst* const results = w.array_of(w.element(type));
  w.CreateStore(llvm::Constant::getNullValue(own), results);
  for_each_group(w, w.vector_of(named), [&](V*, V* members) {
    V* const mask = w.mask_of(members);
    w.CreateMaskedStore(w.splat(reduced(mask)), results, llvm::Align(64), mask);
  });
  w.write(i.operands[0], varying(w.CreateLoad(own, results)), type);
}

}  // namespace cuvette::ptx
