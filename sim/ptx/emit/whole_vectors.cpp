// SPDX-License-Identifier: Apache-2.0
// Vectors that another thread may write while they are read: a lane's vector is one access of the
// processor. PTX promises that of each element alone, but a GPU does it of 8 and of 16 bytes, and
// programs rely on it: CUB's scans write a flag and a value with st.relaxed.gpu.v2.u64.
#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t most_bytes = 16;

// An integer, or for 16 bytes a vector that fills a register: processors with AVX move an aligned
// one at once, and those without are not known to do otherwise within a cache line.
llvm::Type* access_type(llvm::Type* element, uint32_t count) {
  const uint64_t bits = element->getPrimitiveSizeInBits().getFixedValue() * count;
  llvm::LLVMContext& llvm = element->getContext();
  if (bits <= 64) return llvm::Type::getIntNTy(llvm, static_cast<unsigned>(bits));
  return llvm::FixedVectorType::get(llvm::Type::getInt64Ty(llvm), 2);
}

llvm::Align natural_alignment(llvm::Type* word) {
  return llvm::Align(word->getPrimitiveSizeInBits().getFixedValue() / 8);
}

// Neither of the two is taken apart by LLVM.
template <typename Access>
void make_whole(Access* access) {
  if (access->getAlign().value() <= 8)
    access->setAtomic(llvm::AtomicOrdering::Monotonic);
  else
    access->setVolatile(true);
}

}  // namespace

bool Emitter::is_one_access(const Instruction& i, Space space) {
  return vector_length(i) > 1 && bytes_accessed(i) <= most_bytes &&
         (space == Space::global || space == Space::generic) &&
         (is_strong(i) || i.has(dot::cg) || i.has(dot::cv) || i.has(dot::wt));
}

std::vector<Value> Emitter::load_whole(const Address& address, llvm::Type* type, uint32_t count) {
  llvm::Type* const word = access_type(type, count);
  const llvm::Align align = natural_alignment(word);
  llvm::AllocaInst* const words = array_of(type, warp_size * count);
  llvm::VectorType* const all = vector_type(type, warp_size * count);
  const auto move = [&](V* place, V* lane) {
    llvm::LoadInst* const one = builder_.CreateAlignedLoad(word, place, align);
    make_whole(one);
    builder_.CreateAlignedStore(one, builder_.CreateGEP(word, words, lane), align);
  };
  const Value& at = address.value;
  if (at.shape.has_no_stride() && !address.lane_offsets) {
    std::vector<Value> values(count);
    for (int half = 0; half < at.scalars(); ++half) {
      move(pointer(address, at.scalar[half], 0), i32(0));
      for (uint32_t n = 0; n < count; ++n) {
        values[n].shape = {Shape::Kind::affine, at.shape.linear, false, 0};
        values[n].scalar[half] =
            builder_.CreateLoad(type, builder_.CreateConstGEP1_64(type, words, n));
      }
    }
    return values;
  }
  builder_.CreateStore(llvm::Constant::getNullValue(all), words);
  const PerLane place_of = place_by_lane(address, 0);
  for_each_lane([&](V* lane) { move(place_of(lane), lane); });
  std::vector<Value> values;
  for (V* const vector : separate(builder_.CreateLoad(all, words), count))
    values.push_back(varying(vector));
  return values;
}

void Emitter::store_whole(const Address& address, const std::vector<Value>& values,
                          llvm::Type* type) {
  const auto count = static_cast<uint32_t>(values.size());
  llvm::Type* const word = access_type(type, count);
  const llvm::Align align = natural_alignment(word);
  llvm::AllocaInst* const words = array_of(type, warp_size * count);
  std::vector<V*> vectors;
  for (const Value& value : values) vectors.push_back(vector_of(value));
  builder_.CreateStore(interleave(vectors), words);
  const PerLane place_of = place_by_lane(address, 0);
  const auto move = [&](V* lane) {
    V* const one = builder_.CreateAlignedLoad(word, builder_.CreateGEP(word, words, lane), align);
    make_whole(builder_.CreateAlignedStore(one, place_of(lane), align));
  };
  // All lanes write to the same place: one of them is the last.
  if (address.value.shape.is_uniform() && !address.lane_offsets)
    move(last_active());
  else
    for_each_lane(move);
}

}  // namespace cuvette::ptx
