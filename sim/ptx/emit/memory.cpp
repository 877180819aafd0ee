// SPDX-License-Identifier: Apache-2.0
// Loads and stores. One address for the warp is a scalar access, a line of neighbours a vector,
// everything else a gather or a scatter; each is tested first (address.cpp).
#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/emit/emitter.hpp"
#include "sim/ptx/lines.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint64_t cache_line = 64, page = 4096;

uint32_t bytes_of(llvm::Type* type) {
  return static_cast<uint32_t>(type->getPrimitiveSizeInBits().getFixedValue() / 8);
}

}  // namespace

bool Emitter::is_strong(const Instruction& i) {
  return i.has(dot::volatile_) || i.has(dot::relaxed) || i.has(dot::acquire) ||
         i.has(dot::release) || i.has(dot::mmio);
}

// The order of the compiler alone.
void Emitter::compiler_fence() {
  builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

// What an element of memory is: the same bits as in a register of its size, never a predicate.
llvm::Type* Emitter::memory_element(Type type) {
  if (type == Type::f32 || type == Type::f64) return element(type);
  return builder_.getIntNTy(8 * size_of(type));
}

void Emitter::emit_load(const Instruction& i) {
  const Type type = i.type();
  const uint32_t count = vector_length(i), bytes = bytes_accessed(i);
  const Space space = space_of(i, i.operands[1]);
  if (size_of(type) > 8) return unsupported(i, "accesses of 128 bits are not implemented");
  const bool strong = is_strong(i);
  std::vector<Value> values;
  if (const Indexed* const at = indexed()) {
    check_indexed(*at, i.operands[1], bytes, size_of(type));
    if (strong) compiler_fence();
    values = load_indexed(*at, i.operands[1], memory_element(type), count);
  } else {
    Address address = address_of(i.operands[1], space);
    check(address, bytes, kind_of_access(space));
    if (straight_) address = without_step(address);
    if (strong) compiler_fence();
    if (is_one_access(i, space))
      values = load_whole(address, memory_element(type), count);
    else if (straight_ && all_active() && is_strided(i, address.value.shape) &&
             is_tested_by_ends(address, bytes))
      values = {varying(load_strided(address, memory_element(type)))};
    else
      values = load(address, memory_element(type), count, strong);
  }
  if (strong) compiler_fence();
  if (count == 1) return write(i.operands[0], values[0], type);
  for (uint32_t n = 0; n < count; ++n) write(i.operands[0].elements[n], values[n], type);
}

// `line()` where the lanes' addresses lie on a line, `apart()` otherwise. A line that has run over
// its end is known at run time alone.
template <typename Line, typename Apart>
std::vector<llvm::Value*> Emitter::line_or_apart(const Address& address, const Line& line,
                                                 const Apart& apart) {
  const Value& at = address.value;
  if (!at.shape.is_affine() || address.lane_offsets) return apart();
  if (!at.step[0]) return line();
  V* over = nullptr;
  for (int half = 0; half < at.scalars(); ++half) {
    V* const step = builder_.CreateICmpNE(at.step[half], i64(0));
    over = over ? builder_.CreateOr(over, step) : step;
  }
  llvm::BasicBlock* one = new_block("line");
  llvm::BasicBlock* two = new_block("apart");
  llvm::BasicBlock* const behind = new_block("accessed");
  unlikely(builder_.CreateCondBr(over, two, one));
  builder_.SetInsertPoint(one);
  const std::vector<V*> from_line = line();
  one = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(two);
  const std::vector<V*> from_apart = apart();
  two = builder_.GetInsertBlock();
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
  std::vector<V*> results;
  for (size_t n = 0; n < from_line.size(); ++n) {
    llvm::PHINode* const phi = builder_.CreatePHI(from_line[n]->getType(), 2);
    phi->addIncoming(from_line[n], one);
    phi->addIncoming(from_apart[n], two);
    results.push_back(phi);
  }
  return results;
}

// Where the processor has no such instruction, LLVM makes a test and a branch for each lane, which
// takes it four times as long to compile as a loop over the lanes. No processor gathers or scatters
// elements below 4 bytes.
bool Emitter::takes(Masked access, uint32_t size) const {
  const Vectors vectors = input_.request.vectors;
  if (access != Masked::line && size < 4) return false;
  if (vectors == Vectors::avx512) return true;
  if (access == Masked::line && all_active()) return true;
  return vectors == Vectors::avx2 && size >= 4 && access != Masked::scatter;
}

std::vector<Value> Emitter::load(const Address& address, llvm::Type* type, uint32_t count,
                                 bool strong) {
  const uint32_t size = bytes_of(type);
  std::vector<Value> values;
  const Value& at = address.value;
  if (at.shape.has_no_stride() && !address.lane_offsets) {
    for (uint32_t n = 0; n < count; ++n) {
      Value value;
      value.shape = {Shape::Kind::affine, at.shape.linear, false, 0};
      for (int half = 0; half < at.scalars(); ++half) {
        llvm::LoadInst* const one = builder_.CreateAlignedLoad(
            type, pointer(address, at.scalar[half], n * size), llvm::Align(size));
        if (strong) one->setAtomic(llvm::AtomicOrdering::Monotonic);
        if (address.space == Space::param)
          one->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(llvm_, {}));
        value.scalar[half] = one;
      }
      values.push_back(value);
    }
    return values;
  }
  const bool neighbours =
      at.shape.stride == static_cast<int64_t>(size * count) && takes(Masked::line, size);
  const auto line = [&] {
    return neighbours ? load_line(address, type, count)
                      : load_apart(without_step(address), type, count);
  };
  const auto apart = [&] {
    if (!at.shape.is_affine() || address.lane_offsets) return load_apart(address, type, count);
    llvm::AllocaInst* const buffer = array_of(type, warp_size * count);
    move_line(address, size * count, buffer);
    return separate(builder_.CreateLoad(vector_type(type, warp_size * count), buffer), count);
  };
  for (V* const vector : line_or_apart(address, line, apart)) values.push_back(varying(vector));
  return values;
}

std::vector<llvm::Value*> Emitter::load_line(const Address& address, llvm::Type* type,
                                             uint32_t count) {
  const Value& at = address.value;
  const uint32_t size = bytes_of(type);
  const unsigned elements = warp_size * count / static_cast<unsigned>(at.scalars());
  llvm::VectorType* const vector = vector_type(type, elements);
  V* parts[2];
  for (int half = 0; half < at.scalars(); ++half) {
    V* const place = pointer(address, at.scalar[half], 0);
    // Warps of a row go on where this one ends. Intel's processors look ahead by themselves, but
    // not into the next page; AMD's are a tenth slower for being told.
    static const bool told = __builtin_cpu_is("intel");
    if (told && straight_ && !address.base && class_.one_dimensional())
      for (uint64_t line = 0; line < elements * size; line += cache_line)
        builder_.CreateIntrinsic(
            llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
            {builder_.CreateConstGEP1_64(builder_.getInt8Ty(), place, line + page), i32(0), i32(3),
             i32(1)});
    if (all_active())
      parts[half] = builder_.CreateAlignedLoad(vector, place, llvm::Align(size));
    else
      parts[half] = builder_.CreateMaskedLoad(vector, place, llvm::Align(size),
                                              spread_mask(active_mask(), count, half, at.scalars()),
                                              llvm::Constant::getNullValue(vector));
  }
  V* const whole = at.shape.linear ? parts[0] : concatenate(parts[0], parts[1]);
  return separate(whole, count);
}

std::vector<llvm::Value*> Emitter::separate(V* whole, uint32_t count) {
  if (count == 1) return {whole};
  std::vector<V*> values;
  for (uint32_t n = 0; n < count; ++n) {
    int order[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      order[lane] = static_cast<int>(lane * count + n);
    values.push_back(builder_.CreateShuffleVector(whole, order));
  }
  return values;
}

void Emitter::move_line(const Address& address, uint32_t bytes, llvm::AllocaInst* buffer) {
  const Value& value = address.value;
  for (int half = 0; half < value.scalars(); ++half)
    call_helper(offsetof(Helpers, move_line), builder_.getVoidTy(), value.scalar[half],
                value.step[half] ? value.step[half] : i64(0), line(value, half, 0), active_bits(),
                i32(bytes), buffer);
}

std::vector<llvm::Value*> Emitter::load_apart(const Address& address, llvm::Type* type,
                                              uint32_t count) {
  const uint32_t size = bytes_of(type);
  llvm::VectorType* const vector = vector_type(type);
  std::vector<V*> values;
  if (takes(Masked::gather, size)) {
    for (uint32_t n = 0; n < count; ++n)
      values.push_back(builder_.CreateMaskedGather(vector, pointers(address, n * size),
                                                   llvm::Align(size), active_mask(),
                                                   llvm::Constant::getNullValue(vector)));
    return values;
  }
  llvm::AllocaInst* const places = places_of_lanes(address);
  std::vector<llvm::AllocaInst*> results;
  for (uint32_t n = 0; n < count; ++n) {
    results.push_back(array_of(type));
    builder_.CreateStore(llvm::Constant::getNullValue(vector), results.back());
  }
  for_each_lane([&](V* lane) {
    V* const place = place_of_lane(places, lane);
    for (uint32_t n = 0; n < count; ++n)
      builder_.CreateStore(
          builder_.CreateAlignedLoad(type, builder_.CreateConstGEP1_64(type, place, n),
                                     llvm::Align(size)),
          builder_.CreateGEP(type, results[n], lane));
  });
  for (uint32_t n = 0; n < count; ++n) values.push_back(builder_.CreateLoad(vector, results[n]));
  return values;
}

// The mask of `count` neighbours for each lane, of one half or all.
llvm::Value* Emitter::spread_mask(V* mask, uint32_t count, int half, int halves) {
  if (count == 1 && halves == 1) return mask;
  std::vector<int> order;
  const uint32_t lanes_here = warp_size / static_cast<uint32_t>(halves);
  for (uint32_t lane = 0; lane < lanes_here; ++lane)
    for (uint32_t n = 0; n < count; ++n)
      order.push_back(static_cast<int>(lane + static_cast<uint32_t>(half) * lanes_here));
  return builder_.CreateShuffleVector(mask, order);
}

llvm::Value* Emitter::concatenate(V* a, V* b) {
  const unsigned length = llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements();
  std::vector<int> order(2 * length);
  for (unsigned n = 0; n < 2 * length; ++n) order[n] = static_cast<int>(n);
  return builder_.CreateShuffleVector(a, b, order);
}

void Emitter::emit_store(const Instruction& i) {
  const Type type = i.type();
  const uint32_t count = vector_length(i), bytes = bytes_accessed(i);
  const Space space = space_of(i, i.operands[0]);
  if (size_of(type) > 8) return unsupported(i, "accesses of 128 bits are not implemented");
  if (space == Space::param) return unsupported(i, "a kernel's parameters cannot be written");
  std::vector<Value> values;
  llvm::Type* const memory = memory_element(type);
  for (uint32_t n = 0; n < count; ++n) {
    Value value = read(count == 1 ? i.operands[1] : i.operands[1].elements[n], type);
    if (value.shape.is_varying()) {
      value.vector = bits_as(value.vector, memory);
    } else if (value.scalar[0]->getType() != memory) {
      for (int half = 0; half < value.scalars(); ++half)
        value.scalar[half] = bits_as(value.scalar[half], memory);
    }
    values.push_back(value);
  }
  const bool strong = is_strong(i);
  if (const Indexed* const at = indexed()) {
    check_indexed(*at, i.operands[0], bytes, size_of(type));
    std::vector<V*> vectors;
    for (const Value& value : values) vectors.push_back(vector_of(value));
    if (strong) compiler_fence();
    store_indexed(*at, i.operands[0], vectors, memory);
    if (strong) compiler_fence();
    return;
  }
  Address address = address_of(i.operands[0], space);
  check(address, bytes, kind_of_access(space) | access_write);
  if (straight_) address = without_step(address);
  if (strong) compiler_fence();
  if (is_one_access(i, space))
    store_whole(address, values, memory);
  else
    store(address, values, memory, strong);
  if (strong) compiler_fence();
}

void Emitter::store(const Address& address, const std::vector<Value>& values, llvm::Type* type,
                    bool strong) {
  const uint32_t size = bytes_of(type);
  const uint32_t count = static_cast<uint32_t>(values.size());
  const Value& at = address.value;
  if (at.shape.is_uniform() && !address.lane_offsets) {
    // All lanes write to the same place: one of them is the last.
    V* last = nullptr;
    for (uint32_t n = 0; n < count; ++n) {
      V* value;
      if (values[n].shape.is_uniform()) {
        value = values[n].scalar[0];
      } else {
        if (!last) last = last_active();
        value = builder_.CreateExtractElement(vector_of(values[n]), last);
      }
      llvm::StoreInst* const one = builder_.CreateAlignedStore(
          value, pointer(address, at.scalar[0], n * size), llvm::Align(size));
      if (strong) one->setAtomic(llvm::AtomicOrdering::Monotonic);
    }
    return;
  }
  std::vector<V*> vectors;
  for (const Value& value : values) vectors.push_back(vector_of(value));
  const bool neighbours =
      at.shape.stride == static_cast<int64_t>(size * count) && takes(Masked::line, size);
  const auto line = [&] {
    if (neighbours)
      store_line(address, vectors, type);
    else
      store_apart(without_step(address), vectors, type);
    return std::vector<V*>{};
  };
  const auto apart = [&] {
    if (!at.shape.is_affine() || address.lane_offsets) {
      store_apart(address, vectors, type);
      return std::vector<V*>{};
    }
    llvm::AllocaInst* const buffer = array_of(type, warp_size * count);
    builder_.CreateStore(interleave(vectors), buffer);
    move_line(address, size * count | line_is_stored, buffer);
    return std::vector<V*>{};
  };
  line_or_apart(address, line, apart);
}

llvm::Value* Emitter::last_active() {
  if (all_active()) return i32(31);
  V* const above = intrinsic(llvm::Intrinsic::ctlz, {active_bits(), builder_.getFalse()});
  return builder_.CreateAnd(builder_.CreateSub(i32(31), above), i32(31));
}

llvm::Value* Emitter::interleave(const std::vector<V*>& values) {
  const auto count = static_cast<uint32_t>(values.size());
  if (count == 1) return values[0];
  std::vector<V*> parts = values;
  while (parts.size() > 1) {
    std::vector<V*> pairs;
    for (size_t n = 0; n < parts.size(); n += 2)
      pairs.push_back(concatenate(parts[n], parts[n + 1]));
    parts = std::move(pairs);
  }
  std::vector<int> order;
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    for (uint32_t n = 0; n < count; ++n) order.push_back(static_cast<int>(n * warp_size + lane));
  return builder_.CreateShuffleVector(parts[0], order);
}

void Emitter::store_line(const Address& address, const std::vector<V*>& values, llvm::Type* type) {
  const Value& at = address.value;
  const uint32_t size = bytes_of(type), count = static_cast<uint32_t>(values.size());
  V* const whole = interleave(values);
  const unsigned elements = warp_size * count / static_cast<unsigned>(at.scalars());
  for (int half = 0; half < at.scalars(); ++half) {
    V* part = whole;
    if (!at.shape.linear) {
      std::vector<int> order;
      for (unsigned n = 0; n < elements; ++n)
        order.push_back(static_cast<int>(n + static_cast<unsigned>(half) * elements));
      part = builder_.CreateShuffleVector(whole, order);
    }
    V* const place = pointer(address, at.scalar[half], 0);
    if (all_active())
      builder_.CreateAlignedStore(part, place, llvm::Align(size));
    else
      builder_.CreateMaskedStore(part, place, llvm::Align(size),
                                 spread_mask(active_mask(), count, half, at.scalars()));
  }
}

void Emitter::store_apart(const Address& address, const std::vector<V*>& values, llvm::Type* type) {
  const uint32_t size = bytes_of(type), count = static_cast<uint32_t>(values.size());
  const Shape& shape = address.value.shape;
  if (all_active() && shape.is_affine() && shape.linear && !address.value.step[0] &&
      !address.lane_offsets && (size < 4 || input_.request.vectors != Vectors::avx512)) {
    V* const begin = pointer(address, address.value.scalar[0], 0);
    for (uint32_t n = 0; n < count; ++n)
      store_each(
          values[n],
          [&](uint32_t lane) {
            return builder_.CreateConstGEP1_64(
                builder_.getInt8Ty(), begin, static_cast<uint64_t>(shape.stride * lane) + n * size);
          },
          llvm::Align(size));
    return;
  }
  if (takes(Masked::scatter, size)) {
    for (uint32_t n = 0; n < count; ++n)
      builder_.CreateMaskedScatter(values[n], pointers(address, n * size), llvm::Align(size),
                                   active_mask());
    return;
  }
  llvm::AllocaInst* const places = places_of_lanes(address);
  std::vector<llvm::AllocaInst*> sources;
  for (V* const value : values) {
    sources.push_back(array_of(type));
    builder_.CreateStore(value, sources.back());
  }
  for_each_lane([&](V* lane) {
    V* const place = place_of_lane(places, lane);
    for (uint32_t n = 0; n < count; ++n)
      builder_.CreateAlignedStore(
          builder_.CreateLoad(type, builder_.CreateGEP(type, sources[n], lane)),
          builder_.CreateConstGEP1_64(type, place, n), llvm::Align(size));
  });
}

// Values that differ are written down: a lane's are then found by its number.
Emitter::PerLane Emitter::by_lane(const Value& value) {
  if (value.shape.is_uniform()) return [value](V*) { return value.scalar[0]; };
  V* const vector = vector_of(value);
  llvm::Type* const type = llvm::cast<llvm::VectorType>(vector->getType())->getElementType();
  llvm::AllocaInst* const array = array_of(type);
  builder_.CreateStore(vector, array);
  return [this, array, type](V* lane) -> V* {
    return builder_.CreateLoad(type, builder_.CreateGEP(type, array, lane));
  };
}

Emitter::PerLane Emitter::place_by_lane(const Address& address, uint64_t offset) {
  const bool apart = address.lane_offsets != nullptr;
  const PerLane value =
      by_lane(apart ? varying(builder_.CreatePtrToInt(pointers(address, 0),
                                                      vector_type(builder_.getInt64Ty())))
                    : address.value);
  V* const base = apart ? nullptr : address.base;
  return [this, value, base, offset](V* lane) {
    V* place = value(lane);
    if (base)
      place = builder_.CreateGEP(builder_.getInt8Ty(), base,
                                 builder_.CreateZExt(place, builder_.getInt64Ty()));
    else
      place = builder_.CreateIntToPtr(place, builder_.getPtrTy());
    return offset ? builder_.CreateConstGEP1_64(builder_.getInt8Ty(), place, offset) : place;
  };
}

// The lanes' addresses as numbers, in an array.
llvm::AllocaInst* Emitter::places_of_lanes(const Address& address) {
  llvm::AllocaInst* const places = array_of(builder_.getInt64Ty());
  builder_.CreateStore(
      builder_.CreatePtrToInt(pointers(address, 0), vector_type(builder_.getInt64Ty())), places);
  return places;
}

llvm::Value* Emitter::place_of_lane(llvm::AllocaInst* places, V* lane) {
  V* const place = builder_.CreateGEP(builder_.getInt64Ty(), places, lane);
  return builder_.CreateIntToPtr(builder_.CreateLoad(builder_.getInt64Ty(), place),
                                 builder_.getPtrTy());
}

// On this processor only stores overtaken by later loads need an instruction.
void Emitter::emit_fence(const Instruction& i) {
  const bool strong =
      (i.opcode == Opcode::membar || i.has(dot::sc)) && !i.has(dot::proxy) && !i.has(dot::cta);
  if (strong)
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  else
    compiler_fence();
}

}  // namespace cuvette::ptx
