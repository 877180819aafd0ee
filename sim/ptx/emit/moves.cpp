// SPDX-License-Identifier: Apache-2.0
// Movement between registers, address spaces and types.
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/integers.hpp"

namespace cuvette::ptx {
namespace {

void emit_pack(WarpBuilder& w, const Instruction& i);
void emit_unpack(WarpBuilder& w, const Instruction& i);
Type bits_type_of(WarpBuilder& w, Type type);

}  // namespace

using llvm::ConstantInt;

void emit_mov(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const Operand& to = i.operands[0];
  const Operand& from = i.operands[1];
  if (to.kind == Operand::Kind::vector) return emit_unpack(w, i);
  if (from.kind == Operand::Kind::vector) return emit_pack(w, i);
  w.write(to, w.read(from, type), type);
}

namespace {

// mov.b64 %rd, {%r1, %r2}: the first is the lowest.
void emit_pack(WarpBuilder& w, const Instruction& i) {
  const Type type = i.type();
  const auto& parts = i.operands[1].elements;
  const uint32_t bytes = size_of(type) / static_cast<uint32_t>(parts.size());
  bool same = true;
  std::vector<Value> values;
  for (const Operand& part : parts) {
    values.push_back(w.read(part, bits_of_size(bytes)));
    same &= values.back().shape.is_uniform();
  }
  V* result = nullptr;
  for (size_t n = 0; n < values.size(); ++n) {
    V* const part = same ? values[n].scalar[0] : w.vector_of(values[n]);
    llvm::Type* const whole =
        same ? w.element(type)
             : static_cast<llvm::Type*>(w.vector_type(w.getIntNTy(8 * size_of(type))));
    V* placed = w.CreateZExt(part, same ? w.getIntNTy(8 * size_of(type)) : whole);
    if (n) placed = w.CreateShl(placed, ConstantInt::get(placed->getType(), 8 * bytes * n));
    result = result ? w.CreateOr(result, placed) : placed;
  }
  w.write(i.operands[0], same ? uniform(result) : varying(result), bits_type_of(w, type));
}

void emit_unpack(WarpBuilder& w, const Instruction& i) {
  const Type type = bits_type_of(w, i.type());
  const auto& parts = i.operands[0].elements;
  const uint32_t bytes = size_of(type) / static_cast<uint32_t>(parts.size());
  const Value value = w.read(i.operands[1], type);
  const bool same = value.shape.is_uniform();
  V* const whole = same ? value.scalar[0] : w.vector_of(value);
  std::vector<V*> results;
  for (size_t n = 0; n < parts.size(); ++n) {
    V* part = n ? w.CreateLShr(whole, ConstantInt::get(whole->getType(), 8 * bytes * n)) : whole;
    llvm::Type* const small = w.getIntNTy(8 * bytes);
    results.push_back(w.CreateTrunc(part, same ? small : w.vector_type(small)));
  }
  for (size_t n = 0; n < parts.size(); ++n)
    w.write(parts[n], same ? uniform(results[n]) : varying(results[n]), bits_of_size(bytes));
}

// The same bits without a meaning.
Type bits_type_of(WarpBuilder& w, Type type) {
  return size_of(type) == 16 ? Type::b128 : bits_of_size(size_of(type));
}

}  // namespace

// Generic addresses are addresses of the memory itself. Shared and local ones are counted from
// where the block's or the thread's own begins.
void emit_cvta(WarpBuilder& w, const Instruction& i) {
  const bool shared = i.has(dot::shared) || i.has(dot::shared_cta) || i.has(dot::shared_cluster);
  const bool local = i.has(dot::local), param = i.has(dot::param);
  const Type type = i.type();
  const Value value = w.read(i.operands[1], Type::u64);
  if (!shared && !local && !param) return w.write(i.operands[0], value, type);
  Operand nothing;
  nothing.kind = Operand::Kind::address;
  const Address origin = address_of(w, nothing,
                                    shared  ? Space::shared
                                    : local ? Space::local
                                            : Space::param);
  V* const base = w.CreatePtrToInt(origin.base, w.getInt64Ty());
  if (value.shape.is_affine() && !local) {
    Value result = value;
    for (int half = 0; half < value.scalars(); ++half)
      result.scalar[half] = i.has(dot::to) ? w.CreateSub(value.scalar[half], base)
                                           : w.CreateAdd(value.scalar[half], base);
    return w.write(i.operands[0], result, type);
  }
  V* start = w.splat(base);
  if (local) start = w.CreateAdd(start, origin.lane_offsets);
  V* const vector = w.vector_of(value);
  w.write(i.operands[0],
          varying(i.has(dot::to) ? w.CreateSub(vector, start) : w.CreateAdd(vector, start)), type);
}

void emit_isspacep(WarpBuilder& w, const Instruction& i) {
  const Value value = w.read(i.operands[1], Type::u64);
  const bool once = value.shape.is_uniform();
  V* const address = once ? value.scalar[0] : w.vector_of(value);
  const auto inside = [&](size_t base, V* size) {
    V* start = w.CreatePtrToInt(w.context_field(base, w.getPtrTy()), w.getInt64Ty());
    V* const distance = w.CreateSub(address, once ? start : w.splat(start));
    return w.CreateICmpULT(distance, once ? size : w.splat(size));
  };
  V* const shared = inside(offsetof(BlockContext, shared),
                           w.context_field(offsetof(BlockContext, shared_bytes), w.getInt64Ty()));
  V* const stride = w.context_field(offsetof(BlockContext, local_stride), w.getInt64Ty());
  V* const threads = w.CreateZExt(w.context_field(offsetof(BlockContext, threads), w.getInt32Ty()),
                                  w.getInt64Ty());
  V* const local = inside(offsetof(BlockContext, local), w.CreateMul(stride, threads));
  V* result;
  if (i.has(dot::global))
    result = w.CreateNot(w.CreateOr(shared, local));
  else if (i.has(dot::local))
    result = local;
  else if (i.has(dot::shared) || i.has(dot::shared_cta) || i.has(dot::shared_cluster))
    result = shared;
  else
    result = llvm::Constant::getNullValue(shared->getType());
  w.write(i.operands[0], once ? uniform(result) : varying(result), Type::pred);
}

// Each lane's memory begins at another address: where an address lies in the block's local memory
// but not in the lane's own, its offset is what counts. Most are the lane's own.
void emit_ownlocal(WarpBuilder& w, const Instruction& i) {
  Operand nothing;
  nothing.kind = Operand::Kind::address;
  const Address origin = address_of(w, nothing, Space::local);
  llvm::Type* const number = w.getInt64Ty();
  V* const own = w.CreateAdd(w.splat(w.CreatePtrToInt(origin.base, number)), origin.lane_offsets);
  V* const memory =
      w.CreatePtrToInt(w.context_field(offsetof(BlockContext, local), w.getPtrTy()), number);
  V* const stride = w.context_field(offsetof(BlockContext, local_stride), number);
  V* const warps =
      w.CreateZExt(w.context_field(offsetof(BlockContext, warps), w.getInt32Ty()), number);
  V* const size = w.CreateMul(w.CreateMul(stride, warps), w.i64(warp_size));
  V* const at = w.read_vector(i.operands[1], Type::u64);
  V* const of_block = w.CreateICmpULT(w.CreateSub(at, w.splat(memory)), w.splat(size));
  V* const of_lane = w.CreateICmpULT(w.CreateSub(at, own), w.splat(stride));
  // There may be no active lane at all.
  V* const others = w.CreateAnd(w.CreateAnd(of_block, w.CreateNot(of_lane)), w.active_mask());
  llvm::AllocaInst* const places = w.array_with(at);
  w.when(
      w.any(others),
      [&] {
        V* const theirs = w.bits_of(others);
        llvm::AllocaInst* const begins = w.array_with(own);
        w.for_each_lane([&](V* lane) {
          V* const place = w.CreateGEP(number, places, lane);
          V* const address = w.CreateLoad(number, place);
          V* const offset = w.CreateURem(w.CreateSub(address, memory), stride);
          V* const begin = w.CreateLoad(number, w.CreateGEP(number, begins, lane));
          V* const is_theirs = w.CreateTrunc(w.CreateLShr(theirs, lane), w.getInt1Ty());
          w.CreateStore(w.CreateSelect(is_theirs, w.CreateAdd(begin, offset), address), place);
        });
      },
      true);
  w.write(i.operands[0], varying(w.CreateLoad(at->getType(), places)), Type::u64);
}

// Whole numbers of another width: a line stays one, with a step where the narrow one ran over.
void emit_resize(WarpBuilder& w, const Instruction& i, Type to, Type from) {
  Value value = w.read(i.operands[1], from);
  llvm::Type* const target = w.element(to);
  if (value.shape.is_varying() || w.shape_of_result(i).is_varying())
    return w.write(i.operands[0], varying(w.resize(w.vector_of(value), from, target)), to);
  Value result = value;
  for (int half = 0; half < value.scalars(); ++half) {
    result.scalar[half] = w.resize(value.scalar[half], from, target);
    if (size_of(to) <= 4) {
      result.step[half] = result.step_lane[half] = nullptr;
    } else if (size_of(from) == 4 && value.shape.stride != 0) {
      const auto [over, lane] =
          overrun(w, value.scalar[half], value.shape.stride,
                  value.shape.linear ? warp_size : warp_size / 2, is_signed(from));
      const uint64_t step = uint64_t{1} << 32;
      if (w.at.straight) w.leave_straight(over);
      result.step[half] = w.CreateSelect(w.at.straight ? w.getFalse() : over,
                                         w.i64(value.shape.stride > 0 ? step : 0 - step), w.i64(0));
      result.step_lane[half] = w.at.straight ? w.i32(0) : lane;
    }
  }
  result.shape.stepped = result.step[0] != nullptr;
  w.write(i.operands[0], result, to);
}

}  // namespace cuvette::ptx
