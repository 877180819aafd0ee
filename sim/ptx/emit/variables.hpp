// SPDX-License-Identifier: Apache-2.0
// Variables: what is written in some places of a function and read in others, while its branches
// are not all known.
//
// A read behind a write in the same LLVM block is what was written. Any other stands for what the
// variable holds at the block's beginning: finish() finds out what that is, one value or a phi.
// LLVM would make the same of slots in memory, but looks at all slots in all blocks, which is most
// of the time that a large kernel takes; here a variable costs what lies between its writes and
// reads.
//
// Where nobody needs a variable any more it is null, so that no value is carried along for nothing:
// forget() says where that is.
//
// In kernels that are compiled quickly variables lie in memory nevertheless, in places that are
// given out again, and no optimisation makes values of those: no block then has to do with another,
// so that the compiler takes time in proportion to the code.
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

  // A variable that forget() knows by `key`; without one it is never forgotten.
  Id make(llvm::Type* type, uint32_t key = no_key);
  llvm::Type* type_of(Id id) const { return variables_[id].type; }

  // At the end of `block`, as far as that has been emitted.
  llvm::Value* read(Id id, llvm::BasicBlock* block);
  void write(Id id, llvm::Value* value, llvm::BasicBlock* block);

  // Whoever comes to `block` finds null in all variables but those whose keys are needed at
  // `place`.
  void forget(llvm::BasicBlock* block, BlockId place) { places_[block] = place; }

  // Everything is null at the beginning of `origin`.
  void finish(llvm::Function& function, llvm::BasicBlock* origin, const Needs& needs);

  // Before the first variable is made: they lie in memory.
  void use_memory() { in_memory_ = true; }
  // When a variable with a key is in use: from one place of the walk through the kernel to another.
  struct Span {
    uint32_t first = UINT32_MAX, last = 0;
    void add(uint32_t from, uint32_t to) {
      first = std::min(first, from);
      last = std::max(last, to);
    }
  };
  // Instead of finish(): gives each variable a place behind the address `memory`, a multiple of 64,
  // and returns how many bytes they take together. `spans` are by key. Variables of `read_first`,
  // and those without a key, are null at the beginning of `origin`.
  uint64_t place_in_memory(llvm::Instruction* memory, llvm::BasicBlock* origin,
                           const std::vector<Span>& spans, const BitSet& read_first);

 private:
  struct Variable {
    llvm::Type* type;
    uint32_t key;
    std::vector<llvm::BasicBlock*> reads;  // blocks whose beginning is asked about
    // In memory: what stands for its place, and what writes it.
    llvm::AllocaInst* place = nullptr;
    std::vector<llvm::Instruction*> stores;
  };
  // A block in finish().
  struct Node {
    llvm::BasicBlock* block = nullptr;
    BlockId place = exit_block;          // where not all variables are needed
    std::vector<uint32_t> predecessors;  // one for each edge
    // Of the variable that is looked at.
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
  llvm::Value* load(Id id, llvm::BasicBlock* block);
  void store(Id id, llvm::Value* value, llvm::BasicBlock* block);
  std::vector<uint64_t> give_places(const std::vector<Span>& spans, uint64_t& bytes) const;

  bool in_memory_ = false;
  std::vector<Variable> variables_;
  llvm::DenseMap<Place, llvm::Value*> written_;
  llvm::DenseMap<Place, llvm::PHINode*> asked_;  // what stands for a block's beginning
  llvm::DenseMap<Place, llvm::Value*> loaded_;   // in memory: what it holds there
  llvm::DenseMap<const llvm::BasicBlock*, BlockId> places_;
  // In finish().
  llvm::BasicBlock* origin_ = nullptr;
  const Needs* needs_ = nullptr;
  std::vector<Node> nodes_;  // in reverse post-order
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> numbers_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> replaced_;
  std::vector<llvm::PHINode*> in_order_;  // what has been replaced
};

}  // namespace cuvette::ptx
