// SPDX-License-Identifier: Apache-2.0
// Where an access leads, and whether it may go there.
#include <llvm/IR/Intrinsics.h>

#include <bit>
#include <tuple>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

Space Emitter::space_of(const Instruction& i, const Operand& address) const {
  if (i.has(dot::shared) || i.has(dot::shared_cta) || i.has(dot::shared_cluster))
    return Space::shared;
  if (i.has(dot::global)) return Space::global;
  if (i.has(dot::const_)) return Space::constant;
  if (i.has(dot::local)) return Space::local;
  if (i.has(dot::param) || i.has(dot::param_entry) || i.has(dot::param_func))
    // A variable of the body is what a call passes: it lies with the thread's own memory.
    return address.base_is_symbol && address.index > 0 ? Space::local : Space::param;
  return Space::generic;
}

Emitter::Address Emitter::address_of(const Operand& operand, Space space) {
  Address address;
  address.space = space;
  const bool offsets = space == Space::shared || space == Space::local || space == Space::param;
  const Type type = offsets ? Type::u32 : Type::u64;
  if (!operand.has_base) {
    address.value = uniform(ConstantInt::get(element(type), operand.bits));
  } else if (operand.base_is_symbol) {
    address.value = read_symbol(operand, type);
  } else {
    address.value = read_register(operand.index, type);
    if (operand.bits) {
      Value& value = address.value;
      V* const offset = ConstantInt::get(element(type), operand.bits);
      if (value.shape.is_varying()) {
        value.vector = builder_.CreateAdd(value.vector, splat(offset));
      } else {
        for (int half = 0; half < value.scalars(); ++half)
          value.scalar[half] = builder_.CreateAdd(value.scalar[half], offset);
      }
    }
  }
  if (space == Space::shared)
    address.base = context_field(offsetof(BlockContext, shared), builder_.getPtrTy());
  if (space == Space::param)
    address.base = context_field(offsetof(BlockContext, parameters), builder_.getPtrTy());
  if (space == Space::local) {
    // Each thread has its own: those of the lanes lie a stride apart.
    V* const memory = context_field(offsetof(BlockContext, local), builder_.getPtrTy());
    V* const stride = context_field(offsetof(BlockContext, local_stride), builder_.getInt64Ty());
    V* const first =
        builder_.CreateZExt(builder_.CreateMul(warp_, i32(warp_size)), builder_.getInt64Ty());
    address.base =
        builder_.CreateGEP(builder_.getInt8Ty(), memory, builder_.CreateMul(first, stride));
    address.lane_offsets = builder_.CreateMul(lanes(1, builder_.getInt64Ty()), splat(stride));
  }
  return address;
}

llvm::Value* Emitter::pointer(const Address& address, V* scalar, uint64_t offset) {
  V* place;
  // A line may begin below the space's beginning, with lanes that do not take part.
  if (address.base)
    place = builder_.CreateGEP(builder_.getInt8Ty(), address.base,
                               address.value.shape.has_no_stride()
                                   ? builder_.CreateZExt(scalar, builder_.getInt64Ty())
                                   : builder_.CreateSExt(scalar, builder_.getInt64Ty()));
  else
    place = builder_.CreateIntToPtr(scalar, builder_.getPtrTy());
  return offset ? builder_.CreateConstGEP1_64(builder_.getInt8Ty(), place, offset) : place;
}

// Where a line is known not to have run over its end.
Emitter::Address Emitter::without_step(const Address& address) {
  Address result = address;
  result.value.shape.stepped = false;
  for (int half = 0; half < 2; ++half)
    result.value.step[half] = result.value.step_lane[half] = nullptr;
  return result;
}

llvm::Value* Emitter::pointers(const Address& address, uint64_t offset) {
  const Value& value = address.value;
  if (value.shape.is_affine() && value.shape.linear && !value.step[0] && !address.lane_offsets &&
      value.shape.stride >= -(1 << 24) && value.shape.stride <= 1 << 24)
    // One address and constant distances: the processor adds them.
    return builder_.CreateGEP(builder_.getInt8Ty(), pointer(address, value.scalar[0], offset),
                              lanes(value.shape.stride, builder_.getInt32Ty()));
  V* vector = vector_of(address.value);
  if (!address.base) {
    if (offset) vector = builder_.CreateAdd(vector, ConstantInt::get(vector->getType(), offset));
    return builder_.CreateIntToPtr(vector, vector_type(builder_.getPtrTy()));
  }
  // What is in there is small.
  if (!address.lane_offsets)
    return builder_.CreateGEP(
        builder_.getInt8Ty(),
        offset ? builder_.CreateConstGEP1_64(builder_.getInt8Ty(), address.base, offset)
               : address.base,
        vector);
  V* wide = builder_.CreateZExt(vector, vector_type(builder_.getInt64Ty()));
  if (address.lane_offsets) wide = builder_.CreateAdd(wide, address.lane_offsets);
  if (offset) wide = builder_.CreateAdd(wide, ConstantInt::get(wide->getType(), offset));
  return builder_.CreateGEP(builder_.getInt8Ty(), address.base, wide);
}

// Whether a test of both ends of a line is a test of it: its elements are aligned if the first is.
bool Emitter::is_tested_by_ends(const Address& address, uint32_t bytes) const {
  const Shape& shape = address.value.shape;
  return shape.is_affine() && !address.lane_offsets && shape.stride >= 0 &&
         shape.stride % static_cast<int64_t>(bytes) == 0 && shape.stride < 1 << 19;
}

// Memory that instructions name by offset: [0, size). Everything else: the window, in which most
// accesses lie, otherwise what the machine knows of the address. Rotating the distance from the
// beginning to the right by the alignment puts misaligned addresses beyond every limit, so one
// comparison does for both.
llvm::Value* Emitter::lies_outside(const Address& address, uint32_t bytes, uint64_t length) {
  const bool by_offset = address.base != nullptr;
  const Value& value = address.value;
  llvm::Type* const own = by_offset ? builder_.getInt32Ty() : builder_.getInt64Ty();
  const unsigned shift = static_cast<unsigned>(std::countr_zero(bytes));
  V* size;
  V* origin = nullptr;
  if (address.space == Space::shared) {
    size = builder_.CreateTrunc(
        context_field(offsetof(BlockContext, shared_bytes), builder_.getInt64Ty()), own);
  } else if (address.space == Space::local) {
    size =
        input_.layout.has_stack
            ? builder_.CreateTrunc(
                  context_field(offsetof(BlockContext, local_stride), builder_.getInt64Ty()), own)
            : i32(input_.layout.local_bytes);
  } else {
    size = context_field(offsetof(BlockContext, window_bytes), own);
    origin = context_field(offsetof(BlockContext, window_base), own);
  }
  // How many elements of this size there are: a place is good if it is less than that.
  V* const places = builder_.CreateLShr(size, ConstantInt::get(own, shift));
  const auto place_of = [&](V* at) -> V* {
    if (origin) at = builder_.CreateSub(at, at->getType()->isVectorTy() ? splat(origin) : origin);
    if (shift == 0) return at;
    return intrinsic3(llvm::Intrinsic::fshr, at, at, ConstantInt::get(at->getType(), shift));
  };
  if (!is_tested_by_ends(address, bytes)) {
    V* const each = builder_.CreateICmpUGE(place_of(vector_of(value)), splat(places));
    return any(builder_.CreateAnd(each, active_mask()));
  }
  // Where some lanes do not take part the machine looks again.
  const int64_t run = value.shape.linear ? warp_size - 1 : warp_size / 2 - 1;
  const uint64_t last = (static_cast<uint64_t>(value.shape.stride * run) + length) >> shift;
  V* limit = places;
  if (last > 0)
    limit = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, places,
                                           ConstantInt::get(own, last));
  V* bad = nullptr;
  for (int half = 0; half < value.scalars(); ++half) {
    V* const out = builder_.CreateICmpUGE(place_of(value.scalar[half]), limit);
    bad = bad ? builder_.CreateOr(bad, out) : out;
    if (value.step[half])
      bad =
          builder_.CreateOr(bad, builder_.CreateICmpNE(value.step[half], ConstantInt::get(own, 0)));
  }
  return bad;
}

// Asks the machine about an access: by offset nothing else could be meant, and it says what is
// wrong, unless it is a line of which only lanes that do not take part lie outside.
void Emitter::ask(const Address& address, uint32_t access, V* location) {
  const Value& value = address.value;
  const auto leave = [&](V* status) {
    when(
        builder_.CreateICmpNE(status, i32(0)), [&] { fail_warp(status); }, true);
  };
  if (value.shape.is_affine() && !address.lane_offsets) {
    for (int half = 0; half < value.scalars(); ++half)
      leave(call_aside(
          offsetof(Helpers, check_line), builder_.getInt32Ty(),
          {function_->getArg(0), builder_.CreateZExt(value.scalar[half], builder_.getInt64Ty()),
           value.step[half] ? value.step[half] : i64(0), line(value, half, access), active_bits(),
           warp_, location}));
    return;
  }
  V* vector = vector_of(value);
  if (address.base) vector = builder_.CreateZExt(vector, vector_type(builder_.getInt64Ty()));
  if (input_.quickly) {
    // No value stays in registers that this call would have to save.
    llvm::AllocaInst* const places = array_of(builder_.getInt64Ty());
    builder_.CreateStore(vector, places);
    return leave(call_helper(offsetof(Helpers, check), builder_.getInt32Ty(), function_->getArg(0),
                             places, active_bits(), i32(access), warp_, location));
  }
  leave(call_aside(offsetof(Helpers, check), builder_.getInt32Ty(),
                   {function_->getArg(0), vector, active_bits(), i32(access), warp_, location}));
}

// What the machine is told of a line beside its base.
llvm::Value* Emitter::line(const Value& value, int half, uint32_t access) {
  const uint64_t fixed =
      line_of(static_cast<int32_t>(value.shape.stride), value.step[half] ? 0 : 63,
              value.shape.linear ? 0 : 1 + static_cast<uint32_t>(half), access);
  if (!value.step[half]) return i64(fixed);
  V* const lane = builder_.CreateZExt(value.step_lane[half], builder_.getInt64Ty());
  return builder_.CreateOr(i64(fixed), builder_.CreateShl(lane, i64(32)));
}

void Emitter::check(const Address& address, uint32_t bytes, uint32_t access) {
  if (address.space == Space::param) return;
  // The test of 32 addresses is most of the code of an access: where code is to be small, the
  // machine looks at each.
  if (input_.quickly && !is_tested_by_ends(address, bytes))
    return ask(address, access | bytes, location());
  const auto group = groups_.find(instruction_);
  if (group != groups_.end()) {
    if (group->second->accesses[0].instruction == instruction_) check_group(*group->second);
    return;
  }
  if (may_leave()) {
    V* bad = lies_outside(address, bytes, 0);
    // The test of both ends has looked at the step.
    if (address.value.shape.is_affine() && !is_tested_by_ends(address, bytes))
      for (V* const step : address.value.step)
        if (step)
          bad = builder_.CreateOr(
              bad, builder_.CreateICmpNE(step, llvm::Constant::getNullValue(step->getType())));
    return leave_straight(bad);
  }
  when(
      lies_outside(address, bytes, 0), [&] { ask(address, access | bytes, location()); }, true);
}

// Accesses of a block to the same base, a few bytes apart, are tested at the first of them: all of
// them will take place. Only where that fails each is looked at.
void Emitter::check_group(const Group& group) {
  const Instruction& first = body_.instructions[group.accesses[0].instruction];
  Operand operand = first.operands[first.opcode == Opcode::st ? 0 : 1];
  operand.bits = static_cast<uint64_t>(group.begin);
  const Address address = address_of(operand, group.space);
  const uint64_t length = static_cast<uint64_t>(group.end - group.begin) - group.bytes;
  if (may_leave()) return leave_straight(lies_outside(address, group.bytes, length));
  when(
      lies_outside(address, group.bytes, length),
      [&] {
        for (const Group::Access& one : group.accesses) {
          const Instruction& instruction = body_.instructions[one.instruction];
          const Operand& place = instruction.operands[instruction.opcode == Opcode::st ? 0 : 1];
          ask(address_of(place, group.space), one.access,
              i64(location_of(instruction.line, instruction.source_file, instruction.source_line)));
        }
      },
      true);
}

namespace {

bool ends_groups(const Instruction& i) {
  return i.opcode == Opcode::bar || i.opcode == Opcode::barrier || i.opcode == Opcode::call ||
         i.opcode == Opcode::trap || i.opcode == Opcode::brkpt || i.opcode == Opcode::nanosleep ||
         i.opcode == Opcode::mbarrier;
}

}  // namespace

void Emitter::find_groups(BlockId block) {
  groups_.clear();
  group_storage_.clear();
  const Block& here = flow_.blocks[block];
  using Key = std::tuple<Space, bool, uint32_t, std::string_view>;
  std::map<Key, Group> open;
  const auto close = [&](Group& group) {
    if (group.accesses.size() < 2) return;
    group_storage_.push_back(std::make_unique<Group>(group));
    for (const Group::Access& one : group.accesses)
      groups_[one.instruction] = group_storage_.back().get();
  };
  std::vector<uint32_t> written;
  for (uint32_t n = here.first; n < here.end; ++n) {
    const Instruction& i = body_.instructions[n];
    if (ends_groups(i)) {
      for (auto& [key, group] : open) close(group);
      open.clear();
    }
    const bool store = i.opcode == Opcode::st;
    if ((store || i.opcode == Opcode::ld) && !i.predicate && i.operands.size() == 2) {
      const Operand& place = i.operands[store ? 0 : 1];
      const Space space = space_of(i, place);
      const uint32_t bytes = bytes_accessed(i);
      const bool in_register = place.has_base && !place.base_is_symbol;
      const Shape shape = in_register ? shapes_.registers[place.index] : Shape::uniform();
      // 32 bits of an address of 64 are no line any more once they are widened.
      const bool whole =
          !in_register || space == Space::shared || size_of(body_.registers[place.index].type) == 8;
      const int64_t offset = static_cast<int64_t>(place.bits);
      if (space != Space::param && space != Space::local && shape.is_affine() && whole &&
          shape.stride >= 0 && shape.stride % bytes == 0 && shape.stride < 1 << 19 &&
          offset > -(1 << 20) && offset < 1 << 20) {
        const Key key{space, place.base_is_symbol, place.index, place.symbol};
        Group& group = open[key];
        const bool fits =
            group.accesses.empty() ||
            (group.bytes == bytes && (offset - group.begin) % bytes == 0 &&
             std::max(group.end, offset + bytes) - std::min(group.begin, offset) < 1 << 16);
        if (!fits) {
          close(group);
          group = Group{};
        }
        if (group.accesses.empty()) group = {space, bytes, offset, offset + bytes, {}};
        group.begin = std::min(group.begin, offset);
        group.end = std::max<int64_t>(group.end, offset + bytes);
        group.accesses.push_back({n, bytes | kind_of_access(space) | (store ? access_write : 0)});
      }
    }
    written.clear();
    Flow::written(i, written);
    for (const uint32_t r : written)
      for (const Space space : {Space::generic, Space::global, Space::constant, Space::shared})
        if (const auto one = open.find(Key{space, false, r, ""}); one != open.end()) {
          close(one->second);
          open.erase(one);
        }
  }
  for (auto& [key, group] : open) close(group);
}

uint32_t Emitter::vector_length(const Instruction& i) {
  return i.has(dot::v2) ? 2 : i.has(dot::v4) ? 4 : i.has(dot::v8) ? 8 : 1;
}

uint32_t Emitter::bytes_accessed(const Instruction& i) {
  return size_of(i.type()) * vector_length(i);
}

uint32_t Emitter::kind_of_access(Space space) {
  switch (space) {
    case Space::generic:
      return access_generic;
    case Space::shared:
      return access_shared;
    case Space::local:
      return access_local;
    case Space::constant:
      return access_constant;
    default:
      return 0;
  }
}

}  // namespace cuvette::ptx
