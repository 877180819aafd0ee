// SPDX-License-Identifier: Apache-2.0
// Copies that complete later, and the barriers in memory that say when.
//
// A copy is done when it is issued, which is one of the moments at which it may be done. What
// counts completions is a word of 64 bits in shared memory, which only the block's own thread of
// the processor touches:
//   bit 0        the phase
//   bits 1-20    how many arrivals a phase takes
//   bits 21-40   how many are missing
//   bits 41-63   bytes that are still to come, a signed number
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

constexpr uint64_t phase_bit = 1;
constexpr unsigned expected_shift = 1, missing_shift = 21, bytes_shift = 41;
constexpr uint64_t count_mask = (1u << 20) - 1;

}  // namespace

// --- Copies ---

void Emitter::emit_async_copy(const Instruction& i) {
  if (i.has(dot::bulk)) return emit_bulk_copy(i);
  // Everything before is complete: what is left is the order that the compiler keeps.
  if (i.has(dot::commit_group) || i.has(dot::wait_group) || i.has(dot::wait_all))
    return compiler_fence();
  if (i.has(dot::mbarrier)) {
    // Without .noinc the arrival was added to what is missing just before.
    if (!i.has(dot::noinc)) return;
    if (i.operands.empty()) return unsupported(i, "an operand is missing");
    const Address address = address_of(i.operands[0], space_of(i, i.operands[0]));
    check(address, 8, kind_of_access(address.space) | access_write | access_atomic);
    const PerLane place = place_by_lane(address, 0);
    for_each_lane([&](V* lane) {
      V* const at = place(lane);
      V* const word = builder_.CreateLoad(builder_.getInt64Ty(), at);
      builder_.CreateStore(arrive(word, i64(1)), at);
    });
    return;
  }
  if (i.operands.size() < 3) return unsupported(i, "an operand is missing");
  const uint32_t bytes = static_cast<uint32_t>(i.operands[2].bits);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return unsupported(i, "a copy is of 4, 8 or 16 bytes");
  const uint32_t words = bytes / 4;
  llvm::Type* const word = builder_.getInt32Ty();
  const Address to = address_of(i.operands[0], Space::shared);
  const Address from = address_of(i.operands[1], Space::global);
  // How much is read; the rest is filled with zeros. A policy of caches may stand behind it.
  const bool hint = i.has(dot::L2_cache_hint);
  const bool partial =
      i.operands.size() > (hint ? 4u : 3u) &&
      !(i.operands[3].kind == Operand::Kind::immediate && i.operands[3].bits == bytes);
  std::vector<Value> values;
  if (partial) {
    values = load_in_part(from, i.operands[3], words);
  } else {
    check(from, bytes, 0);
    values = load(from, word, words, false);
  }
  check(to, bytes, access_shared | access_write);
  store(to, values, word, false);
}

// `words` words for each lane, of which the first `limit` bytes are read and the others are zeros;
// with a predicate in its place, none where it holds.
std::vector<Value> Emitter::load_in_part(const Address& from, const Operand& limit,
                                         uint32_t words) {
  llvm::Type* const word = builder_.getInt32Ty();
  const bool ignores =
      limit.kind == Operand::Kind::reg && body_.registers[limit.index].type == Type::pred;
  V* const size = ignores ? builder_.CreateSelect(read_vector(limit, Type::pred), splat(i32(0)),
                                                  splat(i32(4 * words)))
                          : read_vector(limit, Type::u32);
  V* const saved = mask_;
  V* const all = active_mask();
  std::vector<llvm::AllocaInst*> results;
  V* const zeros = llvm::Constant::getNullValue(vector_type(word));
  for (uint32_t n = 0; n < words; ++n) {
    results.push_back(array_of(word));
    builder_.CreateStore(zeros, results.back());
  }
  // Mostly a lane reads everything or nothing.
  V* const some = builder_.CreateAnd(all, builder_.CreateICmpNE(size, splat(i32(0))));
  V* const whole = builder_.CreateAnd(all, builder_.CreateICmpUGE(size, splat(i32(4 * words))));
  V* const in_part = any(builder_.CreateXor(some, whole));
  when(builder_.CreateAnd(any(whole), builder_.CreateNot(in_part)), [&] {
    mask_ = whole;
    check(from, 4 * words, 0);
    const std::vector<Value> values = load(from, word, words, false);
    for (uint32_t n = 0; n < words; ++n)
      builder_.CreateStore(builder_.CreateSelect(whole, vector_of(values[n]), zeros), results[n]);
  });
  when(
      in_part,
      [&] {
        V* const addresses = vector_of(from.value);
        for (uint32_t n = 0; n < words; ++n) {
          Address part = from;
          part.value = varying(builder_.CreateAdd(addresses, splat(i64(4 * n))));
          mask_ = builder_.CreateAnd(all, builder_.CreateICmpUGT(size, splat(i32(4 * n))));
          check(part, 4, 0);
          // The last word may be wanted in part.
          V* const left = builder_.CreateSub(size, splat(i32(4 * n)));
          V* const bits =
              builder_.CreateShl(builder_.CreateAnd(left, splat(i32(3))), splat(i32(3)));
          V* const first =
              builder_.CreateSub(builder_.CreateShl(splat(i32(1)), bits), splat(i32(1)));
          V* const kept = builder_.CreateSelect(builder_.CreateICmpULT(left, splat(i32(4))), first,
                                                splat(i32(UINT32_MAX)));
          builder_.CreateStore(builder_.CreateAnd(load_apart(part, word, 1)[0], kept), results[n]);
        }
      },
      true);
  mask_ = saved;
  std::vector<Value> values;
  for (llvm::AllocaInst* const result : results)
    values.push_back(varying(builder_.CreateLoad(vector_type(word), result)));
  return values;
}

// Many bytes at once, by each lane that is there: cp.async.bulk.
void Emitter::emit_bulk_copy(const Instruction& i) {
  if (i.has(dot::commit_group) || i.has(dot::wait_group)) return compiler_fence();
  const bool counted = i.has(dot::mbarrier_complete_tx_bytes);
  const bool grouped = i.has(dot::bulk_group);
  if (!counted && !grouped) return unsupported(i);
  if (i.operands.size() < (counted ? 4u : 3u)) return unsupported(i, "an operand is missing");
  const auto position = [&](Modifier one, Modifier other) {
    for (size_t m = 0; m < i.modifiers.size(); ++m)
      if (i.modifiers[m] == one || i.modifiers[m] == other) return m;
    return i.modifiers.size();
  };
  // The target's space is named first.
  const size_t shared = position(dot::shared_cluster, dot::shared_cta);
  const size_t global = position(dot::global, dot::global);
  if (shared == i.modifiers.size() || global == i.modifiers.size())
    return unsupported(i, "copies between the blocks of a cluster are not implemented");
  const bool to_shared = shared < global;
  const Address to = address_of(i.operands[0], to_shared ? Space::shared : Space::global);
  const Address from = address_of(i.operands[1], to_shared ? Space::global : Space::shared);
  const Value size = read(i.operands[2], Type::u32);
  const auto check_ends = [&](const Address& address, uint32_t access) {
    check(address, 16, kind_of_access(address.space) | access);
    Address last = address;
    V* const start = vector_of(address.value);
    V* const bytes = builder_.CreateSub(vector_of(size), splat(i32(16)));
    last.value =
        varying(builder_.CreateAdd(start, builder_.CreateZExtOrTrunc(bytes, start->getType())));
    check(last, 16, kind_of_access(address.space) | access);
  };
  check_ends(to, access_write);
  check_ends(from, 0);
  Address barrier;
  if (counted) {
    barrier = address_of(i.operands[3], Space::shared);
    check(barrier, 8, access_shared | access_write | access_atomic);
  }
  const PerLane to_of = place_by_lane(to, 0), from_of = place_by_lane(from, 0),
                size_of_lane = by_lane(size);
  const PerLane barrier_of = counted ? place_by_lane(barrier, 0) : nullptr;
  llvm::Type* const piece = llvm::FixedVectorType::get(builder_.getInt64Ty(), 2);
  for_each_lane([&](V* lane) {
    V* const target = to_of(lane);
    V* const source = from_of(lane);
    V* const bytes = builder_.CreateZExt(size_of_lane(lane), builder_.getInt64Ty());
    llvm::BasicBlock* const before = builder_.GetInsertBlock();
    llvm::BasicBlock* const loop = new_block("copy");
    llvm::BasicBlock* const behind = new_block("copied");
    builder_.CreateCondBr(builder_.CreateICmpUGE(bytes, i64(16)), loop, behind);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* const at = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    at->addIncoming(i64(0), before);
    const auto place = [&](V* base) { return builder_.CreateGEP(builder_.getInt8Ty(), base, at); };
    builder_.CreateAlignedStore(builder_.CreateAlignedLoad(piece, place(source), llvm::Align(16)),
                                place(target), llvm::Align(16));
    V* const next = builder_.CreateAdd(at, i64(16));
    at->addIncoming(next, loop);
    builder_.CreateCondBr(builder_.CreateICmpULT(next, bytes), loop, behind);
    builder_.SetInsertPoint(behind);
    if (!counted) return;
    V* const word_place = barrier_of(lane);
    V* const word = builder_.CreateLoad(builder_.getInt64Ty(), word_place);
    V* const fewer = builder_.CreateSub(word, builder_.CreateShl(bytes, i64(bytes_shift)));
    builder_.CreateStore(arrive(fewer, i64(0)), word_place);
  });
}

// --- Barriers in memory ---

// The word after `count` arrivals: where nothing is missing any more the next phase begins.
llvm::Value* Emitter::arrive(V* word, V* count) {
  V* const left = builder_.CreateSub(word, builder_.CreateShl(count, i64(missing_shift)));
  V* const complete = builder_.CreateICmpULT(left, i64(uint64_t{1} << missing_shift));
  V* const expected =
      builder_.CreateAnd(builder_.CreateLShr(left, i64(expected_shift)), i64(count_mask));
  V* const fresh = builder_.CreateXor(
      builder_.CreateOr(left, builder_.CreateShl(expected, i64(missing_shift))), i64(phase_bit));
  return builder_.CreateSelect(complete, fresh, left);
}

void Emitter::emit_mbarrier(const Instruction& i) {
  llvm::Type* const wide = builder_.getInt64Ty();
  if (i.has(dot::pending_count)) {
    if (i.operands.size() < 2) return unsupported(i, "an operand is missing");
    V* const state = read_vector(i.operands[1], Type::b64);
    V* const count = builder_.CreateAnd(builder_.CreateLShr(state, splat(i64(missing_shift))),
                                        splat(i64(count_mask)));
    return write(i.operands[0],
                 varying(builder_.CreateTrunc(count, vector_type(builder_.getInt32Ty()))),
                 Type::u32);
  }
  if (i.has(dot::inval)) return;
  size_t at = 0;
  while (at < i.operands.size() && i.operands[at].kind != Operand::Kind::address) ++at;
  if (at == i.operands.size()) return unsupported(i);
  const Operand* const rest = &i.operands[at] + 1;
  const size_t more = i.operands.size() - at - 1;
  const Address address = address_of(i.operands[at], space_of(i, i.operands[at]));
  check(address, 8, kind_of_access(address.space) | access_write | access_atomic);
  const PerLane place = place_by_lane(address, 0);
  const bool tests = i.has(dot::test_wait) || i.has(dot::try_wait);
  if (more == 0 && (tests || i.has(dot::init) || i.has(dot::expect_tx) || i.has(dot::complete_tx)))
    return unsupported(i, "an operand is missing");
  const bool counts_bytes = i.has(dot::expect_tx) || i.has(dot::complete_tx);
  PerLane operand = [this](V*) -> V* { return i64(1); };
  if (tests && i.has(dot::parity))
    operand = by_lane(read(rest[0], Type::u32));
  else if (tests)
    operand = by_lane(read(rest[0], Type::b64));
  else if (more > 0)
    operand = by_lane(read(rest[0], Type::u32));
  const bool returns = at > 0 && i.operands[0].kind == Operand::Kind::reg;
  llvm::AllocaInst* const results =
      returns ? array_of(tests ? builder_.getInt8Ty() : wide) : nullptr;
  for_each_lane([&](V* lane) {
    V* const here = place(lane);
    V* const value = builder_.CreateZExt(operand(lane), wide);
    if (i.has(dot::init)) {
      V* const word = builder_.CreateOr(builder_.CreateShl(value, i64(expected_shift)),
                                        builder_.CreateShl(value, i64(missing_shift)));
      builder_.CreateStore(word, here);
      return;
    }
    V* const word = builder_.CreateLoad(wide, here);
    if (tests) {
      // The phase that is asked for is over if another one runs.
      V* const over = builder_.CreateAnd(builder_.CreateXor(word, value), i64(phase_bit));
      builder_.CreateStore(builder_.CreateTrunc(over, builder_.getInt8Ty()),
                           builder_.CreateGEP(builder_.getInt8Ty(), results, lane));
      return;
    }
    if (returns) builder_.CreateStore(word, builder_.CreateGEP(wide, results, lane));
    V* next = word;
    if (counts_bytes) {
      V* const bytes = builder_.CreateShl(value, i64(bytes_shift));
      next =
          i.has(dot::expect_tx) ? builder_.CreateAdd(word, bytes) : builder_.CreateSub(word, bytes);
    }
    if (i.has(dot::arrive_drop))
      next =
          builder_.CreateSub(next, counts_bytes ? i64(1u << expected_shift)
                                                : builder_.CreateShl(value, i64(expected_shift)));
    const bool arrives = i.has(dot::arrive) || i.has(dot::arrive_drop);
    if (arrives)
      next = arrive(next, counts_bytes ? i64(1) : value);
    else if (i.has(dot::complete_tx))
      next = arrive(next, i64(0));
    builder_.CreateStore(next, here);
  });
  if (!returns) return;
  if (!tests) {
    write(i.operands[0], varying(builder_.CreateLoad(vector_type(wide), results)), Type::b64);
    return;
  }
  V* const over =
      builder_.CreateICmpNE(builder_.CreateLoad(vector_type(builder_.getInt8Ty()), results),
                            llvm::Constant::getNullValue(vector_type(builder_.getInt8Ty())));
  write(i.operands[0], varying(over), Type::pred);
  if (!i.has(dot::try_wait) || !needs_frames_) return;
  // Others have their turn before the answer is no.
  V* const waiting = builder_.CreateAnd(active_mask(), builder_.CreateNot(over));
  when(any(waiting), [&] { suspend(Status::yielded, live_behind(block_, instruction_)); });
  reload_mask();
}

// --- Clusters of one block ---

// Launches of larger clusters are refused: every address of the cluster is one of the block.
void Emitter::emit_cluster(const Instruction& i) {
  if (i.opcode == Opcode::getctarank) return write(i.operands[0], uniform(i32(0)), Type::u32);
  if (i.opcode == Opcode::mapa)
    return write(i.operands[0], read(i.operands[1], i.type()), i.type());
  // barrier.cluster: who waits has arrived before, and so have all when all wait.
  if (!i.has(dot::wait)) return compiler_fence();
  const auto field = [&](size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, offset);
  };
  builder_.CreateStore(i32(cluster_barrier), field(offsetof(WarpFrame, barrier)));
  builder_.CreateStore(i32(0), field(offsetof(WarpFrame, barrier_threads)));
  builder_.CreateStore(active_bits(), field(offsetof(WarpFrame, lanes)));
  builder_.CreateStore(i32(0), field(offsetof(WarpFrame, reduction)));
  suspend(waits_in(block_) ? Status::barrier_in_wait : Status::barrier,
          live_behind(block_, instruction_));
}

}  // namespace cuvette::ptx
