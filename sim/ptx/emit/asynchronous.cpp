// SPDX-License-Identifier: Apache-2.0
// Copies that complete later, and the barriers in memory that say when.
//
// A copy is done when it is issued, which is one of the moments at which it may be done.
// Completions are counted by a word of 64 bits in shared memory, which only the block's own thread
// of the processor touches:
//   bit 0        the phase
//   bits 1-20    how many arrivals a phase takes
//   bits 21-40   how many are missing
//   bits 41-63   bytes that are still to come, a signed number
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {
namespace {

std::vector<Value> load_in_part(MemoryAccesses& memory, const Address& from, const Operand& limit,
                                uint32_t words);
void emit_bulk_copy(MemoryAccesses& memory, const Instruction& i);
void tell_of_barrier(MemoryAccesses& memory, Ordering ordering, const Address& barrier);
llvm::Value* arrive(WarpBuilder& w, V* word, V* count);

}  // namespace

using llvm::ConstantInt;

namespace {

constexpr uint64_t phase_bit = 1;
constexpr unsigned expected_shift = 1, missing_shift = 21, bytes_shift = 41;
constexpr uint64_t count_mask = (1u << 20) - 1;

}  // namespace

// --- Copies ---

void emit_async_copy(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (i.has(dot::bulk)) return emit_bulk_copy(memory, i);
  // All earlier copies are complete; only the compiler has to be kept from reordering.
  if (i.has(dot::commit_group) || i.has(dot::wait_group) || i.has(dot::wait_all)) {
    if (w.input().request.watch)
      memory.order(i.has(dot::commit_group) ? Ordering::async_groups : Ordering::async_wait,
                   w.splat(w.i64(i.has(dot::wait_group) ? i.operands[0].bits : 0)));
    return compiler_fence(w);
  }
  if (i.has(dot::mbarrier)) {
    if (w.input().request.watch && !i.operands.empty())
      tell_of_barrier(memory, Ordering::async_arrive,
                      address_of(w, i.operands[0], space_of(i, i.operands[0])));
    // Without .noinc the arrival was added to what is missing just before.
    if (!i.has(dot::noinc)) return;
    if (i.operands.empty()) return w.unsupported(i, "an operand is missing");
    const Address address = address_of(w, i.operands[0], space_of(i, i.operands[0]));
    memory.check(address, 8, kind_of_access(address.space) | access_write | access_atomic);
    const PerLane place = place_by_lane(w, address, 0);
    w.for_each_lane([&](V* lane) {
      V* const at = place(lane);
      V* const word = w.CreateLoad(w.getInt64Ty(), at);
      w.CreateStore(arrive(w, word, w.i64(1)), at);
    });
    return;
  }
  if (i.operands.size() < 3) return w.unsupported(i, "an operand is missing");
  const uint32_t bytes = static_cast<uint32_t>(i.operands[2].bits);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return w.unsupported(i, "a copy is of 4, 8 or 16 bytes");
  const uint32_t words = bytes / 4;
  llvm::Type* const word = w.getInt32Ty();
  const Address to = address_of(w, i.operands[0], Space::shared);
  const Address from = address_of(w, i.operands[1], Space::global);
  // The number of bytes to read; the rest becomes zeros. A cache policy may follow it.
  const bool hint = i.has(dot::L2_cache_hint);
  const bool partial =
      i.operands.size() > (hint ? 4u : 3u) &&
      !(i.operands[3].kind == Operand::Kind::immediate && i.operands[3].bits == bytes);
  std::vector<Value> values;
  if (partial) {
    values = load_in_part(memory, from, i.operands[3], words);
  } else {
    memory.check(from, bytes, 0);
    memory.count(from, bytes, 0);
    values = load(w, from, word, words, false);
  }
  memory.check(to, bytes, access_shared | access_write);
  store(w, to, values, word, false);
}

namespace {

// `words` words for each lane, of which the first `limit` bytes are read and the others are zeros;
// with a predicate in its place, none where it holds.
std::vector<Value> load_in_part(MemoryAccesses& memory, const Address& from, const Operand& limit,
                                uint32_t words) {
  WarpBuilder& w = memory.w;
  llvm::Type* const word = w.getInt32Ty();
  const bool ignores =
      limit.kind == Operand::Kind::reg && w.body().registers[limit.index].type == Type::pred;
  V* const size = ignores ? w.CreateSelect(w.read_vector(limit, Type::pred), w.splat(w.i32(0)),
                                           w.splat(w.i32(4 * words)))
                          : w.read_vector(limit, Type::u32);
  V* const saved = w.at.mask;
  V* const all = w.active_mask();
  std::vector<llvm::AllocaInst*> results;
  V* const zeros = llvm::Constant::getNullValue(w.vector_type(word));
  for (uint32_t n = 0; n < words; ++n) {
    results.push_back(w.array_of(word));
    w.CreateStore(zeros, results.back());
  }
  // Most lanes read everything or nothing.
  V* const some = w.CreateAnd(all, w.CreateICmpNE(size, w.splat(w.i32(0))));
  w.at.mask = some;
  memory.count(from, 4 * words, 0);
  V* const whole = w.CreateAnd(all, w.CreateICmpUGE(size, w.splat(w.i32(4 * words))));
  V* const in_part = w.any(w.CreateXor(some, whole));
  w.when(w.CreateAnd(w.any(whole), w.CreateNot(in_part)), [&] {
    w.at.mask = whole;
    memory.check(from, 4 * words, 0);
    const std::vector<Value> values = load(w, from, word, words, false);
    for (uint32_t n = 0; n < words; ++n)
      w.CreateStore(w.CreateSelect(whole, w.vector_of(values[n]), zeros), results[n]);
  });
  w.when(
      in_part,
      [&] {
        V* const addresses = w.vector_of(from.value);
        for (uint32_t n = 0; n < words; ++n) {
          Address part = from;
          part.value = varying(w.CreateAdd(addresses, w.splat(w.i64(4 * n))));
          w.at.mask = w.CreateAnd(all, w.CreateICmpUGT(size, w.splat(w.i32(4 * n))));
          memory.check(part, 4, 0);
          // The last word may be needed only in part.
          V* const left = w.CreateSub(size, w.splat(w.i32(4 * n)));
          V* const bits = w.CreateShl(w.CreateAnd(left, w.splat(w.i32(3))), w.splat(w.i32(3)));
          V* const first = w.CreateSub(w.CreateShl(w.splat(w.i32(1)), bits), w.splat(w.i32(1)));
          V* const kept = w.CreateSelect(w.CreateICmpULT(left, w.splat(w.i32(4))), first,
                                         w.splat(w.i32(UINT32_MAX)));
          w.CreateStore(w.CreateAnd(load_apart(w, part, word, 1)[0], kept), results[n]);
        }
      },
      true);
  w.at.mask = saved;
  std::vector<Value> values;
  for (llvm::AllocaInst* const result : results)
    values.push_back(varying(w.CreateLoad(w.vector_type(word), result)));
  return values;
}

// Many bytes at once, by each lane that is there: cp.async.bulk.
void emit_bulk_copy(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (i.has(dot::commit_group) || i.has(dot::wait_group)) return compiler_fence(w);
  const bool counted = i.has(dot::mbarrier_complete_tx_bytes);
  const bool grouped = i.has(dot::bulk_group);
  if (!counted && !grouped) return w.unsupported(i);
  if (i.operands.size() < (counted ? 4u : 3u)) return w.unsupported(i, "an operand is missing");
  const auto position = [&](Modifier one, Modifier other) {
    for (size_t m = 0; m < i.modifiers.size(); ++m)
      if (i.modifiers[m] == one || i.modifiers[m] == other) return m;
    return i.modifiers.size();
  };
  // The target's space is named first.
  const size_t shared = position(dot::shared_cluster, dot::shared_cta);
  const size_t global = position(dot::global, dot::global);
  if (shared == i.modifiers.size() || global == i.modifiers.size())
    return w.unsupported(i, "copies between the blocks of a cluster are not implemented");
  const bool to_shared = shared < global;
  const Address to = address_of(w, i.operands[0], to_shared ? Space::shared : Space::global);
  const Address from = address_of(w, i.operands[1], to_shared ? Space::global : Space::shared);
  const Value size = w.read(i.operands[2], Type::u32);
  const auto check = [&](const Address& address, uint32_t access) {
    memory.check(address, 16, kind_of_access(address.space) | access);
    Address last = address;
    V* const start = w.vector_of(address.value);
    V* const bytes = w.CreateSub(w.vector_of(size), w.splat(w.i32(16)));
    last.value = varying(w.CreateAdd(start, w.CreateZExtOrTrunc(bytes, start->getType())));
    memory.check(last, 16, kind_of_access(address.space) | access);
    memory.access_bulk(address, w.vector_of(size), access);
  };
  check(to, access_write);
  check(from, 0);
  if (w.input().request.follow) memory.written(to, w.vector_of(size));
  Address barrier;
  if (counted) {
    barrier = address_of(w, i.operands[3], Space::shared);
    memory.check(barrier, 8, access_shared | access_write | access_atomic | access_strong);
    if (w.input().request.watch) tell_of_barrier(memory, Ordering::arrive, barrier);
  }
  const PerLane to_of = place_by_lane(w, to, 0), from_of = place_by_lane(w, from, 0),
                size_of_lane = by_lane(w, size);
  const PerLane barrier_of = counted ? place_by_lane(w, barrier, 0) : nullptr;
  llvm::Type* const piece = llvm::FixedVectorType::get(w.getInt64Ty(), 2);
  w.for_each_lane([&](V* lane) {
    V* const target = to_of(lane);
    V* const source = from_of(lane);
    V* const bytes = w.CreateZExt(size_of_lane(lane), w.getInt64Ty());
    llvm::BasicBlock* const before = w.GetInsertBlock();
    llvm::BasicBlock* const loop = w.new_block("copy");
    llvm::BasicBlock* const behind = w.new_block("copied");
    w.CreateCondBr(w.CreateICmpUGE(bytes, w.i64(16)), loop, behind);
    w.SetInsertPoint(loop);
    llvm::PHINode* const at = w.CreatePHI(w.getInt64Ty(), 2);
    at->addIncoming(w.i64(0), before);
    const auto place = [&](V* base) { return w.CreateGEP(w.getInt8Ty(), base, at); };
    w.CreateAlignedStore(w.CreateAlignedLoad(piece, place(source), llvm::Align(16)), place(target),
                         llvm::Align(16));
    V* const next = w.CreateAdd(at, w.i64(16));
    at->addIncoming(next, loop);
    w.CreateCondBr(w.CreateICmpULT(next, bytes), loop, behind);
    w.SetInsertPoint(behind);
    if (!counted) return;
    V* const word_place = barrier_of(lane);
    V* const word = w.CreateLoad(w.getInt64Ty(), word_place);
    V* const fewer = w.CreateSub(word, w.CreateShl(bytes, w.i64(bytes_shift)));
    w.CreateStore(arrive(w, fewer, w.i64(0)), word_place);
  });
}

}  // namespace

// --- Barriers in memory ---

namespace {

// Returns the word after `count` arrivals: the next phase begins once none is missing.
llvm::Value* arrive(WarpBuilder& w, V* word, V* count) {
  V* const left = w.CreateSub(word, w.CreateShl(count, w.i64(missing_shift)));
  V* const complete = w.CreateICmpULT(left, w.i64(uint64_t{1} << missing_shift));
  V* const expected = w.CreateAnd(w.CreateLShr(left, w.i64(expected_shift)), w.i64(count_mask));
  V* const fresh =
      w.CreateXor(w.CreateOr(left, w.CreateShl(expected, w.i64(missing_shift))), w.i64(phase_bit));
  return w.CreateSelect(complete, fresh, left);
}

}  // namespace

void emit_mbarrier(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  llvm::Type* const wide = w.getInt64Ty();
  if (i.has(dot::pending_count)) {
    if (i.operands.size() < 2) return w.unsupported(i, "an operand is missing");
    V* const state = w.read_vector(i.operands[1], Type::b64);
    V* const count =
        w.CreateAnd(w.CreateLShr(state, w.splat(w.i64(missing_shift))), w.splat(w.i64(count_mask)));
    return w.write(i.operands[0], varying(w.CreateTrunc(count, w.vector_type(w.getInt32Ty()))),
                   Type::u32);
  }
  if (i.has(dot::inval)) {
    if (w.input().request.watch && !i.operands.empty())
      tell_of_barrier(memory, Ordering::end,
                      address_of(w, i.operands[0], space_of(i, i.operands[0])));
    return;
  }
  size_t at = 0;
  while (at < i.operands.size() && i.operands[at].kind != Operand::Kind::address) ++at;
  if (at == i.operands.size()) return w.unsupported(i);
  const Operand* const rest = &i.operands[at] + 1;
  const size_t more = i.operands.size() - at - 1;
  const Address address = address_of(w, i.operands[at], space_of(i, i.operands[at]));
  memory.check(address, 8, kind_of_access(address.space) | access_write | access_atomic);
  if (w.input().request.watch &&
      (i.has(dot::arrive) || i.has(dot::arrive_drop) || i.has(dot::complete_tx)))
    tell_of_barrier(memory, Ordering::arrive, address);
  if (w.input().request.watch && i.has(dot::init))
    tell_of_barrier(memory, Ordering::begin, address);
  const PerLane place = place_by_lane(w, address, 0);
  const bool tests = i.has(dot::test_wait) || i.has(dot::try_wait);
  if (more == 0 && (tests || i.has(dot::init) || i.has(dot::expect_tx) || i.has(dot::complete_tx)))
    return w.unsupported(i, "an operand is missing");
  const bool counts_bytes = i.has(dot::expect_tx) || i.has(dot::complete_tx);
  PerLane operand = [&w](V*) -> V* { return w.i64(1); };
  if (more > 0)
    operand = by_lane(w, w.read(rest[0], tests && !i.has(dot::parity) ? Type::b64 : Type::u32));
  const bool returns = at > 0 && i.operands[0].kind == Operand::Kind::reg;
  llvm::AllocaInst* const results = returns ? w.array_of(tests ? w.getInt8Ty() : wide) : nullptr;
  w.for_each_lane([&](V* lane) {
    V* const here = place(lane);
    V* const value = w.CreateZExt(operand(lane), wide);
    if (i.has(dot::init)) {
      V* const word = w.CreateOr(w.CreateShl(value, w.i64(expected_shift)),
                                 w.CreateShl(value, w.i64(missing_shift)));
      w.CreateStore(word, here);
      return;
    }
    V* const word = w.CreateLoad(wide, here);
    if (tests) {
      // The requested phase is over if another one is running.
      V* const over = w.CreateAnd(w.CreateXor(word, value), w.i64(phase_bit));
      w.CreateStore(w.CreateTrunc(over, w.getInt8Ty()), w.CreateGEP(w.getInt8Ty(), results, lane));
      return;
    }
    if (returns) w.CreateStore(word, w.CreateGEP(wide, results, lane));
    V* next = word;
    if (counts_bytes) {
      V* const bytes = w.CreateShl(value, w.i64(bytes_shift));
      next = i.has(dot::expect_tx) ? w.CreateAdd(word, bytes) : w.CreateSub(word, bytes);
    }
    if (i.has(dot::arrive_drop))
      next = w.CreateSub(next, counts_bytes ? w.i64(1u << expected_shift)
                                            : w.CreateShl(value, w.i64(expected_shift)));
    const bool arrives = i.has(dot::arrive) || i.has(dot::arrive_drop);
    if (arrives)
      next = arrive(w, next, counts_bytes ? w.i64(1) : value);
    else if (i.has(dot::complete_tx))
      next = arrive(w, next, w.i64(0));
    w.CreateStore(next, here);
  });
  if (!returns) return;
  if (!tests) {
    w.write(i.operands[0], varying(w.CreateLoad(w.vector_type(wide), results)), Type::b64);
    return;
  }
  V* const over = w.CreateICmpNE(w.CreateLoad(w.vector_type(w.getInt8Ty()), results),
                                 llvm::Constant::getNullValue(w.vector_type(w.getInt8Ty())));
  w.write(i.operands[0], varying(over), Type::pred);
  if (w.input().request.watch) {
    V* const saved = w.at.mask;
    V* const all = w.active_mask();
    w.at.mask = w.CreateAnd(all, over);
    tell_of_barrier(memory, Ordering::waited, address);
    w.at.mask = w.CreateAnd(all, w.CreateNot(over));
    tell_of_barrier(memory, Ordering::waits, address);
    w.at.mask = saved;
  }
  if (!i.has(dot::try_wait) || !w.needs_frames()) return;
  // Other warps get a turn before the answer is no.
  V* const waiting = w.CreateAnd(w.active_mask(), w.CreateNot(over));
  w.when(w.any(waiting), [&] { w.suspend(Status::yielded, w.live_behind()); });
  w.reload_mask();
}

namespace {

// Reports to the machine of a watched kernel what happens at a barrier in memory.
void tell_of_barrier(MemoryAccesses& memory, Ordering ordering, const Address& barrier) {
  WarpBuilder& w = memory.w;
  V* place = w.vector_of(barrier.value);
  if (barrier.base) place = w.CreateZExt(place, w.vector_type(w.getInt64Ty()));
  memory.order(ordering, place);
}

// An address of another block, of which there is none: whoever uses it is stopped, as hardware
// stops it ("cluster target block not present").
void emit_mapa(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  w.elementwise(i, {type, Type::u32}, type, [&](const std::vector<V*>& v) {
    llvm::Type* const own = v[0]->getType();
    const uint64_t beyond = size_of(type) == 8 ? uint64_t{1} << 62 : 0xff000000;
    V* const nowhere = w.CreateOr(v[0], llvm::ConstantInt::get(own, beyond));
    V* const here = w.CreateICmpEQ(v[1], llvm::Constant::getNullValue(v[1]->getType()));
    return w.CreateSelect(here, v[0], nowhere);
  });
}

}  // namespace

// --- Clusters of one block ---

// Launches of larger clusters are refused: every address of the cluster is one of the block.
void emit_cluster(WarpBuilder& w, const Instruction& i) {
  if (i.opcode == Opcode::getctarank) return w.write(i.operands[0], uniform(w.i32(0)), Type::u32);
  if (i.opcode == Opcode::mapa) return emit_mapa(w, i);
  // barrier.cluster: each waiting thread has arrived, so once all wait, all have arrived.
  if (!i.has(dot::wait)) return compiler_fence(w);
  const auto field = [&](size_t offset) {
    return w.CreateConstInBoundsGEP1_64(w.getInt8Ty(), w.frame(), offset);
  };
  w.CreateStore(w.i32(cluster_barrier), field(offsetof(WarpFrame, barrier)));
  w.CreateStore(w.i32(0), field(offsetof(WarpFrame, barrier_threads)));
  w.CreateStore(w.active_bits(), field(offsetof(WarpFrame, lanes)));
  w.CreateStore(w.i32(0), field(offsetof(WarpFrame, reduction)));
  w.suspend(w.waits_in(w.at.block) ? Status::barrier_in_wait : Status::barrier, w.live_behind());
}

}  // namespace cuvette::ptx
