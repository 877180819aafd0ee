// SPDX-License-Identifier: Apache-2.0
// Atomic operations: lane after lane, since two lanes may meet at one address.
//
// A block runs on one thread of the processor, so no other thread interferes in its shared memory:
// it is read and written plainly. Where all lanes are at one address, their combined effect is
// computed first and applied once, as if they had come one after the other.
#include "sim/ptx/emit/floats.hpp"
#include "sim/ptx/emit/formats.hpp"
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/memory.hpp"
#include "sim/ptx/emit/number_formats.hpp"
#include "sim/ptx/emit/sums.hpp"

namespace cuvette::ptx {
namespace {

llvm::Value* lane_by_lane(WarpBuilder& w, const Instruction& i, bool alone, const Address& address,
                          uint64_t offset, const Value& b, const Value& c, bool used);
void ask_for_lines(WarpBuilder& w, const PerLane& place_of);
bool adds_what_it_sees(WarpBuilder& w, const Instruction& i, const Address& address);
llvm::Value* add_to_what_is_seen(WarpBuilder& w, const Instruction& i, const Address& address,
                                 uint64_t offset, const Value& b, bool used);
bool can_join(WarpBuilder& w, const Instruction& i);
llvm::Value* join_lanes(WarpBuilder& w, const Instruction& i, bool alone, V* place, const Value& b,
                        bool used);

}  // namespace

using llvm::AtomicOrdering;
using llvm::ConstantFP;
using llvm::ConstantInt;

namespace {

AtomicOrdering order_of(const Instruction& i) {
  return i.has(dot::acquire) || i.has(dot::release) || i.has(dot::acq_rel)
             ? AtomicOrdering::SequentiallyConsistent
             : AtomicOrdering::Monotonic;
}

// Operations that the processor has as one instruction, or that LLVM builds from one.
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

// The new value of `old`; one number or one for each lane. `in_shared`: of a sum of f32, whether it
// is in shared memory (in_shared_memory()).
llvm::Value* updated(WarpBuilder& w, const Instruction& i, V* in_shared, V* old, V* b, V* c) {
  const Type type = i.type();
  llvm::Type* const own = old->getType();
  if (type == Type::f16x2 || type == Type::bf16x2) {
    Instruction one = i;
    one.types.back() = single_of(type);
    const auto half = [&](V* value, unsigned shift) {
      return w.CreateTrunc(w.CreateLShr(value, ConstantInt::get(own, shift)), w.getInt16Ty());
    };
    V* const low = w.CreateZExt(updated(w, one, nullptr, half(old, 0), half(b, 0), nullptr), own);
    V* const high =
        w.CreateZExt(updated(w, one, nullptr, half(old, 16), half(b, 16), nullptr), own);
    return w.CreateOr(low, w.CreateShl(high, ConstantInt::get(own, 16)));
  }
  if (is_small(type)) {
    V* const x = widen(w, old, format_of(type));
    V* const y = widen(w, b, format_of(type));
    V* result;
    if (i.has(dot::add)) {
      result = w.CreateFAdd(x, y);
    } else {
      // The number, where the other operand is NaN.
      V* const first = i.has(dot::min) ? w.CreateFCmpOLT(x, y) : w.CreateFCmpOGT(x, y);
      V* const none = w.CreateFCmpUNO(y, y);
      result = w.CreateSelect(w.CreateOr(first, none), x, y);
    }
    return narrow(w, result, format_of(type), Rounding::nearest, false);
  }
  if (i.has(dot::add)) {
    if (!is_floating(type)) return w.CreateAdd(old, b);
    V* const sum = w.CreateFAdd(old, b);
    if (type != Type::f32 || space_of(i, i.operands[0]) == Space::shared) return sum;
    // In shared memory subnormal numbers stay what they are, elsewhere they are zeros.
    V* const flushed = flush(w, w.CreateFAdd(flush(w, old), flush(w, b)));
    return in_shared ? w.CreateSelect(in_shared, sum, flushed) : flushed;
  }
  if (i.has(dot::and_)) return w.CreateAnd(old, b);
  if (i.has(dot::or_)) return w.CreateOr(old, b);
  if (i.has(dot::xor_)) return w.CreateXor(old, b);
  if (i.has(dot::exch)) return b;
  if (i.has(dot::cas)) return w.CreateSelect(w.CreateICmpEQ(old, b), c, old);
  V* const zero = llvm::Constant::getNullValue(own);
  V* const one = ConstantInt::get(own, 1);
  if (i.has(dot::inc)) return w.CreateSelect(w.CreateICmpUGE(old, b), zero, w.CreateAdd(old, one));
  if (i.has(dot::dec))
    return w.CreateSelect(w.CreateOr(w.CreateICmpEQ(old, zero), w.CreateICmpUGT(old, b)), b,
                          w.CreateSub(old, one));
  return w.CreateBinaryIntrinsic(
      i.has(dot::min) ? (is_signed(type) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin)
                      : (is_signed(type) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax),
      old, b);
}

// Replaces the value at `place` by update(value); returns the old one.
template <typename F>
llvm::Value* replace(WarpBuilder& w, const Instruction& i, bool alone, llvm::Type* type, V* place,
                     const F& update) {
  const llvm::Align align(type->getPrimitiveSizeInBits() / 8);
  if (alone) {
    V* const old = w.CreateAlignedLoad(type, place, align);
    w.CreateAlignedStore(update(old), place, align);
    return old;
  }
  llvm::Type* const bits = w.getIntNTy(type->getPrimitiveSizeInBits());
  llvm::LoadInst* const first = w.CreateAlignedLoad(bits, place, align);
  first->setAtomic(AtomicOrdering::Monotonic);
  llvm::BasicBlock* const before = w.GetInsertBlock();
  llvm::BasicBlock* const again = w.new_block("again");
  llvm::BasicBlock* const done = w.new_block("replaced");
  w.CreateBr(again);
  w.SetInsertPoint(again);
  llvm::PHINode* const seen = w.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  V* const wanted = w.bits_as(update(w.bits_as(seen, type)), bits);
  const AtomicOrdering order = order_of(i);
  V* const outcome =
      w.CreateAtomicCmpXchg(place, seen, wanted, align, order,
                            llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
  seen->addIncoming(w.CreateExtractValue(outcome, 0), w.GetInsertBlock());
  w.CreateCondBr(w.CreateExtractValue(outcome, 1), done, again);
  w.SetInsertPoint(done);
  return w.bits_as(seen, type);
}

// Whether the place of a sum of f32 at a generic address is shared memory, where it is added up in
// another way; null: it is not, or no such sum.
V* in_shared_memory(WarpBuilder& w, const Instruction& i, V* place) {
  if (i.type() != Type::f32 || !i.has(dot::add) || space_of(i, i.operands[0]) != Space::generic)
    return nullptr;
  llvm::Type* const wide = w.getInt64Ty();
  V* const begin = w.context_field(offsetof(BlockContext, shared), w.getPtrTy());
  return w.CreateICmpULT(w.CreateSub(w.CreatePtrToInt(place, wide), w.CreatePtrToInt(begin, wide)),
                         w.context_field(offsetof(BlockContext, shared_bytes), wide));
}

// Emits one lane's operation; returns the old value.
llvm::Value* atomic_at(WarpBuilder& w, const Instruction& i, bool alone, V* place, V* b, V* c) {
  llvm::Type* const type = b->getType();
  const llvm::Align align(type->getPrimitiveSizeInBits() / 8);
  const AtomicOrdering order = order_of(i);
  V* const in_shared = in_shared_memory(w, i, place);
  if (!alone) {
    if (i.has(dot::cas))
      return w.CreateExtractValue(
          w.CreateAtomicCmpXchg(place, b, c, align, order,
                                llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order)),
          0);
    if (const auto operation = whole_operation(i))
      return w.CreateAtomicRMW(*operation, place, b, align, order);
  }
  return replace(w, i, alone, type, place,
                 [&](V* old) { return updated(w, i, in_shared, old, b, c); });
}

}  // namespace

void emit_atomic(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (i.has(dot::async)) return w.unsupported(i);
  const bool returns = i.opcode == Opcode::atom;
  const Operand& to = i.operands[0];
  const Operand& at = i.operands[returns ? 1 : 0];
  const Operand* const from = &i.operands[returns ? 2 : 1];
  const Type type = i.type();
  const bool vectors = from->kind == Operand::Kind::vector;
  if (vectors && returns && to.elements.size() != from->elements.size())
    return w.unsupported(i, "these vectors are of different lengths");
  const uint32_t count = vectors ? static_cast<uint32_t>(from->elements.size()) : 1;
  const Space space = space_of(i, at);
  const bool alone = space == Space::shared || space == Space::local;
  const Address address = address_of(w, at, space);
  memory.check(address, size_of(type) * count,
               kind_of_access(space) | access_write | access_atomic);
  memory.count(address, size_of(type) * count, access_write | access_atomic);
  if (keeps_sum(w, i)) return keep_sum(w, i, address, w.read(*from, type));
  BitSet live;
  if (returns) live = w.live_behind();
  // As in memory: numbers of 16 bits as bits.
  const Type own = type == Type::f16 ? Type::b16 : type;
  if (!alone && order_of(i) == AtomicOrdering::Monotonic) compiler_fence(w);
  for (uint32_t n = 0; n < count; ++n) {
    const Operand& source = vectors ? from->elements[n] : *from;
    const Operand nowhere;
    const Operand& result = !returns ? nowhere : vectors ? to.elements[n] : to;
    const bool used = result.kind == Operand::Kind::reg && live.contains(result.index);
    const Value b = w.read(source, own);
    const Value c = i.has(dot::cas) ? w.read(from[1], own) : Value{};
    V* old;
    if (address.value.shape.is_uniform() && !address.lane_offsets && can_join(w, i))
      old = join_lanes(w, i, alone, pointer(w, address, address.value.scalar[0], n * size_of(type)),
                       b, used);
    else if (adds_what_it_sees(w, i, address))
      old = add_to_what_is_seen(w, i, address, n * size_of(type), b, used);
    else
      old = lane_by_lane(w, i, alone, address, n * size_of(type), b, c, used);
    if (used) w.write(result, varying(old), own);
  }
  if (!alone && order_of(i) == AtomicOrdering::Monotonic) compiler_fence(w);
}

namespace {

llvm::Value* lane_by_lane(WarpBuilder& w, const Instruction& i, bool alone, const Address& address,
                          uint64_t offset, const Value& b, const Value& c, bool used) {
  const bool compares = i.has(dot::cas);
  const PerLane b_of = by_lane(w, b), c_of = compares ? by_lane(w, c) : nullptr;
  const PerLane place_of = place_by_lane(w, address, offset);
  llvm::Type* const type = memory_element(w, i.type());
  llvm::AllocaInst* const results = used ? w.array_of(type) : nullptr;
  if (!alone && address.value.shape.is_varying()) ask_for_lines(w, place_of);
  const auto body = [&](V* lane) {
    V* const old = atomic_at(w, i, alone, place_of(lane), w.bits_as(b_of(lane), type),
                             compares ? w.bits_as(c_of(lane), type) : nullptr);
    if (used) w.CreateStore(old, w.CreateGEP(type, results, lane));
  };
  if (alone)
    w.for_each_lane_quickly(body);
  else
    w.for_each_lane(body);
  return used ? w.CreateLoad(w.vector_type(type), results) : nullptr;
}

// Prefetches the lines of all lanes first: a locked instruction waits for its own line only.
void ask_for_lines(WarpBuilder& w, const PerLane& place_of) {
  if (w.input().quickly) return;
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    w.CreateIntrinsic(llvm::Intrinsic::prefetch, {w.getPtrTy()},
                      {place_of(w.i32(lane)), w.i32(1), w.i32(3), w.i32(1)});
}

// Sums of floating-point numbers, for which processors have no locked instruction, at places that
// differ.
bool adds_what_it_sees(WarpBuilder& w, const Instruction& i, const Address& address) {
  return i.has(dot::add) && (i.type() == Type::f32 || i.type() == Type::f64) &&
         space_of(i, i.operands[i.opcode == Opcode::atom ? 1 : 0]) == Space::global &&
         address.value.shape.is_varying() && takes(w, Masked::gather, size_of(i.type()));
}

// All lanes' sums are computed at once, of what is in memory now. So one locked instruction is left
// for each, which puts the sum there if what was seen is there still. Where another thread, or a
// lane before this one, has changed it, the lane adds by itself.
llvm::Value* add_to_what_is_seen(WarpBuilder& w, const Instruction& i, const Address& address,
                                 uint64_t offset, const Value& b, bool used) {
  const uint32_t size = size_of(i.type());
  const llvm::Align align(size);
  llvm::Type* const type = memory_element(w, i.type());
  llvm::Type* const bits = w.getIntNTy(8 * size);
  const PerLane place_of = place_by_lane(w, address, offset), b_of = by_lane(w, b);
  ask_for_lines(w, place_of);
  V* const seen =
      w.CreateMaskedGather(w.vector_type(bits), pointers(w, address, offset), align,
                           w.active_mask(), llvm::Constant::getNullValue(w.vector_type(bits)));
  V* const sums =
      updated(w, i, nullptr, w.bits_as(seen, type), w.bits_as(w.vector_of(b), type), nullptr);
  const PerLane seen_of = by_lane(w, varying(seen)),
                sum_of = by_lane(w, varying(w.bits_as(sums, bits)));
  llvm::AllocaInst* const results = used ? w.array_of(type) : nullptr;
  const AtomicOrdering order = order_of(i);
  w.for_each_lane([&](V* lane) {
    V* const place = place_of(lane);
    V* const expected = seen_of(lane);
    V* const outcome =
        w.CreateAtomicCmpXchg(place, expected, sum_of(lane), align, order,
                              llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
    const auto result = [&](V* old) {
      if (used) w.CreateStore(old, w.CreateGEP(type, results, lane));
    };
    result(w.bits_as(expected, type));
    llvm::BasicBlock* const changed = w.new_block("changed");
    llvm::BasicBlock* const added = w.new_block("added");
    w.CreateCondBr(w.CreateExtractValue(outcome, 1), added, changed);
    w.SetInsertPoint(changed);
    result(atomic_at(w, i, false, place, w.bits_as(b_of(lane), type), nullptr));
    w.CreateBr(added);
    w.SetInsertPoint(added);
  });
  return used ? w.CreateLoad(w.vector_type(type), results) : nullptr;
}

}  // namespace

// --- All lanes at one address ---

namespace {

bool can_join(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  if (is_floating(type)) return i.has(dot::add) && (type == Type::f32 || type == Type::f64);
  return i.has(dot::add) || i.has(dot::and_) || i.has(dot::or_) || i.has(dot::xor_) ||
         i.has(dot::min) || i.has(dot::max);
}

llvm::Value* join_lanes(WarpBuilder& w, const Instruction& i, bool alone, V* place, const Value& b,
                        bool used) {
  llvm::Type* const type = memory_element(w, i.type());
  V* vector = w.bits_as(w.vector_of(b), type);
  const Type number = i.type();
  if (is_floating(number)) {
    // Lane after lane: floating-point sums depend on the order. Adding -0 changes nothing.
    vector = w.CreateSelect(w.active_mask(), vector,
                            llvm::ConstantFP::getNegativeZero(vector->getType()));
    V* const in_shared = in_shared_memory(w, i, place);
    std::vector<V*> sums;
    const auto sum = [&](V* old) {
      sums = {old};
      for (uint32_t lane = 0; lane < warp_size; ++lane)
        sums.push_back(
            updated(w, i, in_shared, sums.back(), w.CreateExtractElement(vector, lane), nullptr));
      return sums.back();
    };
    V* const old = replace(w, i, alone, type, place, sum);
    if (!used) return nullptr;
    sum(old);
    V* result = llvm::PoisonValue::get(vector->getType());
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      result = w.CreateInsertElement(result, sums[lane], lane);
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
  vector = w.CreateSelect(w.active_mask(), vector, nothing);
  if (!used) {
    V* total;
    if (i.has(dot::add))
      total = w.CreateAddReduce(vector);
    else if (i.has(dot::and_))
      total = w.CreateAndReduce(vector);
    else if (i.has(dot::or_))
      total = w.CreateOrReduce(vector);
    else if (i.has(dot::xor_))
      total = w.CreateXorReduce(vector);
    else if (i.has(dot::min))
      total = w.CreateIntMinReduce(vector, is_signed(number));
    else
      total = w.CreateIntMaxReduce(vector, is_signed(number));
    atomic_at(w, i, alone, place, total, nullptr);
    return nullptr;
  }
  // An inclusive scan: each lane with all lanes below it.
  const auto up = [&](V* values, int by) {
    int order[warp_size];
    for (int lane = 0; lane < static_cast<int>(warp_size); ++lane)
      order[lane] = lane < by ? lane : static_cast<int>(warp_size) + lane - by;
    return w.CreateShuffleVector(nothing, values, order);
  };
  V* sums = vector;
  for (int by = 1; by < static_cast<int>(warp_size); by *= 2)
    sums = updated(w, i, nullptr, sums, up(sums, by), nullptr);
  V* const total = w.CreateExtractElement(sums, warp_size - 1);
  V* const old = atomic_at(w, i, alone, place, total, nullptr);
  return updated(w, i, nullptr, w.splat(old), up(sums, 1), nullptr);
}

}  // namespace

}  // namespace cuvette::ptx
