// SPDX-License-Identifier: Apache-2.0
// Loads and stores of addresses that have been tested. One address for the warp is a scalar access,
// a line of neighbours a vector, everything else a gather or a scatter.
#include "sim/ptx/emit/memory.hpp"

#include <llvm/IR/Intrinsics.h>

#include "sim/ptx/abi/lines.hpp"
#include "sim/ptx/emit/memory_accesses.hpp"

namespace cuvette::ptx {
namespace {

std::vector<llvm::Value*> load_line(WarpBuilder& w, const Address& address, llvm::Type* type,
                                    uint32_t count);
void move_line(WarpBuilder& w, const Address& address, uint32_t bytes, llvm::AllocaInst* buffer);
void store_line(WarpBuilder& w, const Address& address, const std::vector<V*>& values,
                llvm::Type* type);
llvm::Value* place_of_lane(WarpBuilder& w, llvm::AllocaInst* places, V* lane);

constexpr uint64_t cache_line = 64, page = 4096;

}  // namespace

uint32_t bytes_of(llvm::Type* type) {
  return static_cast<uint32_t>(type->getPrimitiveSizeInBits().getFixedValue() / 8);
}

// Keeps the compiler from reordering; emits no instruction.
void compiler_fence(WarpBuilder& w) {
  w.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

// The type of an element in memory: the same bits as in a register of its size, never a predicate.
llvm::Type* memory_element(WarpBuilder& w, Type type) {
  if (type == Type::f32 || type == Type::f64) return w.element(type);
  return w.getIntNTy(8 * size_of(type));
}

namespace {

// `line()` where the lanes' addresses lie on a line, `apart()` otherwise. A line that has run over
// its end is known at run time alone.
template <typename Line, typename Apart>
std::vector<llvm::Value*> line_or_apart(WarpBuilder& w, const Address& address, const Line& line,
                                        const Apart& apart) {
  const Value& at = address.value;
  if (!at.shape.is_affine() || address.lane_offsets) return apart();
  if (!at.step[0]) return line();
  V* over = nullptr;
  for (int half = 0; half < at.scalars(); ++half) {
    V* const step = w.CreateICmpNE(at.step[half], w.i64(0));
    over = over ? w.CreateOr(over, step) : step;
  }
  llvm::BasicBlock* one = w.new_block("line");
  llvm::BasicBlock* two = w.new_block("apart");
  llvm::BasicBlock* const behind = w.new_block("accessed");
  w.unlikely(w.CreateCondBr(over, two, one));
  w.SetInsertPoint(one);
  const std::vector<V*> from_line = line();
  one = w.GetInsertBlock();
  w.CreateBr(behind);
  w.SetInsertPoint(two);
  const std::vector<V*> from_apart = apart();
  two = w.GetInsertBlock();
  w.CreateBr(behind);
  w.SetInsertPoint(behind);
  std::vector<V*> results;
  for (size_t n = 0; n < from_line.size(); ++n) {
    llvm::PHINode* const phi = w.CreatePHI(from_line[n]->getType(), 2);
    phi->addIncoming(from_line[n], one);
    phi->addIncoming(from_apart[n], two);
    results.push_back(phi);
  }
  return results;
}

}  // namespace

// Where the processor has no such instruction, LLVM makes a test and a branch for each lane, which
// takes it four times as long to compile as a loop over the lanes. No processor gathers or scatters
// elements below 4 bytes.
bool takes(WarpBuilder& w, Masked access, uint32_t size) {
  const Vectors vectors = w.input().request.vectors;
  if (access != Masked::line && size < 4) return false;
  if (vectors == Vectors::avx512) return true;
  if (access == Masked::line && w.all_active()) return true;
  return vectors == Vectors::avx2 && size >= 4 && access != Masked::scatter;
}

std::vector<Value> load(WarpBuilder& w, const Address& address, llvm::Type* type, uint32_t count,
                        bool strong) {
  const uint32_t size = bytes_of(type);
  std::vector<Value> values;
  const Value& at = address.value;
  if (at.shape.has_no_stride() && !address.lane_offsets) {
    for (uint32_t n = 0; n < count; ++n) {
      Value value;
      value.shape = {Shape::Kind::affine, at.shape.linear, false, 0};
      for (int half = 0; half < at.scalars(); ++half) {
        llvm::LoadInst* const one = w.CreateAlignedLoad(
            type, pointer(w, address, at.scalar[half], n * size), llvm::Align(size));
        if (strong) one->setAtomic(llvm::AtomicOrdering::Monotonic);
        if (address.space == Space::param)
          one->setMetadata(llvm::LLVMContext::MD_invariant_load,
                           llvm::MDNode::get(w.getContext(), {}));
        value.scalar[half] = one;
      }
      values.push_back(value);
    }
    return values;
  }
  const bool neighbours =
      at.shape.stride == static_cast<int64_t>(size * count) && takes(w, Masked::line, size);
  const auto line = [&] {
    return neighbours ? load_line(w, address, type, count)
                      : load_apart(w, without_step(address), type, count);
  };
  const auto apart = [&] {
    if (!at.shape.is_affine() || address.lane_offsets) return load_apart(w, address, type, count);
    llvm::AllocaInst* const buffer = w.array_of(type, warp_size * count);
    move_line(w, address, size * count, buffer);
    return separate(w, w.CreateLoad(w.vector_type(type, warp_size * count), buffer), count);
  };
  for (V* const vector : line_or_apart(w, address, line, apart)) values.push_back(varying(vector));
  return values;
}

namespace {

std::vector<llvm::Value*> load_line(WarpBuilder& w, const Address& address, llvm::Type* type,
                                    uint32_t count) {
  const Value& at = address.value;
  const uint32_t size = bytes_of(type);
  const unsigned elements = warp_size * count / static_cast<unsigned>(at.scalars());
  llvm::VectorType* const vector = w.vector_type(type, elements);
  V* parts[2];
  for (int half = 0; half < at.scalars(); ++half) {
    V* const place = pointer(w, address, at.scalar[half], 0);
    // Warps of a row go on where this one ends. Intel's processors look ahead by themselves, but
    // not into the next page; AMD's are a tenth slower with the hint.
    static const bool told = __builtin_cpu_is("intel");
    if (told && w.at.straight && !address.base && w.block_class().one_dimensional())
      for (uint64_t line = 0; line < elements * size; line += cache_line)
        w.CreateIntrinsic(llvm::Intrinsic::prefetch, {w.getPtrTy()},
                          {w.CreateConstGEP1_64(w.getInt8Ty(), place, line + page), w.i32(0),
                           w.i32(3), w.i32(1)});
    if (w.all_active())
      parts[half] = w.CreateAlignedLoad(vector, place, llvm::Align(size));
    else
      parts[half] = w.CreateMaskedLoad(vector, place, llvm::Align(size),
                                       spread_mask(w, w.active_mask(), count, half, at.scalars()),
                                       llvm::Constant::getNullValue(vector));
  }
  V* const whole = at.shape.linear ? parts[0] : concatenate(w, parts[0], parts[1]);
  return separate(w, whole, count);
}

}  // namespace

namespace {

void move_line(WarpBuilder& w, const Address& address, uint32_t bytes, llvm::AllocaInst* buffer) {
  const Value& value = address.value;
  for (int half = 0; half < value.scalars(); ++half)
    w.call_helper(offsetof(Helpers, move_line), w.getVoidTy(), value.scalar[half],
                  value.step[half] ? value.step[half] : w.i64(0), line(w, value, half, 0),
                  w.active_bits(), w.i32(bytes), buffer);
}

}  // namespace

std::vector<llvm::Value*> load_apart(WarpBuilder& w, const Address& address, llvm::Type* type,
                                     uint32_t count) {
  const uint32_t size = bytes_of(type);
  llvm::VectorType* const vector = w.vector_type(type);
  std::vector<V*> values;
  if (takes(w, Masked::gather, size)) {
    for (uint32_t n = 0; n < count; ++n)
      values.push_back(w.CreateMaskedGather(vector, pointers(w, address, n * size),
                                            llvm::Align(size), w.active_mask(),
                                            llvm::Constant::getNullValue(vector)));
    return values;
  }
  llvm::AllocaInst* const places = places_of_lanes(w, address);
  std::vector<llvm::AllocaInst*> results;
  for (uint32_t n = 0; n < count; ++n) {
    results.push_back(w.array_of(type));
    w.CreateStore(llvm::Constant::getNullValue(vector), results.back());
  }
  w.for_each_lane([&](V* lane) {
    V* const place = place_of_lane(w, places, lane);
    for (uint32_t n = 0; n < count; ++n)
      w.CreateStore(
          w.CreateAlignedLoad(type, w.CreateConstGEP1_64(type, place, n), llvm::Align(size)),
          w.CreateGEP(type, results[n], lane));
  });
  for (uint32_t n = 0; n < count; ++n) values.push_back(w.CreateLoad(vector, results[n]));
  return values;
}

void store(WarpBuilder& w, const Address& address, const std::vector<Value>& values,
           llvm::Type* type, bool strong) {
  const uint32_t size = bytes_of(type);
  const uint32_t count = static_cast<uint32_t>(values.size());
  const Value& at = address.value;
  if (at.shape.is_uniform() && !address.lane_offsets) {
    // All lanes write to the same place: the last active one wins.
    V* last = nullptr;
    for (uint32_t n = 0; n < count; ++n) {
      V* value;
      if (values[n].shape.is_uniform()) {
        value = values[n].scalar[0];
      } else {
        if (!last) last = last_active(w);
        value = w.CreateExtractElement(w.vector_of(values[n]), last);
      }
      llvm::StoreInst* const one = w.CreateAlignedStore(
          value, pointer(w, address, at.scalar[0], n * size), llvm::Align(size));
      if (strong) one->setAtomic(llvm::AtomicOrdering::Monotonic);
    }
    return;
  }
  std::vector<V*> vectors;
  for (const Value& value : values) vectors.push_back(w.vector_of(value));
  const bool neighbours =
      at.shape.stride == static_cast<int64_t>(size * count) && takes(w, Masked::line, size);
  const auto line = [&] {
    if (neighbours)
      store_line(w, address, vectors, type);
    else
      store_apart(w, without_step(address), vectors, type);
    return std::vector<V*>{};
  };
  const auto apart = [&] {
    if (!at.shape.is_affine() || address.lane_offsets) {
      store_apart(w, address, vectors, type);
      return std::vector<V*>{};
    }
    llvm::AllocaInst* const buffer = w.array_of(type, warp_size * count);
    w.CreateStore(interleave(w, vectors), buffer);
    move_line(w, address, size * count | line_is_stored, buffer);
    return std::vector<V*>{};
  };
  line_or_apart(w, address, line, apart);
}

namespace {

void store_line(WarpBuilder& w, const Address& address, const std::vector<V*>& values,
                llvm::Type* type) {
  const Value& at = address.value;
  const uint32_t size = bytes_of(type), count = static_cast<uint32_t>(values.size());
  V* const whole = interleave(w, values);
  const unsigned elements = warp_size * count / static_cast<unsigned>(at.scalars());
  for (int half = 0; half < at.scalars(); ++half) {
    V* part = whole;
    if (!at.shape.linear) {
      std::vector<int> order;
      for (unsigned n = 0; n < elements; ++n)
        order.push_back(static_cast<int>(n + static_cast<unsigned>(half) * elements));
      part = w.CreateShuffleVector(whole, order);
    }
    V* const place = pointer(w, address, at.scalar[half], 0);
    const auto store_all = [&] { w.CreateAlignedStore(part, place, llvm::Align(size)); };
    const auto store_some = [&] {
      w.CreateMaskedStore(part, place, llvm::Align(size),
                          spread_mask(w, w.active_mask(), count, half, at.scalars()));
    };
    if (w.all_active()) {
      store_all();
      continue;
    }
    // AMD's processors take ten times as long for a masked store.
    V* const all = w.CreateICmpEQ(w.active_bits(), w.i32(UINT32_MAX));
    w.when(all, store_all);
    w.when(w.CreateNot(all), store_some, true);
  }
}

}  // namespace

void store_apart(WarpBuilder& w, const Address& address, const std::vector<V*>& values,
                 llvm::Type* type) {
  const uint32_t size = bytes_of(type), count = static_cast<uint32_t>(values.size());
  const Shape& shape = address.value.shape;
  if (w.all_active() && shape.is_affine() && shape.linear && !address.value.step[0] &&
      !address.lane_offsets && (size < 4 || w.input().request.vectors != Vectors::avx512)) {
    V* const begin = pointer(w, address, address.value.scalar[0], 0);
    for (uint32_t n = 0; n < count; ++n)
      store_each(
          w, values[n],
          [&](uint32_t lane) {
            return w.CreateConstGEP1_64(w.getInt8Ty(), begin,
                                        static_cast<uint64_t>(shape.stride * lane) + n * size);
          },
          llvm::Align(size));
    return;
  }
  if (takes(w, Masked::scatter, size)) {
    for (uint32_t n = 0; n < count; ++n)
      w.CreateMaskedScatter(values[n], pointers(w, address, n * size), llvm::Align(size),
                            w.active_mask());
    return;
  }
  llvm::AllocaInst* const places = places_of_lanes(w, address);
  std::vector<llvm::AllocaInst*> sources;
  for (V* const value : values) {
    sources.push_back(w.array_of(type));
    w.CreateStore(value, sources.back());
  }
  w.for_each_lane([&](V* lane) {
    V* const place = place_of_lane(w, places, lane);
    for (uint32_t n = 0; n < count; ++n)
      w.CreateAlignedStore(w.CreateLoad(type, w.CreateGEP(type, sources[n], lane)),
                           w.CreateConstGEP1_64(type, place, n), llvm::Align(size));
  });
}

// Values that differ are written down: a lane's are then found by its number.
PerLane by_lane(WarpBuilder& w, const Value& value) {
  if (value.shape.is_uniform()) return [value](V*) { return value.scalar[0]; };
  V* const vector = w.vector_of(value);
  llvm::Type* const type = llvm::cast<llvm::VectorType>(vector->getType())->getElementType();
  llvm::AllocaInst* const array = w.array_of(type);
  w.CreateStore(vector, array);
  return [&w, array, type](V* lane) -> V* {
    return w.CreateLoad(type, w.CreateGEP(type, array, lane));
  };
}

PerLane place_by_lane(WarpBuilder& w, const Address& address, uint64_t offset) {
  const bool apart = address.lane_offsets != nullptr;
  const PerLane value = by_lane(
      w, apart ? varying(w.CreatePtrToInt(pointers(w, address, 0), w.vector_type(w.getInt64Ty())))
               : address.value);
  V* const base = apart ? nullptr : address.base;
  return [&w, value, base, offset](V* lane) {
    V* place = value(lane);
    if (base)
      place = w.CreateGEP(w.getInt8Ty(), base, w.CreateZExt(place, w.getInt64Ty()));
    else
      place = w.CreateIntToPtr(place, w.getPtrTy());
    return offset ? w.CreateConstGEP1_64(w.getInt8Ty(), place, offset) : place;
  };
}

// The lanes' addresses as numbers, in an array.
llvm::AllocaInst* places_of_lanes(WarpBuilder& w, const Address& address) {
  llvm::AllocaInst* const places = w.array_of(w.getInt64Ty());
  w.CreateStore(w.CreatePtrToInt(pointers(w, address, 0), w.vector_type(w.getInt64Ty())), places);
  return places;
}

namespace {

llvm::Value* place_of_lane(WarpBuilder& w, llvm::AllocaInst* places, V* lane) {
  V* const place = w.CreateGEP(w.getInt64Ty(), places, lane);
  return w.CreateIntToPtr(w.CreateLoad(w.getInt64Ty(), place), w.getPtrTy());
}

}  // namespace

}  // namespace cuvette::ptx
