// SPDX-License-Identifier: Apache-2.0
// Variables: values that are written in some places of a function and read in others, before all
// its branches are known.
//
// A read after a write in the same LLVM block gets the written value. Any other read gets a
// placeholder for what the variable holds at the block's beginning; finish() replaces it by a value
// or a phi. LLVM would do the same for slots in memory, but looks at all slots in all blocks, which
// is most of the time that a large kernel takes; here a variable costs only the blocks between its
// writes and reads.
//
// Where a variable is no longer needed it is null, so that no useless value is carried along:
// forget() says where.
//
// In kernels that are compiled quickly, variables do lie in memory, in places that are reused, and
// no optimisation turns them into values. No value then crosses blocks, so that compile time is
// proportional to the code.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/ptx/passes/needs.hpp"

namespace cuvette::ptx {

class Variables {
 public:
  using Id = uint32_t;
  static constexpr Id none = UINT32_MAX;
  static constexpr uint32_t no_key = UINT32_MAX;

  Variables() = default;
  ~Variables() { remove_placeholders(); }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  // Makes a variable that forget() knows by `key`; without one it is never forgotten.
  Id make(llvm::Type* type, uint32_t key = no_key);
  llvm::Type* type_of(Id id) const { return variables_[id].type; }

  // Read and write at the end of what has been emitted of `block`.
  llvm::Value* read(Id id, llvm::BasicBlock* block);
  void write(Id id, llvm::Value* value, llvm::BasicBlock* block);

  // Makes all variables null at the beginning of `block`, unless their keys are needed at `place`.
  void forget(llvm::BasicBlock* block, BlockId place) { places_[block] = place; }

  // Replaces all placeholders. Every variable is null at the beginning of `origin`.
  void finish(llvm::Function& function, llvm::BasicBlock* origin, const Needs& needs);

  // Puts all variables into memory. Call it before the first one is made.
  void use_memory() { in_memory_ = true; }
  // The part of the walk through the kernel in which a variable with a key is in use.
  struct Span {
    uint32_t first = UINT32_MAX, last = 0;
    void add(uint32_t from, uint32_t to) {
      first = std::min(first, from);
      last = std::max(last, to);
    }
  };
  // Instead of finish(): gives each variable a place from the address `memory` on, a multiple of
  // 64, and returns how many bytes they take together. `spans` is indexed by key. Variables of
  // `read_first`, and those without a key, are null at the beginning of `origin`.
  uint64_t place_in_memory(llvm::Instruction* memory, llvm::BasicBlock* origin,
                           const std::vector<Span>& spans, const BitSet& read_first);

 private:
  struct Variable {
    llvm::Type* type;
    uint32_t key;
    std::vector<llvm::BasicBlock*> reads;  // blocks that read what it holds at their beginning
    // In memory: a placeholder for its address, and its stores.
    llvm::AllocaInst* place = nullptr;
    std::vector<llvm::Instruction*> stores;
  };
  // A block in finish().
  struct Node {
    llvm::BasicBlock* block = nullptr;
    BlockId place = exit_block;          // from forget(); exit_block: none
    std::vector<uint32_t> predecessors;  // one for each edge
    // For the variable that finish() works on.
    uint32_t variable = none;
    llvm::Value* value = nullptr;  // at the beginning; null: not known yet
  };
  using Place = std::pair<llvm::BasicBlock*, Id>;

  void number_blocks(llvm::Function& function);
  void finish(Id id);
  llvm::Value* at_end(const Node& node, Id id) const;
  llvm::Value* resolved(llvm::Value* value) const;
  void replace(llvm::PHINode* phi, llvm::Value* value);
  void remove_trivial(std::vector<llvm::PHINode*>& phis);
  void remove_placeholders();
  llvm::Value* load(Id id, llvm::BasicBlock* block);
  void store(Id id, llvm::Value* value, llvm::BasicBlock* block);
  std::vector<uint64_t> give_places(const std::vector<Span>& spans, uint64_t& bytes) const;

  bool in_memory_ = false;
  std::vector<Variable> variables_;
  llvm::DenseMap<Place, llvm::Value*> written_;
  llvm::DenseMap<Place, llvm::PHINode*> asked_;  // placeholders at blocks' beginnings
  llvm::DenseMap<Place, llvm::Value*> loaded_;   // in memory: the loads there
  llvm::DenseMap<const llvm::BasicBlock*, BlockId> places_;
  // In finish().
  llvm::BasicBlock* origin_ = nullptr;
  const Needs* needs_ = nullptr;
  std::vector<Node> nodes_;  // in reverse post-order
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> numbers_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> replaced_;
  std::vector<llvm::PHINode*> in_order_;  // the phis in `replaced_`
};

}  // namespace cuvette::ptx
