// SPDX-License-Identifier: Apache-2.0
// Where an access leads, and whether it may go there.
#include "sim/ptx/emit/address.hpp"

#include <llvm/IR/Intrinsics.h>

#include <bit>
#include <cstddef>
#include <tuple>

namespace cuvette::ptx {

using llvm::ConstantInt;

Space space_of(const Instruction& i, const Operand& address) {
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

Address address_of(WarpBuilder& w, const Operand& operand, Space space) {
  Address address;
  address.space = space;
  const bool offsets = space == Space::shared || space == Space::local || space == Space::param;
  const Type type = offsets ? Type::u32 : Type::u64;
  if (!operand.has_base) {
    address.value = uniform(ConstantInt::get(w.element(type), operand.bits));
  } else if (operand.base_is_symbol) {
    address.value = w.read_symbol(operand, type);
  } else {
    address.value = w.read_register(operand.index, type);
    if (operand.bits) {
      Value& value = address.value;
      V* const offset = ConstantInt::get(w.element(type), operand.bits);
      if (value.shape.is_varying()) {
        value.vector = w.CreateAdd(value.vector, w.splat(offset));
      } else {
        for (int half = 0; half < value.scalars(); ++half)
          value.scalar[half] = w.CreateAdd(value.scalar[half], offset);
      }
    }
  }
  if (space == Space::shared)
    address.base = w.context_field(offsetof(BlockContext, shared), w.getPtrTy());
  if (space == Space::param)
    address.base = w.context_field(offsetof(BlockContext, parameters), w.getPtrTy());
  if (space == Space::local) {
    // Each thread has its own: the lanes' memory lies a stride apart.
    V* const memory = w.context_field(offsetof(BlockContext, local), w.getPtrTy());
    V* const stride = w.context_field(offsetof(BlockContext, local_stride), w.getInt64Ty());
    V* const first = w.CreateZExt(w.CreateMul(w.warp(), w.i32(warp_size)), w.getInt64Ty());
    address.base = w.CreateGEP(w.getInt8Ty(), memory, w.CreateMul(first, stride));
    address.lane_offsets = w.CreateMul(w.lanes(1, w.getInt64Ty()), w.splat(stride));
  }
  return address;
}

llvm::Value* pointer(WarpBuilder& w, const Address& address, V* scalar, uint64_t offset) {
  V* place;
  // Inactive lanes of a line may lie below the beginning of the space: offsets have a sign.
  if (address.base)
    place = w.CreateGEP(w.getInt8Ty(), address.base,
                        address.value.shape.has_no_stride() ? w.CreateZExt(scalar, w.getInt64Ty())
                                                            : w.CreateSExt(scalar, w.getInt64Ty()));
  else
    place = w.CreateIntToPtr(scalar, w.getPtrTy());
  return offset ? w.CreateConstGEP1_64(w.getInt8Ty(), place, offset) : place;
}

// The address without its step, for a line that is known not to overflow its type.
Address without_step(const Address& address) {
  Address result = address;
  result.value.shape.stepped = false;
  for (int half = 0; half < 2; ++half)
    result.value.step[half] = result.value.step_lane[half] = nullptr;
  return result;
}

llvm::Value* pointers(WarpBuilder& w, const Address& address, uint64_t offset) {
  const Value& value = address.value;
  if (value.shape.is_affine() && value.shape.linear && !value.step[0] && !address.lane_offsets &&
      value.shape.stride >= -(1 << 24) && value.shape.stride <= 1 << 24)
    // One address and constant distances: the processor adds them.
    return w.CreateGEP(w.getInt8Ty(), pointer(w, address, value.scalar[0], offset),
                       w.lanes(value.shape.stride, w.getInt32Ty()));
  V* vector = w.vector_of(address.value);
  if (!address.base) {
    if (offset) vector = w.CreateAdd(vector, ConstantInt::get(vector->getType(), offset));
    return w.CreateIntToPtr(vector, w.vector_type(w.getPtrTy()));
  }
  // Valid offsets in parameters and shared memory are small: extending their sign does no harm.
  if (!address.lane_offsets)
    return w.CreateGEP(
        w.getInt8Ty(),
        offset ? w.CreateConstGEP1_64(w.getInt8Ty(), address.base, offset) : address.base, vector);
  V* wide = w.CreateZExt(vector, w.vector_type(w.getInt64Ty()));
  if (address.lane_offsets) wide = w.CreateAdd(wide, address.lane_offsets);
  if (offset) wide = w.CreateAdd(wide, ConstantInt::get(wide->getType(), offset));
  return w.CreateGEP(w.getInt8Ty(), address.base, wide);
}

llvm::Value* numbers(WarpBuilder& w, const Address& address) {
  V* const vector = w.vector_of(address.value);
  return address.base ? w.CreateZExt(vector, w.vector_type(w.getInt64Ty())) : vector;
}

// Whether testing both ends of a line tests all of it: its elements are aligned if the first is.
bool is_tested_by_ends(const Address& address, uint32_t bytes) {
  const Shape& shape = address.value.shape;
  return shape.is_affine() && !address.lane_offsets && shape.stride >= 0 &&
         shape.stride % static_cast<int64_t>(bytes) == 0 && shape.stride < 1 << 19;
}

// Memory that instructions name by offset: [0, size). Everything else: the window, in which most
// accesses lie, otherwise what the machine knows of the address. Rotating the distance from the
// beginning to the right by the alignment puts misaligned addresses beyond every limit, so one
// comparison does for both.
llvm::Value* lies_outside(WarpBuilder& w, const Address& address, uint32_t bytes, uint64_t length) {
  const bool by_offset = address.base != nullptr;
  const Value& value = address.value;
  llvm::Type* const own = by_offset ? w.getInt32Ty() : w.getInt64Ty();
  const unsigned shift = static_cast<unsigned>(std::countr_zero(bytes));
  V* size;
  V* origin = nullptr;
  if (address.space == Space::shared) {
    size =
        w.CreateTrunc(w.context_field(offsetof(BlockContext, shared_bytes), w.getInt64Ty()), own);
  } else if (address.space == Space::local) {
    size = w.input().layout.has_stack
               ? w.CreateTrunc(
                     w.context_field(offsetof(BlockContext, local_stride), w.getInt64Ty()), own)
               : w.i32(w.input().layout.local_bytes);
  } else {
    size = w.context_field(offsetof(BlockContext, window_bytes), own);
    origin = w.context_field(offsetof(BlockContext, window_base), own);
  }
  // The number of elements of this size: a place is valid if it is below that.
  V* const places = w.CreateLShr(size, ConstantInt::get(own, shift));
  const auto place_of = [&](V* at) -> V* {
    if (origin) at = w.CreateSub(at, at->getType()->isVectorTy() ? w.splat(origin) : origin);
    if (shift == 0) return at;
    return w.intrinsic3(llvm::Intrinsic::fshr, at, at, ConstantInt::get(at->getType(), shift));
  };
  if (!is_tested_by_ends(address, bytes)) {
    V* const each = w.CreateICmpUGE(place_of(w.vector_of(value)), w.splat(places));
    return w.any(w.CreateAnd(each, w.active_mask()));
  }
  // Inactive lanes are tested, too; if one of them lies outside, the machine looks again.
  const int64_t run = value.shape.linear ? warp_size - 1 : warp_size / 2 - 1;
  const uint64_t last = (static_cast<uint64_t>(value.shape.stride * run) + length) >> shift;
  V* limit = places;
  if (last > 0)
    limit = w.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, places, ConstantInt::get(own, last));
  V* bad = nullptr;
  for (int half = 0; half < value.scalars(); ++half) {
    V* const out = w.CreateICmpUGE(place_of(value.scalar[half]), limit);
    bad = bad ? w.CreateOr(bad, out) : out;
    if (value.step[half])
      bad = w.CreateOr(bad, w.CreateICmpNE(value.step[half], ConstantInt::get(own, 0)));
  }
  return bad;
}

// Asks the machine about an access that failed the test. An offset can mean nothing else, so the
// machine reports the error, unless only inactive lanes of a line lie outside.
void ask(WarpBuilder& w, const Address& address, uint32_t access, V* location) {
  const Value& value = address.value;
  const auto leave = [&](V* status) {
    w.when(
        w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); }, true);
  };
  if (value.shape.is_affine() && !address.lane_offsets) {
    for (int half = 0; half < value.scalars(); ++half)
      leave(w.call_aside(offsetof(Helpers, check_line), w.getInt32Ty(),
                         {w.context(), w.CreateZExt(value.scalar[half], w.getInt64Ty()),
                          value.step[half] ? value.step[half] : w.i64(0),
                          line(w, value, half, access), w.active_bits(), w.warp(), location}));
    return;
  }
  V* const vector = numbers(w, address);
  if (w.input().quickly) {
    // No value stays in registers that this call would have to save.
    return leave(w.call_helper(offsetof(Helpers, check), w.getInt32Ty(), w.context(),
                               w.array_with(vector), w.active_bits(), w.i32(access), w.warp(),
                               location));
  }
  leave(w.call_aside(offsetof(Helpers, check), w.getInt32Ty(),
                     {w.context(), vector, w.active_bits(), w.i32(access), w.warp(), location}));
}

// Describes a line to the machine: everything except its base.
llvm::Value* line(WarpBuilder& w, const Value& value, int half, uint32_t access) {
  const uint64_t fixed =
      line_of(static_cast<int32_t>(value.shape.stride), value.step[half] ? 0 : 63,
              value.shape.linear ? 0 : 1 + static_cast<uint32_t>(half), access);
  if (!value.step[half]) return w.i64(fixed);
  V* const lane = w.CreateZExt(value.step_lane[half], w.getInt64Ty());
  return w.CreateOr(w.i64(fixed), w.CreateShl(lane, w.i64(32)));
}

void by_line(WarpBuilder& w, const Address& address,
             const std::function<void(const LineOfLanes&)>& line,
             const std::function<void(V* places)>& each) {
  const Value& value = address.value;
  const Shape& shape = value.shape;
  const auto one_by_one = [&] { each(w.array_with(numbers(w, address))); };
  const bool is_uniform_offset = shape.is_uniform() && address.lane_offsets;
  if (!shape.is_affine() || shape.stride < 0 || shape.stride > INT32_MAX ||
      (address.lane_offsets && !is_uniform_offset))
    return one_by_one();
  const auto on_a_line = [&] {
    V* const begin = w.CreateZExt(value.scalar[0], w.getInt64Ty());
    V* const middle =
        shape.linear
            ? w.CreateAdd(begin, w.i64(static_cast<uint64_t>(shape.stride) * warp_size / 2))
            : w.CreateZExt(value.scalar[1], w.getInt64Ty());
    line({begin, middle, w.i32(static_cast<uint32_t>(shape.stride))});
  };
  V* stepped = nullptr;
  for (int half = 0; half < value.scalars(); ++half) {
    if (!value.step[half]) continue;
    V* const here =
        w.CreateICmpNE(value.step[half], ConstantInt::get(value.step[half]->getType(), 0));
    stepped = stepped ? w.CreateOr(stepped, here) : here;
  }
  if (!stepped) return on_a_line();
  w.when(stepped, one_by_one, true);
  w.when(w.CreateNot(stepped), on_a_line);
}

void fetch_early(WarpBuilder& w, const Address& address) {
  if (!address.value.shape.is_affine() ||
      (address.space != Space::global && address.space != Space::generic))
    return;
  V* const place = w.CreateIntToPtr(address.value.scalar[0], w.getPtrTy());
  // To read it; it will be used again; it is data.
  w.CreateIntrinsic(llvm::Intrinsic::prefetch, {w.getPtrTy()},
                    {place, w.i32(0), w.i32(3), w.i32(1)});
}

V* is_quiet(WarpBuilder& w, const Address& address, uint32_t bytes, Quiet what) {
  const Value& value = address.value;
  const Shape& shape = value.shape;
  const int64_t lanes = shape.linear ? warp_size : warp_size / 2;
  const int64_t length = shape.stride * (lanes - 1) + bytes;
  if (!shape.is_affine() || shape.stride < 0 || length > QuietLine::bytes ||
      shape.stride % bytes != 0 ||
      (address.space != Space::shared && address.space != Space::global &&
       address.space != Space::generic && address.space != Space::constant))
    return nullptr;
  const size_t field = address.space == Space::shared ? offsetof(BlockContext, shared_lines)
                                                      : offsetof(BlockContext, global_lines);
  const auto part = [&](size_t offset, llvm::Type* type) {
    return w.context_field(field + offset, type);
  };
  V* const lines = part(offsetof(QuietLines, first), w.getPtrTy());
  V* const first = part(offsetof(QuietLines, begin), w.getInt64Ty());
  V* const size = part(offsetof(QuietLines, bytes), w.getInt64Ty());
  V* all = nullptr;
  const auto also = [&](V* condition) { all = all ? w.CreateAnd(all, condition) : condition; };
  const auto look = [&](V* at) {
    V* const offset = w.CreateSub(at, first);
    V* const known = w.CreateICmpULT(offset, size);
    V* const number = w.CreateLShr(offset, w.i64(std::countr_zero(QuietLine::bytes)));
    V* const line = w.CreateGEP(llvm::ArrayType::get(w.getInt8Ty(), QuietLine::stride), lines,
                                w.CreateSelect(known, number, w.i64(0)));
    const auto time_at = [&](size_t where) {
      return w.CreateLoad(w.getInt64Ty(), w.CreateConstInBoundsGEP1_64(w.getInt8Ty(), line, where));
    };
    const auto now = [&](size_t where) { return w.context_field(where, w.getInt64Ty(), false); };
    also(known);
    if (what != Quiet::read) {
      V* const written = time_at(offsetof(QuietLine, written_at));
      V* const time = w.CreateLoad(
          w.getInt64Ty(), w.context_field(offsetof(BlockContext, written_time), w.getPtrTy()));
      also(w.CreateICmpEQ(written, time));
      if (what == Quiet::written) return;
    }
    V* const quiet = time_at(offsetof(QuietLine, quiet_at));
    also(w.CreateOr(w.CreateICmpEQ(quiet, now(offsetof(BlockContext, watch_time))),
                    w.CreateICmpEQ(quiet, now(offsetof(BlockContext, launch_time)))));
  };
  for (int half = 0; half < value.scalars(); ++half) {
    V* const begin = w.CreateZExt(value.scalar[half], w.getInt64Ty());
    look(begin);
    // An access that is aligned lies in one line.
    if (length > bytes) look(w.CreateAdd(begin, w.i64(static_cast<uint64_t>(length) - 1)));
    if (bytes > 1) also(w.CreateICmpEQ(w.CreateAnd(begin, w.i64(bytes - 1)), w.i64(0)));
    if (value.step[half])
      also(w.CreateICmpEQ(value.step[half], ConstantInt::get(value.step[half]->getType(), 0)));
  }
  return all;
}

uint32_t vector_length(const Instruction& i) {
  return i.has(dot::v2) ? 2 : i.has(dot::v4) ? 4 : i.has(dot::v8) ? 8 : 1;
}

uint32_t bytes_accessed(const Instruction& i) { return size_of(i.type()) * vector_length(i); }

uint32_t kind_of_access(Space space) {
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

bool is_strong(const Instruction& i) {
  return i.has(dot::volatile_) || i.has(dot::relaxed) || i.has(dot::acquire) ||
         i.has(dot::release) || i.has(dot::mmio);
}

Scope scope_of(const Instruction& i, Scope otherwise) {
  if (i.has(dot::cta) || i.has(dot::cluster)) return Scope::block;  // a cluster is one block
  if (i.has(dot::gpu) || i.has(dot::gl)) return Scope::device;
  return i.has(dot::sys) ? Scope::system : otherwise;
}

uint32_t ordering_of(const Instruction& i) {
  const auto strong = [](Scope scope) {
    return access_strong | static_cast<uint32_t>(scope) << access_scope_shift;
  };
  switch (i.opcode) {
    case Opcode::mbarrier:
      return i.has(dot::init) ? 0 : strong(Scope::block);
    case Opcode::cp:
      if (i.has(dot::mbarrier)) return strong(Scope::block);
      return i.has(dot::async) && !i.has(dot::bulk) ? access_async : 0;
    case Opcode::ld:
    case Opcode::st:
      if (!is_strong(i)) return 0;
      break;
    case Opcode::atom:
    case Opcode::red:
      break;
    default:
      return 0;
  }
  // A volatile access is a relaxed one of the widest scope (PTX ISA, ld and st).
  if (i.has(dot::volatile_)) return strong(Scope::system) | access_volatile;
  uint32_t result = strong(scope_of(i, i.has(dot::mmio) ? Scope::system : Scope::device));
  if (i.has(dot::acquire) || i.has(dot::acq_rel)) result |= access_acquire;
  if (i.has(dot::release) || i.has(dot::acq_rel)) result |= access_release;
  if (i.has(dot::cas)) result |= access_compares;
  return result;
}

}  // namespace cuvette::ptx
