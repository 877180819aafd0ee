// SPDX-License-Identifier: Apache-2.0
// Sums without a reader: the operations of a kernel that go to the sum cache (sum_cache.hpp says
// why it may), and what has to be in memory before an instruction.
#include "sim/ptx/emit/sums.hpp"

#include <algorithm>
#include <set>

#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {
namespace {

void settle_all(WarpBuilder& w);
void settle_line(WarpBuilder& w, const Value& line, uint32_t bytes);

// An addition of whole numbers that others may see late: relaxed, below system scope, in memory
// that its thread does not name in any other way.
bool may_be_kept(const Instruction& i) {
  if ((i.opcode != Opcode::red && i.opcode != Opcode::atom) || !i.has(dot::add) ||
      !i.has(dot::global) || i.has(dot::sys) || i.has(dot::acquire) || i.has(dot::release) ||
      i.has(dot::acq_rel) || i.has(dot::async) || i.has(dot::mmio))
    return false;
  const Type type = i.type();
  return kind_of(type) <= TypeKind::signed_integer && (size_of(type) == 4 || size_of(type) == 8) &&
         i.operands.back().kind != Operand::Kind::vector;
}

}  // namespace

bool keeps_sums(const Body& body) {
  std::set<uint32_t> results;
  bool any = false;
  for (const Instruction& i : body.instructions) {
    if (!may_be_kept(i)) continue;
    const bool returns = i.opcode == Opcode::atom && i.operands[0].kind == Operand::Kind::reg;
    if (returns)
      results.insert(i.operands[0].index);
    else
      any = true;
  }
  if (any || results.empty()) return any;
  // Compilers write atom where a program does not look at the result, too.
  std::vector<uint32_t> read;
  for (const Instruction& i : body.instructions) {
    read.clear();
    Flow::read(i, read);
    for (const uint32_t reg : read) results.erase(reg);
  }
  return !results.empty();
}

// Whether this one's sums go to the cache.
bool keeps_sum(WarpBuilder& w, const Instruction& i) {
  if (!w.input().keeps_sums || !may_be_kept(i)) return false;
  return i.opcode == Opcode::red || i.operands[0].kind != Operand::Kind::reg ||
         !w.live_behind().contains(i.operands[0].index);
}

void keep_sum(WarpBuilder& w, const Instruction& i, const Address& address, const Value& value) {
  llvm::Type* const wide = w.getInt64Ty();
  const Type type = i.type();
  if (address.value.shape.is_uniform()) {
    V* const vector = w.vector_of(value);
    V* const here =
        w.CreateSelect(w.active_mask(), vector, llvm::Constant::getNullValue(vector->getType()));
    w.call_helper(offsetof(Helpers, add_sum), w.getVoidTy(), w.context(), address.value.scalar[0],
                  w.CreateZExt(w.CreateAddReduce(here), wide), w.i32(size_of(type)));
    return;
  }
  llvm::AllocaInst* const places = places_of_lanes(w, address);
  if (value.shape.is_uniform()) {
    w.call_helper(offsetof(Helpers, add_to_each), w.getVoidTy(), w.context(), places,
                  w.CreateZExt(value.scalar[0], wide), w.active_bits(), w.i32(size_of(type)));
    return;
  }
  llvm::AllocaInst* const values = w.array_of(w.element(type));
  w.CreateStore(w.vector_of(value), values);
  w.call_helper(offsetof(Helpers, add_sums), w.getVoidTy(), w.context(), places, values,
                w.active_bits(), w.i32(size_of(type)));
}

// Before an instruction: what it may read, write or make others see is in memory.
void settle_before(WarpBuilder& w, const Instruction& i) {
  if (i.opcode == Opcode::ld || i.opcode == Opcode::ldu || i.opcode == Opcode::st) {
    const Operand& place = i.operands[i.opcode == Opcode::st ? 0 : 1];
    const Space space = space_of(i, place);
    const bool releases = i.has(dot::release) || i.has(dot::acquire);
    if ((space != Space::global && space != Space::generic) || i.has(dot::nc)) {
      if (releases) settle_all(w);
      return;
    }
    if (releases || i.has(dot::volatile_) || i.has(dot::relaxed) || i.has(dot::mmio))
      return settle_all(w);
    // Of places all over memory the straight way may not even know the addresses.
    const bool in_register = place.has_base && !place.base_is_symbol;
    if (in_register && !w.shapes().registers[place.index].is_affine()) return settle_all(w);
    const Address address = address_of(w, place, space);
    if (!address.value.shape.is_affine()) return settle_all(w);
    return settle_line(w, address.value, bytes_accessed(i));
  }
  if (!i.is(Trait::settles) || keeps_sum(w, i)) return;
  // Memory that only the block's threads share they see in order anyway.
  const bool atomic = i.opcode == Opcode::atom || i.opcode == Opcode::red;
  if (atomic && !i.has(dot::release) && !i.has(dot::acquire) && !i.has(dot::acq_rel) &&
      space_of(i, i.operands[i.opcode == Opcode::red ? 0 : 1]) == Space::shared)
    return;
  settle_all(w);
}

namespace {

// Settles all sums, if there are any.
void settle_all(WarpBuilder& w) {
  V* const end = w.context_field(offsetof(BlockContext, sums_end), w.getInt64Ty(), false);
  V* const kept = w.CreateICmpNE(end, w.i64(0));
  if (w.may_leave()) return w.leave_straight(kept);
  w.when(
      kept, [&] { w.call_helper(offsetof(Helpers, settle_all_sums), w.getVoidTy(), w.context()); },
      true);
}

// Settles the sums that lie between the ends of a line.
void settle_line(WarpBuilder& w, const Value& line, uint32_t bytes) {
  llvm::Type* const wide = w.getInt64Ty();
  const int64_t run = line.shape.stride * (line.shape.linear ? warp_size - 1 : warp_size / 2 - 1);
  for (int half = 0; half < line.scalars(); ++half) {
    V* const one = line.scalar[half];
    V* const other = w.CreateAdd(one, w.i64(static_cast<uint64_t>(run)));
    V* begin = run < 0 ? other : one;
    V* end = w.CreateAdd(run < 0 ? one : other, w.i64(bytes));
    if (line.step[half]) {
      // A line that has overflowed its type may lie anywhere.
      V* const whole = w.CreateICmpEQ(line.step[half], w.i64(0));
      begin = w.CreateSelect(whole, begin, w.i64(0));
      end = w.CreateSelect(whole, end, w.i64(UINT64_MAX));
    }
    V* const touched = w.CreateAnd(
        w.CreateICmpULT(begin, w.context_field(offsetof(BlockContext, sums_end), wide, false)),
        w.CreateICmpUGT(end, w.context_field(offsetof(BlockContext, sums_begin), wide, false)));
    if (w.may_leave()) {
      w.leave_straight(touched);
      continue;
    }
    w.when(
        touched,
        [&] {
          w.call_helper(offsetof(Helpers, settle_sums), w.getVoidTy(), w.context(), begin, end);
        },
        true);
  }
}

}  // namespace

}  // namespace cuvette::ptx
