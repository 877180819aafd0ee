// SPDX-License-Identifier: Apache-2.0
// Sums that nobody asks for: what of a kernel goes to the sum cache (sum_cache.hpp says why it
// may), and what has to be in memory before an instruction.
#include "sim/ptx/emit/sums.hpp"

#include <algorithm>
#include <set>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

namespace {

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
bool Emitter::keeps_sum(const Instruction& i) {
  if (!input_.keeps_sums || !may_be_kept(i)) return false;
  return i.opcode == Opcode::red || i.operands[0].kind != Operand::Kind::reg ||
         !live_behind(block_, instruction_).contains(i.operands[0].index);
}

void Emitter::keep_sum(const Instruction& i, const Address& address, const Value& value) {
  llvm::Type* const wide = builder_.getInt64Ty();
  const Type type = i.type();
  if (address.value.shape.is_uniform()) {
    V* const vector = vector_of(value);
    V* const here = builder_.CreateSelect(active_mask(), vector,
                                          llvm::Constant::getNullValue(vector->getType()));
    call_helper(offsetof(Helpers, add_sum), builder_.getVoidTy(), function_->getArg(0),
                address.value.scalar[0], builder_.CreateZExt(builder_.CreateAddReduce(here), wide),
                i32(size_of(type)));
    return;
  }
  llvm::AllocaInst* const places = places_of_lanes(address);
  if (value.shape.is_uniform()) {
    call_helper(offsetof(Helpers, add_to_each), builder_.getVoidTy(), function_->getArg(0), places,
                builder_.CreateZExt(value.scalar[0], wide), active_bits(), i32(size_of(type)));
    return;
  }
  llvm::AllocaInst* const values = array_of(element(type));
  builder_.CreateStore(vector_of(value), values);
  call_helper(offsetof(Helpers, add_sums), builder_.getVoidTy(), function_->getArg(0), places,
              values, active_bits(), i32(size_of(type)));
}

// Before an instruction: what it may read, write or make others see is in memory.
void Emitter::settle_before(const Instruction& i) {
  if (i.opcode == Opcode::ld || i.opcode == Opcode::ldu || i.opcode == Opcode::st) {
    const Operand& place = i.operands[i.opcode == Opcode::st ? 0 : 1];
    const Space space = space_of(i, place);
    const bool releases = i.has(dot::release) || i.has(dot::acquire);
    if ((space != Space::global && space != Space::generic) || i.has(dot::nc)) {
      if (releases) settle_all();
      return;
    }
    if (releases || i.has(dot::volatile_) || i.has(dot::relaxed) || i.has(dot::mmio))
      return settle_all();
    // Of places all over memory the straight way may not even know the addresses.
    const bool in_register = place.has_base && !place.base_is_symbol;
    if (in_register && !shapes_.registers[place.index].is_affine()) return settle_all();
    const Address address = address_of(place, space);
    if (!address.value.shape.is_affine()) return settle_all();
    return settle_line(address.value, bytes_accessed(i));
  }
  if (!i.is(Trait::settles) || keeps_sum(i)) return;
  // What is shared by the block's threads alone they see in order anyway.
  const bool atomic = i.opcode == Opcode::atom || i.opcode == Opcode::red;
  if (atomic && !i.has(dot::release) && !i.has(dot::acquire) && !i.has(dot::acq_rel) &&
      space_of(i, i.operands[i.opcode == Opcode::red ? 0 : 1]) == Space::shared)
    return;
  settle_all();
}

// All sums, where there are some.
void Emitter::settle_all() {
  V* const end = context_field(offsetof(BlockContext, sums_end), builder_.getInt64Ty(), false);
  V* const kept = builder_.CreateICmpNE(end, i64(0));
  if (may_leave()) return leave_straight(kept);
  when(
      kept,
      [&] {
        call_helper(offsetof(Helpers, settle_all_sums), builder_.getVoidTy(), function_->getArg(0));
      },
      true);
}

// Those that lie between the ends of a line.
void Emitter::settle_line(const Value& line, uint32_t bytes) {
  llvm::Type* const wide = builder_.getInt64Ty();
  const int64_t run = line.shape.stride * (line.shape.linear ? warp_size - 1 : warp_size / 2 - 1);
  for (int half = 0; half < line.scalars(); ++half) {
    V* const one = line.scalar[half];
    V* const other = builder_.CreateAdd(one, i64(static_cast<uint64_t>(run)));
    V* begin = run < 0 ? other : one;
    V* end = builder_.CreateAdd(run < 0 ? one : other, i64(bytes));
    if (line.step[half]) {
      // Where it has run over its end it may lie anywhere.
      V* const whole = builder_.CreateICmpEQ(line.step[half], i64(0));
      begin = builder_.CreateSelect(whole, begin, i64(0));
      end = builder_.CreateSelect(whole, end, i64(UINT64_MAX));
    }
    V* const touched = builder_.CreateAnd(
        builder_.CreateICmpULT(begin, context_field(offsetof(BlockContext, sums_end), wide, false)),
        builder_.CreateICmpUGT(end,
                               context_field(offsetof(BlockContext, sums_begin), wide, false)));
    if (may_leave()) {
      leave_straight(touched);
      continue;
    }
    when(
        touched,
        [&] {
          call_helper(offsetof(Helpers, settle_sums), builder_.getVoidTy(), function_->getArg(0),
                      begin, end);
        },
        true);
  }
}

}  // namespace cuvette::ptx
