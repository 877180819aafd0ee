// SPDX-License-Identifier: Apache-2.0
// Types, shapes, registers and operands.
#include <bit>

#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

// --- Types ---

llvm::Type* WarpBuilder::element(Type type) {
  switch (type) {
    case Type::pred:
      return getInt1Ty();
    case Type::f32:
      return getFloatTy();
    case Type::f64:
      return getDoubleTy();
    case Type::f16:
      return getHalfTy();
    default:
      return getIntNTy(8 * size_of(type));
  }
}

llvm::Type* WarpBuilder::element_of_register(uint32_t reg) {
  const Type type = body().registers[reg].type;
  return type == Type::f16 ? getInt16Ty() : element(type);
}

llvm::VectorType* WarpBuilder::vector_type(llvm::Type* element, unsigned lanes) {
  return llvm::FixedVectorType::get(element, lanes);
}

llvm::Constant* WarpBuilder::lanes(int64_t stride, llvm::Type* element) {
  std::vector<llvm::Constant*> values;
  for (int64_t lane = 0; lane < warp_size; ++lane)
    values.push_back(ConstantInt::get(element, static_cast<uint64_t>(lane * stride), true));
  return llvm::ConstantVector::get(values);
}

llvm::Constant* WarpBuilder::half_lanes(int64_t stride, llvm::Type* element) {
  std::vector<llvm::Constant*> values;
  for (int64_t lane = 0; lane < warp_size; ++lane)
    values.push_back(ConstantInt::get(element, static_cast<uint64_t>(lane % 16 * stride), true));
  return llvm::ConstantVector::get(values);
}

llvm::Value* WarpBuilder::splat(V* scalar, unsigned lanes) {
  return CreateVectorSplat(lanes, scalar);
}

llvm::Value* WarpBuilder::bits_as(V* value, llvm::Type* element) {
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    return CreateBitCast(value, vector_type(element, vector->getNumElements()));
  return CreateBitCast(value, element);
}

llvm::Value* WarpBuilder::resize(V* value, Type from, llvm::Type* to) {
  llvm::Type* const now = value->getType()->getScalarType();
  if (now == to) return value;
  const unsigned old_bits = now->getPrimitiveSizeInBits(), new_bits = to->getPrimitiveSizeInBits();
  if (old_bits == new_bits) return bits_as(value, to);
  V* const whole = bits_as(value, getIntNTy(old_bits));
  llvm::Type* target = getIntNTy(new_bits);
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    target = vector_type(target, vector->getNumElements());
  V* const sized =
      is_signed(from) ? CreateSExtOrTrunc(whole, target) : CreateZExtOrTrunc(whole, target);
  return bits_as(sized, to);
}

// --- Shapes ---

llvm::Value* WarpBuilder::vector_of(const Value& value) {
  if (value.shape.is_varying()) return value.vector;
  llvm::Type* const type = value.scalar[0]->getType();
  if (value.shape.is_uniform()) {
    V* const all = splat(value.scalar[0]);
    if (type->isIntegerTy(1) && !llvm::isa<llvm::Constant>(all))
      bits_of_masks_[all] = CreateSExt(value.scalar[0], getInt32Ty());
    return all;
  }
  V* base = splat(value.scalar[0]);
  llvm::Constant* offsets;
  if (value.shape.linear) {
    offsets = value.shape.stride ? lanes(value.shape.stride, type) : nullptr;
  } else {
    int order[warp_size];
    for (int lane = 0; lane < static_cast<int>(warp_size); ++lane)
      order[lane] = lane < 16 ? lane : lane + 16;
    base = CreateShuffleVector(base, splat(value.scalar[1]), order);
    offsets = value.shape.stride ? half_lanes(value.shape.stride, type) : nullptr;
  }
  V* result = offsets ? CreateAdd(base, offsets) : base;
  for (int half = 0; half < value.scalars(); ++half) {
    if (!value.step[half]) continue;
    llvm::Type* const small = getInt32Ty();
    V* const number = value.shape.linear ? lanes(1, small) : half_lanes(1, small);
    V* beyond = CreateICmpUGE(number, splat(value.step_lane[half]));
    if (!value.shape.linear) {
      std::vector<llvm::Constant*> here;
      for (int lane = 0; lane < static_cast<int>(warp_size); ++lane)
        here.push_back(getInt1(lane / 16 == half));
      beyond = CreateAnd(beyond, llvm::ConstantVector::get(here));
    }
    V* const step = CreateSelect(beyond, splat(value.step[half]),
                                 llvm::Constant::getNullValue(result->getType()));
    result = CreateSub(result, step);
  }
  return result;
}

Value WarpBuilder::conform(const Value& value, const Shape& shape) {
  if (shape.is_varying()) return varying(vector_of(value));
  Value result = value;
  result.shape = shape;
  if (value.shape.linear && !shape.linear) {
    result.scalar[1] =
        value.shape.stride == 0
            ? value.scalar[0]
            : CreateAdd(value.scalar[0],
                        ConstantInt::get(value.scalar[0]->getType(),
                                         static_cast<uint64_t>(16 * value.shape.stride), true));
    if (value.step[0]) {
      // The step also applies in the second half: to all of it, or from some lane on.
      result.step[1] = value.step[0];
      V* const lane = value.step_lane[0];
      V* const in_second = CreateICmpUGE(lane, i32(16));
      result.step_lane[1] = CreateSelect(in_second, CreateSub(lane, i32(16)), i32(0));
    }
  }
  if (shape.stepped)
    for (int half = 0; half < result.scalars(); ++half)
      if (!result.step[half]) {
        result.step[half] = llvm::Constant::getNullValue(result.scalar[0]->getType());
        result.step_lane[half] = i32(0);
      }
  return result;
}

Shape WarpBuilder::shape_of_result(const Instruction& instruction) const {
  const Operand& result = instruction.operands[0];
  return result.kind == Operand::Kind::reg ? shapes().registers[result.index] : Shape::varying();
}

// --- Reading ---

Value WarpBuilder::read(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      Value value = read_register(operand.index, type);
      // A minus in front of a number is left to the instruction that multiplies by it (vmad).
      if (!operand.negated || type != Type::pred) return value;
      if (value.shape.is_varying()) return varying(CreateNot(value.vector));
      return uniform(CreateNot(value.scalar[0]));
    }
    case Operand::Kind::special: {
      const Value value = read_special(operand.special);
      if (value.shape.is_varying()) return varying(resize(value.vector, Type::u32, element(type)));
      Value result = value;
      for (int half = 0; half < value.scalars(); ++half)
        result.scalar[half] = resize(value.scalar[half], Type::u32, element(type));
      // An affine value stays affine in any integer width, because indices are small.
      if (!element(type)->isIntegerTy() && value.shape.stride != 0)
        return varying(bits_as(vector_of(value), element(type)));
      return result;
    }
    case Operand::Kind::immediate: {
      uint64_t bits = operand.bits;
      if (operand.floating && operand.float_bytes == 8 && size_of(type) == 4)
        bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      else if (operand.floating && operand.float_bytes == 4 && type == Type::f64)
        bits = std::bit_cast<uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
      else if (!operand.floating && type == Type::f32)
        bits = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(bits)));
      else if (!operand.floating && type == Type::f64)
        bits = std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(bits)));
      llvm::Type* const whole = getIntNTy(type == Type::pred ? 1 : 8 * size_of(type));
      const llvm::APInt number = llvm::APInt(64, bits).sextOrTrunc(whole->getIntegerBitWidth());
      return uniform(bits_as(ConstantInt::get(whole, number), element(type)));
    }
    case Operand::Kind::symbol:
      return read_symbol(operand, type);
    case Operand::Kind::vector:
      // Instructions that take vectors read the elements themselves.
      unsupported(instruction(), "it does not take a vector operand");
      break;
    default:
      break;
  }
  return uniform(llvm::Constant::getNullValue(element(type)));
}

Value WarpBuilder::read_register(uint32_t reg, Type type) {
  const Slot& slot = slots_[reg];
  llvm::Type* const own = element_of_register(reg);
  llvm::Type* const wanted = element(type);
  Value value;
  int64_t constant;
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = reg;
  if (own->isIntegerTy() && wanted->isIntegerTy() &&
      constant_of(body(), shapes(), operand, constant)) {
    const llvm::APInt number(64, static_cast<uint64_t>(constant));
    return uniform(ConstantInt::get(wanted, number.sextOrTrunc(wanted->getIntegerBitWidth())));
  }
  value.shape = shapes().registers[reg];
  if (value.shape.is_varying()) {
    V* const kept = is_kept_as_bits(slot) ? kept_mask(slot.vector) : get(slot.vector);
    value.vector = resize(kept, type, wanted);
    return value;
  }
  for (int half = 0; half < value.scalars(); ++half) {
    value.scalar[half] = get(slot.scalar[half]);
    if (slot.step[half] != Variables::none) {
      value.step[half] = get(slot.step[half]);
      value.step_lane[half] = get(slot.step_lane[half]);
    }
  }
  if (wanted == own) return value;
  // An affine value seen as another type is not affine, except as an integer of at most its width.
  if (value.shape.stride != 0 && !(own->isIntegerTy() && wanted->isIntegerTy() &&
                                   wanted->getIntegerBitWidth() <= own->getIntegerBitWidth()))
    return varying(resize(vector_of(value), type, wanted));
  for (int half = 0; half < value.scalars(); ++half) {
    value.scalar[half] = resize(value.scalar[half], type, wanted);
    value.step[half] = value.step_lane[half] = nullptr;
  }
  value.shape.stepped = false;
  return value;
}

llvm::Value* WarpBuilder::first_active(const Value& value) {
  if (value.shape.is_uniform()) return value.scalar[0];
  V* const lane =
      all_active() ? i32(0) : intrinsic(llvm::Intrinsic::cttz, {active_bits(), getFalse()});
  V* const inside = CreateAnd(lane, i32(31));
  return CreateExtractElement(vector_of(value), inside);
}

llvm::Value* WarpBuilder::read_scalar(const Operand& operand, Type type) {
  return first_active(read(operand, type));
}

Value WarpBuilder::read_symbol(const Operand& operand, Type type) {
  V* address = nullptr;
  if (operand.index > 0) {
    address = i64(input_.layout.body_offsets[operand.index - 1]);
  } else {
    const auto shared = input_.layout.module_shared.find(operand.symbol);
    if (shared != input_.layout.module_shared.end()) {
      address = i64(shared->second);
    } else {
      // A kernel's parameter: its offset among the parameters. Parameters of functions are
      // variables.
      const auto offsets = input_.function.parameter_offsets();
      for (size_t p = 0; p < offsets.size() && input_.function.is_entry; ++p)
        if (input_.function.parameters[p].name == operand.symbol) address = i64(offsets[p]);
      if (!address) address = symbol_address(operand.symbol);
    }
  }
  if (operand.bits) address = CreateAdd(address, i64(operand.bits));
  return uniform(resize(address, Type::u64, element(type)));
}

// --- Writing ---

void WarpBuilder::write(const Operand& operand, const Value& value, Type type) {
  if (operand.kind == Operand::Kind::reg) return write_register(operand.index, value, type);
  // Only a sink may discard a result.
  if (operand.kind != Operand::Kind::sink)
    unsupported(instruction(), "its result is not a register");
}

void WarpBuilder::write_register(uint32_t reg, const Value& value, Type type) {
  const Slot& slot = slots_[reg];
  llvm::Type* const own = element_of_register(reg);
  const Shape& shape = shapes().registers[reg];
  if (shape.is_varying()) {
    V* vector = resize(vector_of(value), type, own);
    const bool blend = at.predicated || (at.mask && needs_.waits(at.block, reg));
    if (is_kept_as_bits(slot)) {
      V* bits = bits_of(vector);
      if (blend) {
        V* const here = active_bits();
        V* const old = get(slot.vector);
        bits = CreateOr(CreateAnd(bits, here), CreateAnd(old, CreateNot(here)));
      }
      return set(slot.vector, bits);
    }
    if (blend) vector = CreateSelect(active_mask(), vector, get(slot.vector));
    set(slot.vector, vector);
    return;
  }
  Value sized = value;
  if (sized.shape.is_varying()) {
    // The analysis knows that all lanes agree, although the value was computed lane by lane.
    sized = uniform(first_active(value));
  }
  for (int half = 0; half < sized.scalars(); ++half)
    sized.scalar[half] = resize(sized.scalar[half], type, own);
  sized = conform(sized, shape);
  for (int half = 0; half < sized.scalars(); ++half) {
    set(slot.scalar[half], sized.scalar[half]);
    if (slot.step[half] == Variables::none) continue;
    set(slot.step[half], sized.step[half]);
    set(slot.step_lane[half], sized.step_lane[half]);
  }
}

// --- The block's context ---

// --- Registers that the machine sets ---

}  // namespace cuvette::ptx
