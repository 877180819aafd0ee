// SPDX-License-Identifier: Apache-2.0
// Variables in memory: a load where a block first reads one, a store at each write.
#include <llvm/IR/IRBuilder.h>

#include <bit>
#include <map>

#include "sim/base/rounding.hpp"
#include "sim/ptx/emit/variables.hpp"

namespace cuvette::ptx {
namespace {

// In memory a mask has a bit for each lane.
llvm::Type* type_in_memory(llvm::Type* type) {
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector || !vector->getElementType()->isIntegerTy(1)) return type;
  return llvm::IntegerType::get(type->getContext(), vector->getNumElements());
}

uint64_t bytes_in_memory(llvm::Type* type) {
  return std::bit_ceil((type_in_memory(type)->getPrimitiveSizeInBits().getFixedValue() + 7) / 8);
}

llvm::Align align_of(llvm::Type* type) {
  return llvm::Align(std::min<uint64_t>(64, bytes_in_memory(type)));
}

}  // namespace

// Loads at the block's beginning, before anything that the block stores.
llvm::Value* Variables::load(Id id, llvm::BasicBlock* block) {
  llvm::Value*& known = loaded_[{block, id}];
  if (known) return known;
  Variable& variable = variables_[id];
  if (!variable.place)
    variable.place = new llvm::AllocaInst(variable.type, 0, nullptr, align_of(variable.type));
  llvm::IRBuilder<> builder(block, block->getFirstInsertionPt());
  known = builder.CreateAlignedLoad(type_in_memory(variable.type), variable.place,
                                    align_of(variable.type));
  known = builder.CreateBitCast(known, variable.type);
  variable.reads.push_back(block);
  return known;
}

void Variables::store(Id id, llvm::Value* value, llvm::BasicBlock* block) {
  Variable& variable = variables_[id];
  if (!variable.place)
    variable.place = new llvm::AllocaInst(variable.type, 0, nullptr, align_of(variable.type));
  llvm::IRBuilder<> builder(block);
  llvm::Value* const bits = builder.CreateBitCast(value, type_in_memory(variable.type));
  if (auto* const cast = llvm::dyn_cast<llvm::Instruction>(bits); cast && bits != value)
    variable.stores.push_back(cast);
  variable.stores.push_back(
      builder.CreateAlignedStore(bits, variable.place, align_of(variable.type)));
}

// Of a kernel that was refused half-way, which was given no places.
void Variables::remove_placeholders() {
  for (Variable& variable : variables_) {
    if (!variable.place) continue;
    variable.place->replaceAllUsesWith(llvm::PoisonValue::get(variable.place->getType()));
    variable.place->deleteValue();
  }
}

// Gives each variable a place. When its span is over, another variable of its size may get the
// place.
std::vector<uint64_t> Variables::give_places(const std::vector<Span>& spans,
                                             uint64_t& bytes) const {
  std::vector<uint64_t> places(variables_.size());
  std::vector<Id> in_turn;
  const auto first_of = [&](Id id) { return spans[variables_[id].key].first; };
  const auto last_of = [&](Id id) { return spans[variables_[id].key].last; };
  std::map<uint64_t, std::vector<uint64_t>> idle;  // by size
  const auto give = [&](Id id) {
    const uint64_t size = bytes_in_memory(variables_[id].type);
    std::vector<uint64_t>& same = idle[size];
    if (!same.empty()) {
      places[id] = same.back();
      same.pop_back();
      return;
    }
    bytes = round_up(bytes, size);
    places[id] = bytes;
    bytes += size;
  };
  for (Id id = 0; id < variables_.size(); ++id) {
    if (variables_[id].reads.empty()) continue;
    const uint32_t key = variables_[id].key;
    if (key == no_key || key >= spans.size())
      give(id);
    else
      in_turn.push_back(id);
  }
  std::ranges::sort(in_turn, {}, first_of);
  std::multimap<uint32_t, Id> in_use;  // by the end of their spans
  for (const Id id : in_turn) {
    while (!in_use.empty() && in_use.begin()->first < first_of(id)) {
      const Id gone = in_use.begin()->second;
      idle[bytes_in_memory(variables_[gone].type)].push_back(places[gone]);
      in_use.erase(in_use.begin());
    }
    give(id);
    in_use.emplace(last_of(id), id);
  }
  return places;
}

uint64_t Variables::place_in_memory(llvm::Instruction* memory, llvm::BasicBlock* origin,
                                    const std::vector<Span>& spans, const BitSet& read_first) {
  // Variables with places that are never reused come first: they are null at the beginning.
  uint64_t bytes = 0;
  const std::vector<uint64_t> places = give_places(spans, bytes);
  llvm::IRBuilder<> builder(memory->getNextNode());
  llvm::IRBuilder<> at_origin(origin, origin->getFirstInsertionPt());
  uint64_t nulls = 0;  // bytes, from the beginning
  for (Id id = 0; id < variables_.size(); ++id) {
    Variable& variable = variables_[id];
    if (!variable.place) continue;
    if (variable.reads.empty()) {
      for (size_t n = variable.stores.size(); n-- > 0;) variable.stores[n]->eraseFromParent();
    } else {
      llvm::Value* const place =
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, places[id]);
      variable.place->replaceAllUsesWith(place);
      if (variable.key == no_key || variable.key >= spans.size())
        nulls = std::max(nulls, places[id] + bytes_in_memory(variable.type));
      else if (read_first.contains(variable.key))
        at_origin.CreateAlignedStore(llvm::Constant::getNullValue(type_in_memory(variable.type)),
                                     place, align_of(variable.type));
    }
    variable.place->deleteValue();
    variable.place = nullptr;
  }
  if (nulls > 0)
    at_origin.CreateMemSetInline(memory, llvm::MaybeAlign(64), at_origin.getInt8(0),
                                 at_origin.getInt64(nulls));
  return (bytes + 63) / 64 * 64;
}

}  // namespace cuvette::ptx
