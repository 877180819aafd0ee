// SPDX-License-Identifier: Apache-2.0
// Vectors that another thread may write while they are read: a lane's vector is one access of the
// processor. PTX guarantees that only for each element, but a GPU does it for 8 and 16 bytes, and
// programs rely on it: CUB's scans write a flag and a value with st.relaxed.gpu.v2.u64.
#include "sim/ptx/emit/memory.hpp"

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

bool is_one_access(const Instruction& i, Space space) {
  return vector_length(i) > 1 && bytes_accessed(i) <= most_bytes &&
         (space == Space::global || space == Space::generic) &&
         (is_strong(i) || i.has(dot::cg) || i.has(dot::cv) || i.has(dot::wt));
}

std::vector<Value> load_whole(WarpBuilder& w, const Address& address, llvm::Type* type,
                              uint32_t count) {
  llvm::Type* const word = access_type(type, count);
  const llvm::Align align = natural_alignment(word);
  llvm::AllocaInst* const words = w.array_of(type, warp_size * count);
  llvm::VectorType* const all = w.vector_type(type, warp_size * count);
  const auto move = [&](V* place, V* lane) {
    llvm::LoadInst* const one = w.CreateAlignedLoad(word, place, align);
    make_whole(one);
    w.CreateAlignedStore(one, w.CreateGEP(word, words, lane), align);
  };
  const Value& at = address.value;
  if (at.shape.has_no_stride() && !address.lane_offsets) {
    std::vector<Value> values(count);
    for (int half = 0; half < at.scalars(); ++half) {
      move(pointer(w, address, at.scalar[half], 0), w.i32(0));
      for (uint32_t n = 0; n < count; ++n) {
        values[n].shape = {Shape::Kind::affine, at.shape.linear, false, 0};
        values[n].scalar[half] = w.CreateLoad(type, w.CreateConstGEP1_64(type, words, n));
      }
    }
    return values;
  }
  w.CreateStore(llvm::Constant::getNullValue(all), words);
  const PerLane place_of = place_by_lane(w, address, 0);
  w.for_each_lane([&](V* lane) { move(place_of(lane), lane); });
  std::vector<Value> values;
  for (V* const vector : separate(w, w.CreateLoad(all, words), count))
    values.push_back(varying(vector));
  return values;
}

void store_whole(WarpBuilder& w, const Address& address, const std::vector<Value>& values,
                 llvm::Type* type) {
  const auto count = static_cast<uint32_t>(values.size());
  llvm::Type* const word = access_type(type, count);
  const llvm::Align align = natural_alignment(word);
  llvm::AllocaInst* const words = w.array_of(type, warp_size * count);
  std::vector<V*> vectors;
  for (const Value& value : values) vectors.push_back(w.vector_of(value));
  w.CreateStore(interleave(w, vectors), words);
  const PerLane place_of = place_by_lane(w, address, 0);
  const auto move = [&](V* lane) {
    V* const one = w.CreateAlignedLoad(word, w.CreateGEP(word, words, lane), align);
    make_whole(w.CreateAlignedStore(one, place_of(lane), align));
  };
  // All lanes write to the same place: the last active one wins.
  if (address.value.shape.is_uniform() && !address.lane_offsets)
    move(last_active(w));
  else
    w.for_each_lane(move);
}

}  // namespace cuvette::ptx
