// SPDX-License-Identifier: Apache-2.0
// The tests that passes/variable_bounds.cpp adds: an access is inside of the variable that it
// names.
#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {

namespace {

// Returns whether an end of a line lies outside of `limit` bytes from `begin`; null: it is not a
// line. Between two ends that lie inside, nothing lies outside: no step is so large that it wraps.
V* ends_outside(WarpBuilder& w, const Value& places, V* begin, uint32_t limit) {
  const Shape& shape = places.shape;
  if (!shape.is_affine() || shape.stride < 0 || shape.stride > 1 << 20) return nullptr;
  const uint32_t lanes = shape.linear ? warp_size : warp_size / 2;
  const auto length = static_cast<uint32_t>(shape.stride) * (lanes - 1);
  V* outside = nullptr;
  const auto also = [&](V* condition) {
    outside = outside ? w.CreateOr(outside, condition) : condition;
  };
  for (int half = 0; half < places.scalars(); ++half) {
    V* const distance = w.CreateSub(places.scalar[half], begin);
    also(w.CreateICmpUGT(distance, w.i32(limit)));
    if (length != 0) also(w.CreateICmpUGT(w.CreateAdd(distance, w.i32(length)), w.i32(limit)));
    if (V* const step = places.step[half])
      also(w.CreateICmpNE(step, llvm::ConstantInt::get(step->getType(), 0)));
  }
  return outside;
}

}  // namespace

void emit_inside(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const Space space = space_of(i, i.operands[0]);
  const uint32_t bytes = bytes_accessed(i);
  const auto size = static_cast<uint32_t>(i.operands[2].bits);
  const Value value = address_of(w, i.operands[0], space).value;
  V* const begin = w.read_symbol(i.operands[1], Type::u32).scalar[0];
  V* const lanes = w.active_mask();  // here: two ways use it
  // A variable that is smaller than the access has no place for it.
  const auto outside_of = [&](V* places) -> V* {
    if (size < bytes) return lanes;
    V* const distance = w.CreateSub(places, w.splat(begin));
    return w.CreateAnd(w.CreateICmpUGT(distance, w.splat(w.i32(size - bytes))), lanes);
  };
  const auto report = [&](V* places) {
    llvm::AllocaInst* const array = w.array_of(w.getInt64Ty());
    w.CreateStore(w.CreateZExt(places, w.vector_type(w.getInt64Ty())), array);
    V* const name =
        w.CreateGlobalString(std::string(i.operands[1].symbol), "variable", 0, &w.module());
    V* const status = w.call_helper(
        offsetof(Helpers, outside), w.getInt32Ty(), w.context(), array, name, begin, w.i32(size),
        w.active_bits(),
        w.i32(kind_of_access(space) | bytes | static_cast<uint32_t>(i.operands[3].bits)), w.warp(),
        w.location());
    w.fail_warp(status);
  };
  V* const ends = size < bytes ? nullptr : ends_outside(w, value, begin, size - bytes);
  if (w.may_leave()) return w.leave_straight(ends ? ends : w.any(outside_of(w.vector_of(value))));
  const auto look_at_each = [&] {
    V* const places = w.vector_of(value);
    w.when(
        w.any(outside_of(places)), [&] { report(places); }, true);
  };
  // An end may belong to a lane which takes no part.
  ends ? w.when(ends, look_at_each, true) : look_at_each();
}

}  // namespace cuvette::ptx
