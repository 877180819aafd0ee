// SPDX-License-Identifier: Apache-2.0
// Registers, operands, and what a block's context holds.
#include <bit>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

// --- Types ---

llvm::Type* Emitter::element(Type type) {
  switch (type) {
    case Type::pred:
      return builder_.getInt1Ty();
    case Type::f32:
      return builder_.getFloatTy();
    case Type::f64:
      return builder_.getDoubleTy();
    case Type::f16:
      return builder_.getHalfTy();
    default:
      return builder_.getIntNTy(8 * size_of(type));
  }
}

llvm::Type* Emitter::element_of_register(uint32_t reg) {
  const Type type = body_.registers[reg].type;
  return type == Type::f16 ? builder_.getInt16Ty() : element(type);
}

llvm::VectorType* Emitter::vector_type(llvm::Type* element, unsigned lanes) {
  return llvm::FixedVectorType::get(element, lanes);
}

llvm::Constant* Emitter::lanes(int64_t stride, llvm::Type* element) {
  std::vector<llvm::Constant*> values;
  for (int64_t lane = 0; lane < warp_size; ++lane)
    values.push_back(ConstantInt::get(element, static_cast<uint64_t>(lane * stride), true));
  return llvm::ConstantVector::get(values);
}

llvm::Constant* Emitter::half_lanes(int64_t stride, llvm::Type* element) {
  std::vector<llvm::Constant*> values;
  for (int64_t lane = 0; lane < warp_size; ++lane)
    values.push_back(ConstantInt::get(element, static_cast<uint64_t>(lane % 16 * stride), true));
  return llvm::ConstantVector::get(values);
}

llvm::Value* Emitter::splat(V* scalar, unsigned lanes) {
  return builder_.CreateVectorSplat(lanes, scalar);
}

llvm::Value* Emitter::bits_as(V* value, llvm::Type* element) {
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    return builder_.CreateBitCast(value, vector_type(element, vector->getNumElements()));
  return builder_.CreateBitCast(value, element);
}

llvm::Value* Emitter::resize(V* value, Type from, llvm::Type* to) {
  llvm::Type* const now = value->getType()->getScalarType();
  if (now == to) return value;
  const unsigned old_bits = now->getPrimitiveSizeInBits(), new_bits = to->getPrimitiveSizeInBits();
  if (old_bits == new_bits) return bits_as(value, to);
  V* const whole = bits_as(value, builder_.getIntNTy(old_bits));
  llvm::Type* target = builder_.getIntNTy(new_bits);
  if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    target = vector_type(target, vector->getNumElements());
  V* const sized = is_signed(from) ? builder_.CreateSExtOrTrunc(whole, target)
                                   : builder_.CreateZExtOrTrunc(whole, target);
  return bits_as(sized, to);
}

// --- Shapes ---

llvm::Value* Emitter::vector_of(const Value& value) {
  if (value.shape.is_varying()) return value.vector;
  llvm::Type* const type = value.scalar[0]->getType();
  if (value.shape.is_uniform()) {
    V* const all = splat(value.scalar[0]);
    if (type->isIntegerTy(1) && !llvm::isa<llvm::Constant>(all))
      bits_of_masks_[all] = builder_.CreateSExt(value.scalar[0], builder_.getInt32Ty());
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
    base = builder_.CreateShuffleVector(base, splat(value.scalar[1]), order);
    offsets = value.shape.stride ? half_lanes(value.shape.stride, type) : nullptr;
  }
  V* result = offsets ? builder_.CreateAdd(base, offsets) : base;
  for (int half = 0; half < value.scalars(); ++half) {
    if (!value.step[half]) continue;
    llvm::Type* const small = builder_.getInt32Ty();
    V* const number = value.shape.linear ? lanes(1, small) : half_lanes(1, small);
    V* beyond = builder_.CreateICmpUGE(number, splat(value.step_lane[half]));
    if (!value.shape.linear) {
      std::vector<llvm::Constant*> here;
      for (int lane = 0; lane < static_cast<int>(warp_size); ++lane)
        here.push_back(builder_.getInt1(lane / 16 == half));
      beyond = builder_.CreateAnd(beyond, llvm::ConstantVector::get(here));
    }
    V* const step = builder_.CreateSelect(beyond, splat(value.step[half]),
                                          llvm::Constant::getNullValue(result->getType()));
    result = builder_.CreateSub(result, step);
  }
  return result;
}

Value Emitter::conform(const Value& value, const Shape& shape) {
  if (shape.is_varying()) return varying(vector_of(value));
  Value result = value;
  result.shape = shape;
  if (value.shape.linear && !shape.linear) {
    result.scalar[1] =
        value.shape.stride == 0
            ? value.scalar[0]
            : builder_.CreateAdd(
                  value.scalar[0],
                  ConstantInt::get(value.scalar[0]->getType(),
                                   static_cast<uint64_t>(16 * value.shape.stride), true));
    if (value.step[0]) {
      // What lies in the second half: all of it, or from some lane on.
      result.step[1] = value.step[0];
      V* const lane = value.step_lane[0];
      V* const in_second = builder_.CreateICmpUGE(lane, i32(16));
      result.step_lane[1] =
          builder_.CreateSelect(in_second, builder_.CreateSub(lane, i32(16)), i32(0));
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

Shape Emitter::shape_of_result(const Instruction& instruction) const {
  const Operand& result = instruction.operands[0];
  return result.kind == Operand::Kind::reg ? shapes_.registers[result.index] : Shape::varying();
}

// --- Reading ---

Value Emitter::read(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      Value value = read_register(operand.index, type);
      // A minus in front of a number is for whoever multiplies by it (vmad).
      if (!operand.negated || type != Type::pred) return value;
      if (value.shape.is_varying()) return varying(builder_.CreateNot(value.vector));
      return uniform(builder_.CreateNot(value.scalar[0]));
    }
    case Operand::Kind::special: {
      const Value value = read_special(operand.special);
      if (value.shape.is_varying()) return varying(resize(value.vector, Type::u32, element(type)));
      Value result = value;
      for (int half = 0; half < value.scalars(); ++half)
        result.scalar[half] = resize(value.scalar[half], Type::u32, element(type));
      // Narrower or wider, a line stays one: indices are small.
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
      llvm::Type* const whole = builder_.getIntNTy(type == Type::pred ? 1 : 8 * size_of(type));
      const llvm::APInt number = llvm::APInt(64, bits).sextOrTrunc(whole->getIntegerBitWidth());
      return uniform(bits_as(ConstantInt::get(whole, number), element(type)));
    }
    case Operand::Kind::symbol:
      return read_symbol(operand, type);
    case Operand::Kind::vector:
      // Whoever takes vectors reads their elements.
      unsupported(body_.instructions[instruction_], "a vector is no operand of it");
      break;
    default:
      break;
  }
  return uniform(llvm::Constant::getNullValue(element(type)));
}

Value Emitter::read_register(uint32_t reg, Type type) {
  const Slot& slot = slots_[reg];
  llvm::Type* const own = element_of_register(reg);
  llvm::Type* const wanted = element(type);
  Value value;
  int64_t constant;
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = reg;
  if (own->isIntegerTy() && wanted->isIntegerTy() &&
      constant_of(body_, shapes_, operand, constant)) {
    const llvm::APInt number(64, static_cast<uint64_t>(constant));
    return uniform(ConstantInt::get(wanted, number.sextOrTrunc(wanted->getIntegerBitWidth())));
  }
  value.shape = shapes_.registers[reg];
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
  // A line in other bits is none, except in the lower half of a wider number.
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

llvm::Value* Emitter::first_active(const Value& value) {
  if (value.shape.is_uniform()) return value.scalar[0];
  V* const lane = all_active()
                      ? i32(0)
                      : intrinsic(llvm::Intrinsic::cttz, {active_bits(), builder_.getFalse()});
  V* const inside = builder_.CreateAnd(lane, i32(31));
  return builder_.CreateExtractElement(vector_of(value), inside);
}

llvm::Value* Emitter::read_scalar(const Operand& operand, Type type) {
  return first_active(read(operand, type));
}

Value Emitter::read_symbol(const Operand& operand, Type type) {
  V* address = nullptr;
  if (operand.index > 0) {
    address = i64(input_.layout.body_offsets[operand.index - 1]);
  } else {
    const auto shared = input_.layout.module_shared.find(operand.symbol);
    if (shared != input_.layout.module_shared.end()) {
      address = i64(shared->second);
    } else {
      // A kernel's parameter: its place among the parameters. Those of functions are variables.
      const auto offsets = input_.function.parameter_offsets();
      for (size_t p = 0; p < offsets.size() && input_.function.is_entry; ++p)
        if (input_.function.parameters[p].name == operand.symbol) address = i64(offsets[p]);
      if (!address) address = symbol_address(operand.symbol);
    }
  }
  if (operand.bits) address = builder_.CreateAdd(address, i64(operand.bits));
  return uniform(resize(address, Type::u64, element(type)));
}

// --- Writing ---

void Emitter::write(const Operand& operand, const Value& value, Type type) {
  if (operand.kind == Operand::Kind::reg) return write_register(operand.index, value, type);
  // Nothing is computed for nobody: only a sink takes a result that is not wanted.
  if (operand.kind != Operand::Kind::sink)
    unsupported(body_.instructions[instruction_], "its result is no register");
}

void Emitter::write_register(uint32_t reg, const Value& value, Type type) {
  const Slot& slot = slots_[reg];
  llvm::Type* const own = element_of_register(reg);
  const Shape& shape = shapes_.registers[reg];
  if (shape.is_varying()) {
    V* vector = resize(vector_of(value), type, own);
    const bool blend = predicated_ || (mask_ && needs_.waits(block_, reg));
    if (is_kept_as_bits(slot)) {
      V* bits = bits_of(vector);
      if (blend) {
        V* const here = active_bits();
        V* const old = get(slot.vector);
        bits = builder_.CreateOr(builder_.CreateAnd(bits, here),
                                 builder_.CreateAnd(old, builder_.CreateNot(here)));
      }
      return set(slot.vector, bits);
    }
    if (blend) vector = builder_.CreateSelect(active_mask(), vector, get(slot.vector));
    set(slot.vector, vector);
    return;
  }
  Value sized = value;
  if (sized.shape.is_varying()) {
    // The analysis knows that all lanes agree, where this is computed lane by lane.
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

llvm::Value* Emitter::context_field(size_t offset, llvm::Type* type, bool constant) {
  V* const place =
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), function_->getArg(0), offset);
  llvm::LoadInst* const load = builder_.CreateLoad(type, place);
  if (constant)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(llvm_, {}));
  return load;
}

llvm::Value* Emitter::location() {
  const Instruction& instruction = body_.instructions[instruction_];
  return i64(location_of(instruction.line, instruction.source_file, instruction.source_line));
}

// What one instruction has written down the next does not need: few places do for all.
llvm::AllocaInst* Emitter::array_of(llvm::Type* element, unsigned count) {
  const uint64_t bits = uint64_t{element->getPrimitiveSizeInBits().getFixedValue()} * count;
  llvm::AllocaInst* array = nullptr;
  const auto free = arrays_.find(bits);
  if (free != arrays_.end()) {
    array = free->second;
    arrays_.erase(free);
  } else {
    array = llvm::IRBuilder<>(allocas_, allocas_->begin())
                .CreateAlloca(llvm::ArrayType::get(element, count));
    array->setAlignment(llvm::Align(64));
  }
  arrays_in_use_.emplace_back(bits, array);
  return array;
}

llvm::Value* Emitter::symbol_address(std::string_view name) {
  size_t number = 0;
  while (number < result_.symbols.size() && result_.symbols[number] != name) ++number;
  if (number == result_.symbols.size()) result_.symbols.emplace_back(name);
  V* const table = context_field(offsetof(BlockContext, symbols), builder_.getPtrTy());
  llvm::LoadInst* const load = builder_.CreateLoad(
      builder_.getInt64Ty(),
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), table, number));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(llvm_, {}));
  return load;
}

// --- Registers that the machine sets ---

Value Emitter::read_special(Special special) {
  const auto known = specials_.find(special);
  if (known != specials_.end()) return known->second;
  const auto field = [&](size_t offset) {
    return uniform(context_field(offset, builder_.getInt32Ty()));
  };
  const auto from_helper = [&](size_t helper, unsigned shift) {
    V* const value = call_helper(helper, builder_.getInt64Ty(), function_->getArg(0));
    return uniform(shift ? builder_.CreateLShr(value, i64(shift)) : value);
  };
#define FIELD(name) offsetof(BlockContext, name)
  const auto cluster_id = [&](int d) {
    return uniform(
        builder_.CreateUDiv(d == 0 ? read_special(Special::ctaid_x).scalar[0]
                                   : context_field(FIELD(ctaid) + 4 * d, builder_.getInt32Ty()),
                            context_field(FIELD(cluster_nctaid) + 4 * d, builder_.getInt32Ty())));
  };
  const auto clusters = [&](int d) {
    return uniform(
        builder_.CreateUDiv(context_field(FIELD(nctaid) + 4 * d, builder_.getInt32Ty()),
                            context_field(FIELD(cluster_nctaid) + 4 * d, builder_.getInt32Ty())));
  };
  const auto rank = [&](bool count) {
    V* size[3];
    V* at[3];
    for (int d = 0; d < 3; ++d) {
      size[d] = context_field(FIELD(cluster_nctaid) + 4 * d, builder_.getInt32Ty());
      at[d] = context_field(FIELD(cluster_ctaid) + 4 * d, builder_.getInt32Ty());
    }
    if (count) return uniform(builder_.CreateMul(size[0], builder_.CreateMul(size[1], size[2])));
    V* const plane = builder_.CreateAdd(at[1], builder_.CreateMul(size[1], at[2]));
    return uniform(builder_.CreateAdd(at[0], builder_.CreateMul(size[0], plane)));
  };
  llvm::Type* const word = builder_.getInt32Ty();
  switch (special) {
    case Special::kernel_number:
      return uniform(function_->getArg(3));
    case Special::ntid_x:
      return field(FIELD(ntid));
    case Special::ntid_y:
      return field(FIELD(ntid) + 4);
    case Special::ntid_z:
      return field(FIELD(ntid) + 8);
    case Special::ctaid_x:
      // Of a function: those who call it go on to the next block.
      return uniform(context_field(FIELD(ctaid), builder_.getInt32Ty(), input_.function.is_entry));
    case Special::ctaid_y:
      return field(FIELD(ctaid) + 4);
    case Special::ctaid_z:
      return field(FIELD(ctaid) + 8);
    case Special::nctaid_x:
      return field(FIELD(nctaid));
    case Special::nctaid_y:
      return field(FIELD(nctaid) + 4);
    case Special::nctaid_z:
      return field(FIELD(nctaid) + 8);
    case Special::laneid: {
      Value value = uniform(i32(0));
      value.shape.stride = 1;
      return value;
    }
    case Special::warpid:
      return uniform(warp_);
    case Special::nwarpid:
      return field(FIELD(warps));
    case Special::warp_size:
      return uniform(i32(warp_size));
    case Special::smid:
      return uniform(context_field(FIELD(smid), builder_.getInt32Ty(), needs_frames_));
    case Special::nsmid:
      return field(FIELD(nsmid));
    case Special::gridid:
      return uniform(context_field(FIELD(grid_id), builder_.getInt64Ty()));
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt: {
      std::vector<llvm::Constant*> masks;
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const uint32_t one = 1u << lane, below = one - 1;
        masks.push_back(builder_.getInt32(special == Special::lanemask_eq   ? one
                                          : special == Special::lanemask_le ? below | one
                                          : special == Special::lanemask_lt ? below
                                          : special == Special::lanemask_ge ? ~below
                                                                            : ~(below | one)));
      }
      return varying(llvm::ConstantVector::get(masks));
    }
    case Special::clock:
    case Special::clock64:
      return from_helper(offsetof(Helpers, clock), 0);
    case Special::clock_hi:
      return from_helper(offsetof(Helpers, clock), 32);
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return from_helper(offsetof(Helpers, global_timer), 0);
    case Special::globaltimer_hi:
      return from_helper(offsetof(Helpers, global_timer), 32);
    case Special::envreg1:
      return field(FIELD(envreg) + 4);
    case Special::envreg2:
      return field(FIELD(envreg) + 8);
    case Special::total_smem_size:
    case Special::aggr_smem_size: {
      // In units, without what is reserved and with it.
      V* const all =
          builder_.CreateTrunc(context_field(FIELD(shared_bytes), builder_.getInt64Ty()), word);
      V* const user = builder_.CreateSub(all, i32(input_.layout.shared_reserved));
      V* const given = builder_.CreateAnd(builder_.CreateAdd(user, i32(127)), i32(~127u));
      return uniform(special == Special::total_smem_size
                         ? given
                         : builder_.CreateAdd(given, i32(reserved_shared_bytes)));
    }
    case Special::reserved_begin:
    case Special::reserved_0:
      return uniform(i32(0));
    case Special::reserved_1:
      return uniform(i32(reserved_shared_bytes / 2));
    case Special::reserved_end:
    case Special::reserved_cap:
      return uniform(i32(reserved_shared_bytes));
    case Special::dynamic_smem_size:
      return field(FIELD(dynamic_shared_bytes));
    case Special::is_explicit_cluster:
      return uniform(builder_.CreateICmpNE(field(FIELD(explicit_cluster)).scalar[0], i32(0)));
    case Special::clusterid_x:
      return cluster_id(0);
    case Special::clusterid_y:
      return cluster_id(1);
    case Special::clusterid_z:
      return cluster_id(2);
    case Special::nclusterid_x:
      return clusters(0);
    case Special::nclusterid_y:
      return clusters(1);
    case Special::nclusterid_z:
      return clusters(2);
    case Special::cluster_ctaid_x:
      return field(FIELD(cluster_ctaid));
    case Special::cluster_ctaid_y:
      return field(FIELD(cluster_ctaid) + 4);
    case Special::cluster_ctaid_z:
      return field(FIELD(cluster_ctaid) + 8);
    case Special::cluster_nctaid_x:
      return field(FIELD(cluster_nctaid));
    case Special::cluster_nctaid_y:
      return field(FIELD(cluster_nctaid) + 4);
    case Special::cluster_nctaid_z:
      return field(FIELD(cluster_nctaid) + 8);
    case Special::cluster_ctarank:
      return rank(false);
    case Special::cluster_nctarank:
      return rank(true);
    // Nothing counts, and no graph launches others from the device.
    case Special::envreg:
    case Special::performance_counter:
      return uniform(i32(0));
    case Special::performance_counter_wide:
    case Special::current_graph_exec:
      return uniform(i64(0));
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
      break;  // known since the warp began
  }
#undef FIELD
  return uniform(i32(0));
}

}  // namespace cuvette::ptx
