// SPDX-License-Identifier: Apache-2.0
// Movement between registers, address spaces and types.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

void Emitter::emit_mov(const Instruction& i) {
  const Type type = i.type();
  const Operand& to = i.operands[0];
  const Operand& from = i.operands[1];
  if (to.kind == Operand::Kind::vector) return emit_unpack(i);
  if (from.kind == Operand::Kind::vector) return emit_pack(i);
  write(to, read(from, type), type);
}

// mov.b64 %rd, {%r1, %r2}: the first is the lowest.
void Emitter::emit_pack(const Instruction& i) {
  const Type type = i.type();
  const auto& parts = i.operands[1].elements;
  const uint32_t bytes = size_of(type) / static_cast<uint32_t>(parts.size());
  bool same = true;
  std::vector<Value> values;
  for (const Operand& part : parts) {
    values.push_back(read(part, bits_of_size(bytes)));
    same &= values.back().shape.is_uniform();
  }
  V* result = nullptr;
  for (size_t n = 0; n < values.size(); ++n) {
    V* const part = same ? values[n].scalar[0] : vector_of(values[n]);
    llvm::Type* const whole =
        same ? element(type)
             : static_cast<llvm::Type*>(vector_type(builder_.getIntNTy(8 * size_of(type))));
    V* placed = builder_.CreateZExt(part, same ? builder_.getIntNTy(8 * size_of(type)) : whole);
    if (n) placed = builder_.CreateShl(placed, ConstantInt::get(placed->getType(), 8 * bytes * n));
    result = result ? builder_.CreateOr(result, placed) : placed;
  }
  write(i.operands[0], same ? uniform(result) : varying(result), bits_type_of(type));
}

void Emitter::emit_unpack(const Instruction& i) {
  const Type type = bits_type_of(i.type());
  const auto& parts = i.operands[0].elements;
  const uint32_t bytes = size_of(type) / static_cast<uint32_t>(parts.size());
  const Value value = read(i.operands[1], type);
  const bool same = value.shape.is_uniform();
  V* const whole = same ? value.scalar[0] : vector_of(value);
  std::vector<V*> results;
  for (size_t n = 0; n < parts.size(); ++n) {
    V* part =
        n ? builder_.CreateLShr(whole, ConstantInt::get(whole->getType(), 8 * bytes * n)) : whole;
    llvm::Type* const small = builder_.getIntNTy(8 * bytes);
    results.push_back(builder_.CreateTrunc(part, same ? small : vector_type(small)));
  }
  for (size_t n = 0; n < parts.size(); ++n)
    write(parts[n], same ? uniform(results[n]) : varying(results[n]), bits_of_size(bytes));
}

// The same bits without a meaning.
Type Emitter::bits_type_of(Type type) const {
  return size_of(type) == 16 ? Type::b128 : bits_of_size(size_of(type));
}

// Generic addresses are those of the memory itself. Shared and local ones are counted from where
// the block's or the thread's own begins.
void Emitter::emit_cvta(const Instruction& i) {
  const bool shared = i.has(dot::shared) || i.has(dot::shared_cta) || i.has(dot::shared_cluster);
  const bool local = i.has(dot::local), param = i.has(dot::param);
  const Type type = i.type();
  const Value value = read(i.operands[1], Type::u64);
  if (!shared && !local && !param) return write(i.operands[0], value, type);
  Operand nothing;
  nothing.kind = Operand::Kind::address;
  const Address origin = address_of(nothing, shared  ? Space::shared
                                             : local ? Space::local
                                                     : Space::param);
  V* const base = builder_.CreatePtrToInt(origin.base, builder_.getInt64Ty());
  if (value.shape.is_affine() && !local) {
    Value result = value;
    for (int half = 0; half < value.scalars(); ++half)
      result.scalar[half] = i.has(dot::to) ? builder_.CreateSub(value.scalar[half], base)
                                           : builder_.CreateAdd(value.scalar[half], base);
    return write(i.operands[0], result, type);
  }
  V* start = splat(base);
  if (local) start = builder_.CreateAdd(start, origin.lane_offsets);
  V* const vector = vector_of(value);
  write(i.operands[0],
        varying(i.has(dot::to) ? builder_.CreateSub(vector, start)
                               : builder_.CreateAdd(vector, start)),
        type);
}

void Emitter::emit_isspacep(const Instruction& i) {
  const Value value = read(i.operands[1], Type::u64);
  const bool once = value.shape.is_uniform();
  V* const address = once ? value.scalar[0] : vector_of(value);
  const auto inside = [&](size_t base, V* size) {
    V* start =
        builder_.CreatePtrToInt(context_field(base, builder_.getPtrTy()), builder_.getInt64Ty());
    V* const distance = builder_.CreateSub(address, once ? start : splat(start));
    return builder_.CreateICmpULT(distance, once ? size : splat(size));
  };
  V* const shared =
      inside(offsetof(BlockContext, shared),
             context_field(offsetof(BlockContext, shared_bytes), builder_.getInt64Ty()));
  V* const stride = context_field(offsetof(BlockContext, local_stride), builder_.getInt64Ty());
  V* const threads = builder_.CreateZExt(
      context_field(offsetof(BlockContext, threads), builder_.getInt32Ty()), builder_.getInt64Ty());
  V* const local = inside(offsetof(BlockContext, local), builder_.CreateMul(stride, threads));
  V* result;
  if (i.has(dot::global))
    result = builder_.CreateNot(builder_.CreateOr(shared, local));
  else if (i.has(dot::local))
    result = local;
  else if (i.has(dot::shared) || i.has(dot::shared_cta) || i.has(dot::shared_cluster))
    result = shared;
  else
    result = llvm::Constant::getNullValue(shared->getType());
  write(i.operands[0], once ? uniform(result) : varying(result), Type::pred);
}

// Whole numbers of another width: a line stays one, with a step where the narrow one ran over.
void Emitter::emit_resize(const Instruction& i, Type to, Type from) {
  Value value = read(i.operands[1], from);
  llvm::Type* const target = element(to);
  if (value.shape.is_varying() || shape_of_result(i).is_varying())
    return write(i.operands[0], varying(resize(vector_of(value), from, target)), to);
  Value result = value;
  for (int half = 0; half < value.scalars(); ++half) {
    result.scalar[half] = resize(value.scalar[half], from, target);
    if (size_of(to) <= 4) {
      result.step[half] = result.step_lane[half] = nullptr;
    } else if (size_of(from) == 4 && value.shape.stride != 0) {
      const auto [over, lane] =
          overrun(value.scalar[half], value.shape.stride,
                  value.shape.linear ? warp_size : warp_size / 2, is_signed(from));
      const uint64_t step = uint64_t{1} << 32;
      if (straight_) leave_straight(over);
      result.step[half] =
          builder_.CreateSelect(straight_ ? builder_.getFalse() : over,
                                i64(value.shape.stride > 0 ? step : 0 - step), i64(0));
      result.step_lane[half] = straight_ ? i32(0) : lane;
    }
  }
  result.shape.stepped = result.step[0] != nullptr;
  write(i.operands[0], result, to);
}

}  // namespace cuvette::ptx
