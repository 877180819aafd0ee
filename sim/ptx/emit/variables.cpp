// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/emit/variables.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

#include <algorithm>

namespace cuvette::ptx {

Variables::Id Variables::make(llvm::Type* type, uint32_t key) {
  variables_.push_back({type, key, {}, nullptr, {}});
  return static_cast<Id>(variables_.size() - 1);
}

llvm::Value* Variables::read(Id id, llvm::BasicBlock* block) {
  const auto here = written_.find({block, id});
  if (here != written_.end()) return here->second;
  if (in_memory_) return load(id, block);
  llvm::PHINode*& phi = asked_[{block, id}];
  if (!phi) {
    phi = llvm::PHINode::Create(variables_[id].type, 2);
    phi->insertInto(block, block->begin());
    variables_[id].reads.push_back(block);
  }
  return phi;
}

void Variables::write(Id id, llvm::Value* value, llvm::BasicBlock* block) {
  written_[{block, id}] = value;
  if (in_memory_) store(id, value, block);
}

void Variables::finish(llvm::Function& function, llvm::BasicBlock* origin, const Needs& needs) {
  origin_ = origin;
  needs_ = &needs;
  number_blocks(function);
  for (Id id = 0; id < variables_.size(); ++id)
    if (!variables_[id].reads.empty()) finish(id);
  for (llvm::PHINode* const phi : in_order_) phi->replaceAllUsesWith(resolved(phi));
  for (llvm::PHINode* const phi : in_order_) phi->eraseFromParent();
}

// Numbers the reachable blocks in reverse post-order.
void Variables::number_blocks(llvm::Function& function) {
  llvm::BasicBlock* const entry = &function.getEntryBlock();
  std::vector<std::pair<llvm::BasicBlock*, llvm::succ_iterator>> path{
      {entry, llvm::succ_begin(entry)}};
  std::vector<llvm::BasicBlock*> order;
  numbers_[entry] = 0;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == llvm::succ_end(block)) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    llvm::BasicBlock* const to = *next++;
    if (numbers_.try_emplace(to, 0).second) path.emplace_back(to, llvm::succ_begin(to));
  }
  std::reverse(order.begin(), order.end());
  for (uint32_t n = 0; n < order.size(); ++n) {
    numbers_[order[n]] = n;
    nodes_.emplace_back().block = order[n];
    const auto place = places_.find(order[n]);
    if (place != places_.end()) nodes_.back().place = place->second;
  }
  for (Node& node : nodes_)
    for (llvm::BasicBlock* const from : llvm::predecessors(node.block)) {
      const auto number = numbers_.find(from);
      node.predecessors.push_back(number == numbers_.end() ? none : number->second);
    }
}

llvm::Value* Variables::resolved(llvm::Value* value) const {
  for (;;) {
    const auto found = replaced_.find(value);
    if (found == replaced_.end()) return value;
    value = found->second;
  }
}

void Variables::replace(llvm::PHINode* phi, llvm::Value* value) {
  replaced_[phi] = value;
  in_order_.push_back(phi);
}

// Returns null if the value is not known yet.
llvm::Value* Variables::at_end(const Node& node, Id id) const {
  const auto written = written_.find({node.block, id});
  return written != written_.end() ? resolved(written->second) : node.value;
}

void Variables::finish(Id id) {
  const Variable& variable = variables_[id];
  llvm::Value* const null = llvm::Constant::getNullValue(variable.type);
  // Finds where the variable is live: backwards from the reads to the writes.
  std::vector<uint32_t> live, work;
  const auto enter = [&](uint32_t number) {
    if (number == none || nodes_[number].variable == id) return;
    nodes_[number].variable = id;
    nodes_[number].value = nullptr;
    live.push_back(number);
    work.push_back(number);
  };
  for (llvm::BasicBlock* const block : variable.reads) {
    const auto number = numbers_.find(block);
    if (number != numbers_.end())
      enter(number->second);
    else
      replace(asked_.lookup({block, id}), null);  // the block is unreachable
  }
  while (!work.empty()) {
    Node& node = nodes_[work.back()];
    work.pop_back();
    if (node.block == origin_ || (node.place != exit_block && variable.key != no_key &&
                                  !needs_->needed(node.place, variable.key))) {
      node.value = null;
      continue;
    }
    for (const uint32_t from : node.predecessors)
      if (from != none && !written_.contains({nodes_[from].block, id})) enter(from);
  }
  // Finds its values: predecessors first, except around loops.
  std::sort(live.begin(), live.end());
  std::vector<llvm::PHINode*> phis;
  for (const uint32_t number : live) {
    Node& node = nodes_[number];
    llvm::PHINode* const asked = asked_.lookup({node.block, id});
    if (!node.value) {
      llvm::Value* only = node.predecessors.empty() ? null : nullptr;
      bool one = true;
      for (const uint32_t from : node.predecessors) {
        if (from == none) continue;
        llvm::Value* const value = at_end(nodes_[from], id);
        one &= value && (!only || only == value);
        only = value;
      }
      if (one) {
        node.value = only;
      } else {
        llvm::PHINode* phi = asked;
        if (!phi) {
          phi =
              llvm::PHINode::Create(variable.type, static_cast<unsigned>(node.predecessors.size()));
          phi->insertInto(node.block, node.block->begin());
        }
        node.value = phi;
        phis.push_back(phi);
        continue;
      }
    }
    if (asked) replace(asked, node.value);
  }
  for (llvm::PHINode* const phi : phis)
    for (llvm::BasicBlock* const from : llvm::predecessors(phi->getParent())) {
      const auto number = numbers_.find(from);
      phi->addIncoming(number == numbers_.end() ? null : at_end(nodes_[number->second], id), from);
    }
  remove_trivial(phis);
}

// Removes phis of one value and themselves: loops that do not change the variable.
void Variables::remove_trivial(std::vector<llvm::PHINode*>& phis) {
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(phis, [&](llvm::PHINode* phi) {
      llvm::Value* only = nullptr;
      for (llvm::Value* const incoming : phi->incoming_values()) {
        llvm::Value* const value = resolved(incoming);
        if (value == phi) continue;
        if (only && only != value) return false;
        only = value;
      }
      replace(phi, only ? only : llvm::Constant::getNullValue(phi->getType()));
      changed = true;
      return true;
    });
  }
}

}  // namespace cuvette::ptx
