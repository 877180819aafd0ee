// SPDX-License-Identifier: Apache-2.0
// Atomic operations: lane after lane, since two lanes may meet at one address.
//
// A block runs on one thread of the processor, so nobody comes in between in its shared memory:
// what is there is read and written plainly. Where all lanes are at one address, what they do
// together is found first and done once, as if they had come one behind the other.
#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/emit/formats.hpp"

namespace cuvette::ptx {

using llvm::AtomicOrdering;
using llvm::ConstantFP;
using llvm::ConstantInt;

namespace {

AtomicOrdering order_of(const Instruction& i) {
  return i.has(dot::acquire) || i.has(dot::release) || i.has(dot::acq_rel)
             ? AtomicOrdering::SequentiallyConsistent
             : AtomicOrdering::Monotonic;
}

// What the processor does in one instruction or LLVM makes of one.
std::optional<llvm::AtomicRMWInst::BinOp> whole_operation(const Instruction& i) {
  using Op = llvm::AtomicRMWInst;
  if (is_floating(i.type())) return {};
  if (i.has(dot::add)) return Op::Add;
  if (i.has(dot::and_)) return Op::And;
  if (i.has(dot::or_)) return Op::Or;
  if (i.has(dot::xor_)) return Op::Xor;
  if (i.has(dot::exch)) return Op::Xchg;
  return {};
}

}  // namespace

// What `old` becomes; one number or one for each lane.
llvm::Value* Emitter::updated(const Instruction& i, V* old, V* b, V* c) {
  const Type type = i.type();
  llvm::Type* const own = old->getType();
  if (type == Type::f16x2 || type == Type::bf16x2) {
    Instruction one = i;
    one.types.back() = single_of(type);
    const auto half = [&](V* value, unsigned shift) {
      return builder_.CreateTrunc(builder_.CreateLShr(value, ConstantInt::get(own, shift)),
                                  builder_.getInt16Ty());
    };
    V* const low = builder_.CreateZExt(updated(one, half(old, 0), half(b, 0), nullptr), own);
    V* const high = builder_.CreateZExt(updated(one, half(old, 16), half(b, 16), nullptr), own);
    return builder_.CreateOr(low, builder_.CreateShl(high, ConstantInt::get(own, 16)));
  }
  if (is_small(type)) {
    V* const x = widen(old, format_of(type));
    V* const y = widen(b, format_of(type));
    V* result;
    if (i.has(dot::add)) {
      result = builder_.CreateFAdd(x, y);
    } else {
      // The number, where the other is none.
      V* const first =
          i.has(dot::min) ? builder_.CreateFCmpOLT(x, y) : builder_.CreateFCmpOGT(x, y);
      V* const none = builder_.CreateFCmpUNO(y, y);
      result = builder_.CreateSelect(builder_.CreateOr(first, none), x, y);
    }
    return narrow(result, format_of(type), Rounding::nearest, false);
  }
  if (i.has(dot::add)) {
    if (!is_floating(type)) return builder_.CreateAdd(old, b);
    V* const sum = builder_.CreateFAdd(old, b);
    if (type != Type::f32 || space_of(i, i.operands[0]) == Space::shared) return sum;
    // In shared memory subnormal numbers stay what they are, elsewhere they are zeros.
    V* const flushed = flush(builder_.CreateFAdd(flush(old), flush(b)));
    return in_shared_ ? builder_.CreateSelect(in_shared_, sum, flushed) : flushed;
  }
  if (i.has(dot::and_)) return builder_.CreateAnd(old, b);
  if (i.has(dot::or_)) return builder_.CreateOr(old, b);
  if (i.has(dot::xor_)) return builder_.CreateXor(old, b);
  if (i.has(dot::exch)) return b;
  if (i.has(dot::cas)) return builder_.CreateSelect(builder_.CreateICmpEQ(old, b), c, old);
  V* const zero = llvm::Constant::getNullValue(own);
  V* const one = ConstantInt::get(own, 1);
  if (i.has(dot::inc))
    return builder_.CreateSelect(builder_.CreateICmpUGE(old, b), zero,
                                 builder_.CreateAdd(old, one));
  if (i.has(dot::dec))
    return builder_.CreateSelect(
        builder_.CreateOr(builder_.CreateICmpEQ(old, zero), builder_.CreateICmpUGT(old, b)), b,
        builder_.CreateSub(old, one));
  return builder_.CreateBinaryIntrinsic(
      i.has(dot::min) ? (is_signed(type) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                      : (is_signed(type) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax),
      old, b);
}

// Puts update(what is there) at `place`; what was there before.
template <typename F>
llvm::Value* Emitter::replace(const Instruction& i, bool alone, llvm::Type* type, V* place,
                              const F& update) {
  const llvm::Align align(type->getPrimitiveSizeInBits() / 8);
  if (alone) {
    V* const old = builder_.CreateAlignedLoad(type, place, align);
    builder_.CreateAlignedStore(update(old), place, align);
    return old;
  }
  llvm::Type* const bits = builder_.getIntNTy(type->getPrimitiveSizeInBits());
  llvm::LoadInst* const first = builder_.CreateAlignedLoad(bits, place, align);
  first->setAtomic(AtomicOrdering::Monotonic);
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::BasicBlock* const again = new_block("again");
  llvm::BasicBlock* const done = new_block("replaced");
  builder_.CreateBr(again);
  builder_.SetInsertPoint(again);
  llvm::PHINode* const seen = builder_.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  V* const wanted = bits_as(update(bits_as(seen, type)), bits);
  const AtomicOrdering order = order_of(i);
  V* const outcome =
      builder_.CreateAtomicCmpXchg(place, seen, wanted, align, order,
                                   llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
  seen->addIncoming(builder_.CreateExtractValue(outcome, 0), builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateExtractValue(outcome, 1), done, again);
  builder_.SetInsertPoint(done);
  return bits_as(seen, type);
}

// One lane's operation; what was there before.
llvm::Value* Emitter::atomic_at(const Instruction& i, bool alone, V* place, V* b, V* c) {
  llvm::Type* const type = b->getType();
  const llvm::Align align(type->getPrimitiveSizeInBits() / 8);
  const AtomicOrdering order = order_of(i);
  find_whether_shared(i, place);
  if (!alone) {
    if (i.has(dot::cas))
      return builder_.CreateExtractValue(
          builder_.CreateAtomicCmpXchg(place, b, c, align, order,
                                       llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order)),
          0);
    if (const auto operation = whole_operation(i))
      return builder_.CreateAtomicRMW(*operation, place, b, align, order);
  }
  return replace(i, alone, type, place, [&](V* old) { return updated(i, old, b, c); });
}

// Of a sum of f32 at a generic address: updated() asks for it.
void Emitter::find_whether_shared(const Instruction& i, V* place) {
  in_shared_ = nullptr;
  if (i.type() != Type::f32 || !i.has(dot::add) || space_of(i, i.operands[0]) != Space::generic)
    return;
  llvm::Type* const wide = builder_.getInt64Ty();
  V* const begin = context_field(offsetof(BlockContext, shared), builder_.getPtrTy());
  in_shared_ = builder_.CreateICmpULT(builder_.CreateSub(builder_.CreatePtrToInt(place, wide),
                                                         builder_.CreatePtrToInt(begin, wide)),
                                      context_field(offsetof(BlockContext, shared_bytes), wide));
}

void Emitter::emit_atomic(const Instruction& i) {
  if (i.has(dot::async)) return unsupported(i);
  const bool returns = i.opcode == Opcode::atom;
  const Operand& to = i.operands[0];
  const Operand& at = i.operands[returns ? 1 : 0];
  const Operand* const from = &i.operands[returns ? 2 : 1];
  const Type type = i.type();
  const bool vectors = from->kind == Operand::Kind::vector;
  if (vectors && returns && to.elements.size() != from->elements.size())
    return unsupported(i, "these vectors are of different lengths");
  const uint32_t count = vectors ? static_cast<uint32_t>(from->elements.size()) : 1;
  const Space space = space_of(i, at);
  const bool alone = space == Space::shared || space == Space::local;
  const Address address = address_of(at, space);
  check(address, size_of(type) * count, kind_of_access(space) | access_write | access_atomic);
  if (keeps_sum(i)) return keep_sum(i, address, read(*from, type));
  BitSet live;
  if (returns) live = live_behind(block_, instruction_);
  // As in memory: numbers of 16 bits as bits.
  const Type own = type == Type::f16 ? Type::b16 : type;
  if (!alone && order_of(i) == AtomicOrdering::Monotonic) compiler_fence();
  for (uint32_t n = 0; n < count; ++n) {
    const Operand& source = vectors ? from->elements[n] : *from;
    const Operand nowhere;
    const Operand& result = !returns ? nowhere : vectors ? to.elements[n] : to;
    const bool used = result.kind == Operand::Kind::reg && live.contains(result.index);
    const Value b = read(source, own);
    const Value c = i.has(dot::cas) ? read(from[1], own) : Value{};
    V* old;
    if (address.value.shape.is_uniform() && !address.lane_offsets && can_join(i))
      old = join_lanes(i, alone, pointer(address, address.value.scalar[0], n * size_of(type)), b,
                       used);
    else if (adds_what_it_sees(i, address))
      old = add_to_what_is_seen(i, address, n * size_of(type), b, used);
    else
      old = lane_by_lane(i, alone, address, n * size_of(type), b, c, used);
    if (used) write(result, varying(old), own);
  }
  if (!alone && order_of(i) == AtomicOrdering::Monotonic) compiler_fence();
}

llvm::Value* Emitter::lane_by_lane(const Instruction& i, bool alone, const Address& address,
                                   uint64_t offset, const Value& b, const Value& c, bool used) {
  const bool compares = i.has(dot::cas);
  const PerLane b_of = by_lane(b), c_of = compares ? by_lane(c) : nullptr;
  const PerLane place_of = place_by_lane(address, offset);
  llvm::Type* const type = memory_element(i.type());
  llvm::AllocaInst* const results = used ? array_of(type) : nullptr;
  if (!alone && address.value.shape.is_varying()) ask_for_lines(place_of);
  const auto body = [&](V* lane) {
    V* const old = atomic_at(i, alone, place_of(lane), bits_as(b_of(lane), type),
                             compares ? bits_as(c_of(lane), type) : nullptr);
    if (used) builder_.CreateStore(old, builder_.CreateGEP(type, results, lane));
  };
  if (alone)
    for_each_lane_quickly(body);
  else
    for_each_lane(body);
  return used ? builder_.CreateLoad(vector_type(type), results) : nullptr;
}

// A locked instruction waits for its line alone: all are asked for first.
void Emitter::ask_for_lines(const PerLane& place_of) {
  if (input_.quickly) return;
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
                             {place_of(i32(lane)), i32(1), i32(3), i32(1)});
}

// Sums of floating-point numbers, for which processors have no locked instruction, at places that
// differ.
bool Emitter::adds_what_it_sees(const Instruction& i, const Address& address) const {
  return i.has(dot::add) && (i.type() == Type::f32 || i.type() == Type::f64) &&
         space_of(i, i.operands[i.opcode == Opcode::atom ? 1 : 0]) == Space::global &&
         address.value.shape.is_varying() && takes(Masked::gather, size_of(i.type()));
}

// All lanes' sums are computed at once, of what is in memory now. So one locked instruction is left
// for each, which puts the sum there if what was seen is there still. Where another thread, or a
// lane before this one, has changed it, the lane adds by itself.
llvm::Value* Emitter::add_to_what_is_seen(const Instruction& i, const Address& address,
                                          uint64_t offset, const Value& b, bool used) {
  const uint32_t size = size_of(i.type());
  const llvm::Align align(size);
  llvm::Type* const type = memory_element(i.type());
  llvm::Type* const bits = builder_.getIntNTy(8 * size);
  in_shared_ = nullptr;
  const PerLane place_of = place_by_lane(address, offset), b_of = by_lane(b);
  ask_for_lines(place_of);
  V* const seen =
      builder_.CreateMaskedGather(vector_type(bits), pointers(address, offset), align,
                                  active_mask(), llvm::Constant::getNullValue(vector_type(bits)));
  V* const sums = updated(i, bits_as(seen, type), bits_as(vector_of(b), type), nullptr);
  const PerLane seen_of = by_lane(varying(seen)), sum_of = by_lane(varying(bits_as(sums, bits)));
  llvm::AllocaInst* const results = used ? array_of(type) : nullptr;
  const AtomicOrdering order = order_of(i);
  for_each_lane([&](V* lane) {
    V* const place = place_of(lane);
    V* const expected = seen_of(lane);
    V* const outcome =
        builder_.CreateAtomicCmpXchg(place, expected, sum_of(lane), align, order,
                                     llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
    const auto result = [&](V* old) {
      if (used) builder_.CreateStore(old, builder_.CreateGEP(type, results, lane));
    };
    result(bits_as(expected, type));
    llvm::BasicBlock* const changed = new_block("changed");
    llvm::BasicBlock* const added = new_block("added");
    builder_.CreateCondBr(builder_.CreateExtractValue(outcome, 1), added, changed);
    builder_.SetInsertPoint(changed);
    result(atomic_at(i, false, place, bits_as(b_of(lane), type), nullptr));
    builder_.CreateBr(added);
    builder_.SetInsertPoint(added);
  });
  return used ? builder_.CreateLoad(vector_type(type), results) : nullptr;
}

// --- All lanes at one address ---

bool Emitter::can_join(const Instruction& i) const {
  const Type type = i.type();
  if (is_floating(type)) return i.has(dot::add) && (type == Type::f32 || type == Type::f64);
  return i.has(dot::add) || i.has(dot::and_) || i.has(dot::or_) || i.has(dot::xor_) ||
         i.has(dot::min) || i.has(dot::max);
}

llvm::Value* Emitter::join_lanes(const Instruction& i, bool alone, V* place, const Value& b,
                                 bool used) {
  llvm::Type* const type = memory_element(i.type());
  V* vector = bits_as(vector_of(b), type);
  const Type number = i.type();
  if (is_floating(number)) {
    // One behind the other: floating-point sums depend on the order. -0 changes nothing.
    vector = builder_.CreateSelect(active_mask(), vector,
                                   llvm::ConstantFP::getNegativeZero(vector->getType()));
    find_whether_shared(i, place);
    std::vector<V*> sums;
    const auto sum = [&](V* old) {
      sums = {old};
      for (uint32_t lane = 0; lane < warp_size; ++lane)
        sums.push_back(
            updated(i, sums.back(), builder_.CreateExtractElement(vector, lane), nullptr));
      return sums.back();
    };
    V* const old = replace(i, alone, type, place, sum);
    if (!used) return nullptr;
    sum(old);
    V* result = llvm::PoisonValue::get(vector->getType());
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      result = builder_.CreateInsertElement(result, sums[lane], lane);
    return result;
  }
  const unsigned bits = 8 * size_of(number);
  llvm::APInt neutral(bits, 0);
  if (i.has(dot::and_)) neutral = llvm::APInt::getAllOnes(bits);
  if (i.has(dot::min))
    neutral =
        is_signed(number) ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  if (i.has(dot::max) && is_signed(number)) neutral = llvm::APInt::getSignedMinValue(bits);
  V* const nothing = ConstantInt::get(vector->getType(), neutral);
  vector = builder_.CreateSelect(active_mask(), vector, nothing);
  if (!used) {
    V* total;
    if (i.has(dot::add))
      total = builder_.CreateAddReduce(vector);
    else if (i.has(dot::and_))
      total = builder_.CreateAndReduce(vector);
    else if (i.has(dot::or_))
      total = builder_.CreateOrReduce(vector);
    else if (i.has(dot::xor_))
      total = builder_.CreateXorReduce(vector);
    else if (i.has(dot::min))
      total = builder_.CreateIntMinReduce(vector, is_signed(number));
    else
      total = builder_.CreateIntMaxReduce(vector, is_signed(number));
    atomic_at(i, alone, place, total, nullptr);
    return nullptr;
  }
  // Each lane and all below it.
  const auto up = [&](V* values, int by) {
    int order[warp_size];
    for (int lane = 0; lane < static_cast<int>(warp_size); ++lane)
      order[lane] = lane < by ? lane : static_cast<int>(warp_size) + lane - by;
    return builder_.CreateShuffleVector(nothing, values, order);
  };
  V* sums = vector;
  for (int by = 1; by < static_cast<int>(warp_size); by *= 2)
    sums = updated(i, sums, up(sums, by), nullptr);
  V* const total = builder_.CreateExtractElement(sums, warp_size - 1);
  V* const old = atomic_at(i, alone, place, total, nullptr);
  return updated(i, splat(old), up(sums, 1), nullptr);
}

}  // namespace cuvette::ptx
