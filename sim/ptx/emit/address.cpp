// SPDX-License-Identifier: Apache-2.0
// Where an access leads, and whether it may go there.
#include <llvm/IR/Intrinsics.h>

#include <bit>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

Space Emitter::space_of(const Instruction& i, const Operand& address) const {
  if (i.has("shared") || i.has("shared::cta") || i.has("shared::cluster")) return Space::shared;
  if (i.has("global")) return Space::global;
  if (i.has("const")) return Space::constant;
  if (i.has("local")) return Space::local;
  if (i.has("param") || i.has("param::entry") || i.has("param::func"))
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
    address.base = context_pointer(offsetof(BlockContext, shared), builder_.getPtrTy());
  if (space == Space::param)
    address.base = context_pointer(offsetof(BlockContext, parameters), builder_.getPtrTy());
  if (space == Space::local) {
    // Each thread has its own: those of the lanes lie a stride apart.
    V* const memory = context_pointer(offsetof(BlockContext, local), builder_.getPtrTy());
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
  if (address.base)
    place = builder_.CreateGEP(builder_.getInt8Ty(), address.base,
                               builder_.CreateZExt(scalar, builder_.getInt64Ty()));
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
  V* wide = builder_.CreateZExt(vector, vector_type(builder_.getInt64Ty()));
  if (address.lane_offsets) wide = builder_.CreateAdd(wide, address.lane_offsets);
  if (offset) wide = builder_.CreateAdd(wide, ConstantInt::get(wide->getType(), offset));
  return builder_.CreateGEP(builder_.getInt8Ty(), address.base, wide);
}

// Memory that instructions name by offset: [0, size). Everything else: the window, in which most
// accesses lie, otherwise what the machine knows of the address. Rotating the distance from the
// beginning to the right by the alignment puts misaligned addresses beyond every limit, so one
// comparison does for both.
void Emitter::check(const Address& address, uint32_t bytes, uint32_t access) {
  if (address.space == Space::param) return;
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
    size = i32(input_.layout.local_bytes);
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
  V* bad = nullptr;
  const int64_t stride = value.shape.stride;
  const int64_t run = value.shape.linear ? warp_size - 1 : warp_size / 2 - 1;
  // A line of aligned elements lies inside if both of its ends do; where some lanes do not take part
  // the machine looks again.
  const bool line = value.shape.is_affine() && !address.lane_offsets && stride >= 0 &&
                    stride % static_cast<int64_t>(bytes) == 0 && stride * run < 1 << 24;
  if (line) {
    const uint64_t length = static_cast<uint64_t>(stride * run) >> shift;  // to the last one
    V* limit = places;
    if (length > 0) {
      V* const needed = ConstantInt::get(own, length);
      limit = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, places, needed);
    }
    for (int half = 0; half < value.scalars(); ++half) {
      V* const out = builder_.CreateICmpUGE(place_of(value.scalar[half]), limit);
      bad = bad ? builder_.CreateOr(bad, out) : out;
      if (value.step[half])
        bad = builder_.CreateOr(
            bad, builder_.CreateICmpNE(value.step[half], ConstantInt::get(own, 0)));
    }
  } else {
    V* const each = builder_.CreateICmpUGE(place_of(vector_of(value)), splat(places));
    bad = any(builder_.CreateAnd(each, active_mask()));
  }
  // By offset nothing else could be meant: the machine says what is wrong, unless it is a line of
  // which only lanes that do not take part lie outside.
  when(
      bad,
      [&] {
        llvm::AllocaInst* const places_given = array_of(builder_.getInt64Ty());
        V* vector = vector_of(value);
        if (by_offset) vector = builder_.CreateZExt(vector, vector_type(builder_.getInt64Ty()));
        builder_.CreateStore(vector, places_given);
        V* const status =
            call_helper(offsetof(Helpers, check), builder_.getInt32Ty(), function_->getArg(0),
                        places_given, active_bits(), i32(access | bytes), warp_, location());
        when(
            builder_.CreateICmpNE(status, i32(0)), [&] { fail_warp(status); }, true);
      },
      true);
}

}  // namespace cuvette::ptx
