// SPDX-License-Identifier: Apache-2.0
// RegionWalker: takes a warp through the blocks of a kernel, or of a function that it calls.
//
// Lanes that go different ways are masks: blocks are emitted in order, each with the lanes that
// have come to it. Where a branch separates lanes a region begins; it ends where all of them meet.
// Inside, lanes wait at a block for their turn, and loops are gone round until no lane is left.
#pragma once

#include <map>
#include <vector>

#include "sim/ptx/emit/memory_accesses.hpp"
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

class RegionWalker {
 public:
  RegionWalker(const EmitInput& input, llvm::Module& target, CompiledKernel& result);

  // Emits the function. Returns false if it holds something that cannot be compiled, as the
  // result's error says.
  bool run();

 private:
  // --- Beginning and end (entry.cpp) ---
  // The loops over the warps of blocks and the blocks of a row.
  struct RowLoop {
    llvm::BasicBlock* block;
    llvm::PHINode *warp, *column, *blocks;
  };
  RowLoop open_row(llvm::BasicBlock* first_instruction);
  void close_row(const RowLoop& row, llvm::BasicBlock* first_instruction);
  V* emit_step_to_next_block(V* column);
  // Emits the entry of each of the kernels that are compiled together.
  void emit_entries();

  // --- Blocks ---
  void emit_block(BlockId block);
  void emit_and_tidy();  // the current instruction; the arrays that it needed are free after it
  void emit_terminator(BlockId block);
  void count_end(const Instruction& last);
  void go(BlockId from, BlockId to);  // all lanes that run `from` go there
  void push(BlockId to, V* lanes);    // these wait for their turn there
  void finish_warp();

  // --- Where lanes wait for each other (gathering.cpp) ---
  void wait_for_members(BlockId block);
  void hold_back(BlockId block, V* late);
  bool gathers(BlockId block) const;
  std::vector<BlockId> barriers_of(int32_t region) const;
  std::vector<BlockId> barriers_like(BlockId block) const;
  void arrive_for_all(BlockId block, const std::vector<BlockId>& others);
  void wait_for_late(BlockId block);
  uint32_t gather(BlockId block);

  // --- Two ways through a block (both_ways.cpp) ---
  bool goes_straight(BlockId block);
  void emit_both_ways(uint32_t first, uint32_t end);  // these instructions

  // --- Regions ---
  void enter_region(int32_t region);
  V* turns_are_over();
  void advance(BlockId from, int32_t region);  // on to the next block of the region that has lanes
  void turn_back(BlockId from, int32_t region, BlockId next);
  void leave_region(BlockId from, int32_t region);
  void add_lanes(V*& lanes, BlockId place);
  void resume_somewhere(int32_t region);

  WarpBuilder w_;
  MemoryAccesses memory_;
  std::vector<llvm::BasicBlock*> entries_;      // of blocks
  std::map<BlockId, llvm::BasicBlock*> tests_;  // whether a block has lanes
  llvm::BasicBlock* finish_ = nullptr;          // the warp is done
  uint32_t block_counter_ = 0;                  // of the current block, if the kernel is counted
  int32_t walked_ = -1;                         // the region of the code that is being emitted
};

}  // namespace cuvette::ptx
