// SPDX-License-Identifier: Apache-2.0
// WarpBuilder: writes LLVM code for a warp: its 32 lanes take part or do not.
//
// A varying register is one vector of 32 elements; a uniform or affine one is a scalar, or two
// where the halves of the warp differ. Registers are Variables, which become values at the end.
// Lanes that do not take part are masked out. A warp that stops, at a barrier or because it waits
// for others, keeps its live registers in its frame and returns; it is entered again where it left
// off.
//
// RegionWalker says in which order blocks are emitted and which lanes are there; the groups of
// instructions are functions that take a WarpBuilder (instructions.hpp).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/emit/emit_input.hpp"
#include "sim/ptx/emit/value.hpp"
#include "sim/ptx/emit/variables.hpp"
#include "sim/ptx/passes/needs.hpp"
#include "sim/ptx/syntax/opcodes.hpp"

namespace cuvette::ptx {

// The place that code is emitted for. RegionWalker moves it.
struct Position {
  BlockId block = 0;
  uint32_t instruction = 0;
  V* mask = nullptr;        // lanes of the block that the predicate lets in; null: all 32
  bool predicated = false;  // the mask is narrower than the block's
  bool straight = false;    // on the straight way, where all lanes are (straight.cpp)
};

class WarpBuilder : public llvm::IRBuilder<> {
 public:
  // Makes the warp's function in `target`, with its first block, which holds nothing but arrays.
  WarpBuilder(const EmitInput& input, llvm::Module& target, CompiledKernel& result);

  const EmitInput& input() const { return input_; }
  const Body& body() const { return input_.body; }
  const Flow& flow() const { return input_.flow; }
  const Shapes& shapes() const { return input_.shapes; }
  BlockClass block_class() const { return class_; }
  llvm::Module& module() const { return module_; }
  llvm::Function* function() const { return function_; }
  llvm::BasicBlock* arrays_block() const { return allocas_; }
  V* context() const { return function_->getArg(0); }  // the block's: a BlockContext
  V* warp() const { return warp_; }                    // the number of the warp in its block
  CompiledKernel& result() const { return result_; }

  // Says that the kernel cannot be compiled because of this instruction, and why.
  void unsupported(const Instruction& instruction, const std::string& why = {});
  bool failed() const { return failed_; }

  Position at;
  const Instruction& instruction() const { return body().instructions[at.instruction]; }
  V* location();  // of the current instruction in the text, as errors give it

  // --- Types and constants (values.cpp) ---
  llvm::Type* element(Type type);
  llvm::Type* element_of_register(uint32_t reg);
  llvm::VectorType* vector_type(llvm::Type* element, unsigned lanes = warp_size);
  llvm::Constant* lanes(int64_t stride, llvm::Type* element);       // <0, stride, 2*stride, ...>
  llvm::Constant* half_lanes(int64_t stride, llvm::Type* element);  // counted in each half
  V* i32(uint32_t value) { return getInt32(value); }
  V* i64(uint64_t value) { return getInt64(value); }
  V* splat(V* scalar, unsigned lanes = warp_size);
  V* intrinsic(llvm::Intrinsic::ID id, std::initializer_list<V*> arguments);
  V* intrinsic3(llvm::Intrinsic::ID id, V* a, V* b, V* c);
  // To another width, or the same bits of another type.
  V* resize(V* value, Type from, llvm::Type* to);
  V* bits_as(V* value, llvm::Type* element);  // the same bits, element by element
  // Returns the same number, hidden from LLVM: what is computed from it in a cold place stays
  // there.
  V* opaque(V* number);

  // --- Registers and operands (values.cpp) ---
  // An operand's value as `type`.
  Value read(const Operand& operand, Type type);
  Value read_special(Special special);  // special_registers.cpp
  Value read_register(uint32_t reg, Type type);
  Value read_symbol(const Operand& operand, Type type);
  // The same with one element per lane.
  V* vector_of(const Value& value);
  V* read_vector(const Operand& operand, Type type) { return vector_of(read(operand, type)); }
  // A uniform operand's scalar; of others the scalar of the first active lane.
  V* read_scalar(const Operand& operand, Type type);
  V* first_active(const Value& value);
  // The same value in the more general shape `shape`.
  Value conform(const Value& value, const Shape& shape);
  void write(const Operand& operand, const Value& value, Type type);
  void write_register(uint32_t reg, const Value& value, Type type);
  // Computes an instruction's first operand from the others, once or lane by lane, whichever its
  // shape asks for.
  template <typename F>
  void elementwise(const Instruction& instruction, std::initializer_list<Type> from, Type to,
                   const F& compute);
  Shape shape_of_result(const Instruction& instruction) const;
  bool decides(uint32_t reg);  // whether branches depend on a predicate

  // --- Variables (registers.cpp) ---
  V* get(Variables::Id variable) { return variables_.read(variable, GetInsertBlock()); }
  void set(Variables::Id variable, V* value) {
    variables_.write(variable, value, GetInsertBlock());
  }
  Variables::Id carry() const { return carry_; }  // of add.cc, <32 x i1>
  Variables::Id turns() const { return turns_; }  // of loops that wait for others
  // Lanes that wait for their turn at a block of a region, and lanes that run the current block of
  // one: 32 bits each.
  Variables::Id waiting_lanes(BlockId block) const { return masks_[block]; }
  Variables::Id block_lanes() const { return block_mask_; }
  // Where blocks gather: lanes that have left the region, and those for which the warp has arrived
  // at the barrier where they wait.
  Variables::Id away() const { return away_; }
  Variables::Id passed() const { return passed_; }
  // And the result of the reduction at which those arrived, for them.
  Variables::Id reduced() const { return reduced_; }
  // Lanes that wait at other barriers and arrive with those of the next instruction, and for which
  // of them the predicate of a reduction holds: 32 bits each, or null.
  struct Joining {
    V *lanes = nullptr, *holds = nullptr;
  } joining;
  Variables& variables() { return variables_; }
  // Called once the emitted code is complete. Returns false if there are too many variables, as
  // result() says.
  bool finish_variables(llvm::BasicBlock* begin);

  // --- Masks (masks.cpp) ---
  V* any(V* mask);      // i1
  V* bits_of(V* mask);  // i32
  V* mask_of(V* bits);  // <32 x i1>
  // Masks go from block to block as 32 bits: a vector of bits would become one of bytes there.
  V* kept_mask(Variables::Id id) { return mask_of(get(id)); }
  void keep_mask(Variables::Id id, V* mask) { set(id, bits_of(mask)); }
  V* base_mask();  // of the lanes that exist; null: all
  V* base_bits() { return base_bits_ ? base_bits_ : i32(UINT32_MAX); }
  V* active_mask();  // of the current instruction, never null
  V* active_bits() { return bits_of(active_mask()); }
  bool all_active() const { return at.mask == nullptr; }
  void reload_mask();  // of the current block, where what was computed before is out of reach

  // --- Blocks of LLVM's ---
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  // if (condition) body();
  template <typename F>
  void when(V* condition, const F& body, bool rarely = false);
  void unlikely(llvm::BranchInst* branch);  // its first target is
  // Runs `body` for each active lane with its number.
  template <typename F>
  void for_each_lane(const F& body);
  // The same, eight at a time where all lanes are there.
  template <typename F>
  void for_each_lane_quickly(const F& body);

  // --- The machine (machine.cpp) ---
  V* context_field(size_t offset, llvm::Type* type, bool constant = true);
  template <typename... Arguments>
  V* call_helper(size_t offset, llvm::Type* result, Arguments... arguments);
  // The same for a path that is rarely taken: registers keep their values. The first
  // argument is the block's context; a vector is passed as an array.
  V* call_aside(size_t offset, llvm::Type* result, const std::vector<V*>& arguments);
  V* symbol_address(std::string_view name);
  // Memory of the warp for the current instruction, 64-byte aligned.
  llvm::AllocaInst* array_of(llvm::Type* element, unsigned count = warp_size);
  llvm::AllocaInst* array_with(V* vector);  // holds a number for each lane
  void free_arrays();                       // the next instruction may use them
  void fail_warp(V* status);                // returns it
  // Takes (context, first warp, end) of a kernel, (context, warp, lanes) of what it calls.
  llvm::Function* warp_function(const Function& function);

  // --- Beginning (prologue.cpp) ---
  void set_warp(V* warp) { warp_ = warp; }
  void know(Special special, const Value& value) { specials_[special] = value; }
  void emit_prologue();    // thread indices, and which lanes exist
  void emit_resumption();  // of a warp that has stopped

  // --- Stops (stops.cpp) ---
  // Whether the warp may stop on the way: it is called by itself, with a frame.
  bool needs_frames() const { return needs_frames_; }
  V* frame() const { return frame_; }
  // Leaves the warp with `status` and continues after this point when it is entered again: `live`
  // is what this block's lanes need then, or all lanes of a region.
  void suspend(Status status, const BitSet& live);
  void suspend_region(Status status, int32_t region);
  // Registers that are live after the current instruction.
  BitSet live_behind();
  bool waits_in(BlockId block) const;  // whether it needs what others do to come to its end
  // A number of turns that is never reached and marks a warp that has slept.
  static constexpr uint32_t has_slept = 1u << 30;

  // --- Retries (retries.cpp) ---
  // A place in a loop where a warp that retries in vain may stop: `place` of `places`; 0 is where
  // it usually does.
  struct Retry {
    uint32_t place, places;
    bool sleeps;  // in each turn
  };
  bool is_retry(uint32_t instruction) const { return retries_.contains(instruction); }
  const Retry* retry() const;  // null: the current instruction is not such a place
  V* is_turn_of(const Retry& retry);
  void stop_unevenly();  // after the current instruction, if it is such a place

  // --- Two ways through a block (straight.cpp) ---
  bool may_go_straight(BlockId block) const;
  bool may_leave() const;  // whether the current instruction is on the straight way, and asks
  // Goes on in the careful version if `bad`: the current instruction has done nothing yet.
  void leave_straight(V* bad);
  // Computes what the straight way has put off before the current instruction, on the way out.
  std::function<void()> compute_put_off;
  llvm::BasicBlock* entry_of_careful(uint32_t instruction);
  llvm::BasicBlock* known_entry_of_careful(uint32_t instruction) const;  // null: none leads there
  void forget_careful() { careful_.clear(); }

 private:
  struct Slot {
    Variables::Id scalar[2] = {Variables::none, Variables::none};
    Variables::Id step[2] = {Variables::none, Variables::none};
    Variables::Id step_lane[2] = {Variables::none, Variables::none};
    Variables::Id vector = Variables::none;
  };
  bool is_kept_as_bits(const Slot& slot) const {
    return !variables_.type_of(slot.vector)->isVectorTy();
  }
  void make_variables();
  void find_retries();
  bool place_variables(llvm::BasicBlock* begin);
  V* known_bits_of(V* mask);
  // `turns`: how many turns of spinning loops the warp has had when it goes on.
  void leave_and_return(Status status, const BitSet& kept, uint32_t turns);

  const EmitInput& input_;
  const BlockClass class_;
  CompiledKernel& result_;
  llvm::Module& module_;
  bool failed_ = false;
  bool needs_frames_ = false;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* allocas_ = nullptr;
  llvm::PHINode* failure_ = nullptr;  // what a warp returns that must not go on
  V* warp_ = nullptr;
  V* base_bits_ = nullptr;          // lanes that exist; null: all
  std::map<V*, V*> bits_of_masks_;  // where a mask was made from them
  std::map<Special, Value> specials_;

  Variables variables_;
  Needs needs_;
  std::vector<Slot> slots_;                     // of registers
  std::vector<Variables::Id> masks_;            // of blocks in regions
  Variables::Id block_mask_ = Variables::none;  // of the current block, if it is in a region
  Variables::Id carry_ = Variables::none;
  Variables::Id turns_ = Variables::none;
  Variables::Id stops_ = Variables::none;  // of the warp, in vain; where it may retry
  std::map<uint32_t, Retry> retries_;      // by instruction
  Variables::Id away_ = Variables::none, passed_ = Variables::none, reduced_ = Variables::none;
  std::vector<bool> decides_;  // of registers: a branch depends on them

  std::multimap<uint64_t, llvm::AllocaInst*> arrays_;  // by size: free for the next instruction
  std::vector<std::pair<uint64_t, llvm::AllocaInst*>> arrays_in_use_;

  // Of a warp that stops on the way: a WarpFrame, and what it needs when it goes on.
  V* frame_ = nullptr;
  static constexpr uint32_t frame_head = 64;
  llvm::SwitchInst* resume_ = nullptr;  // to where it left off
  uint32_t suspensions_ = 0;
  // The registers that are live after some instructions of a block, from its end on, so that a
  // query for one is short.
  std::map<uint32_t, BitSet> live_behind_;
  BlockId live_behind_block_ = exit_block;

  std::map<uint32_t, llvm::BasicBlock*> careful_;  // where an instruction's careful version begins
};

template <typename F>
void WarpBuilder::when(V* condition, const F& body, bool rarely) {
  llvm::BasicBlock* const then = new_block("then");
  llvm::BasicBlock* const behind = new_block("behind");
  llvm::BranchInst* const branch = CreateCondBr(condition, then, behind);
  if (rarely) unlikely(branch);
  SetInsertPoint(then);
  body();
  if (!GetInsertBlock()->getTerminator()) CreateBr(behind);
  SetInsertPoint(behind);
}

template <typename F>
void WarpBuilder::elementwise(const Instruction& instruction, std::initializer_list<Type> from,
                              Type to, const F& compute) {
  std::vector<Value> values;
  size_t operand = 1;
  for (const Type type : from) values.push_back(read(instruction.operands[operand++], type));
  // All the same, in the warp or in its halves: once. Otherwise lane by lane.
  bool same = true, linear = true;
  for (const Value& value : values) {
    same &= value.shape.has_no_stride();
    linear &= value.shape.linear || value.shape.is_varying();
  }
  Value result;
  if (same) {
    result.shape = {Shape::Kind::affine, linear, false, 0};
    for (int half = 0; half < (linear ? 1 : 2); ++half) {
      std::vector<V*> arguments;
      for (const Value& value : values)
        arguments.push_back(value.scalar[value.shape.linear ? 0 : half]);
      result.scalar[half] = compute(arguments);
    }
  } else {
    std::vector<V*> arguments;
    for (const Value& value : values) arguments.push_back(vector_of(value));
    result = varying(compute(arguments));
  }
  write(instruction.operands[0], result, to);
}

template <typename F>
void WarpBuilder::for_each_lane(const F& body) {
  // while (left) { lane = ctz(left); body(lane); left &= left - 1; }
  V* const all = active_bits();
  llvm::BasicBlock* const before = GetInsertBlock();
  llvm::BasicBlock* const loop = new_block("lane");
  llvm::BasicBlock* const behind = new_block("lanes.done");
  CreateBr(loop);
  SetInsertPoint(loop);
  llvm::PHINode* const bits = CreatePHI(getInt32Ty(), 2);
  bits->addIncoming(all, before);
  V* const lane = intrinsic(llvm::Intrinsic::cttz, {bits, getTrue()});
  body(lane);
  V* const rest = CreateAnd(bits, CreateSub(bits, i32(1)));
  bits->addIncoming(rest, GetInsertBlock());
  CreateCondBr(CreateICmpNE(rest, i32(0)), loop, behind);
  SetInsertPoint(behind);
}

template <typename F>
void WarpBuilder::for_each_lane_quickly(const F& body) {
  constexpr uint32_t group = 8;
  const auto groups = [&] {
    llvm::BasicBlock* const before = GetInsertBlock();
    llvm::BasicBlock* const loop = new_block("lanes");
    llvm::BasicBlock* const behind = new_block("lanes.done");
    CreateBr(loop);
    SetInsertPoint(loop);
    llvm::PHINode* const first = CreatePHI(getInt64Ty(), 2);
    first->addIncoming(i64(0), before);
    for (uint32_t lane = 0; lane < group; ++lane) body(CreateAdd(first, i64(lane), "", true, true));
    V* const next = CreateAdd(first, i64(group), "", true, true);
    first->addIncoming(next, GetInsertBlock());
    CreateCondBr(CreateICmpULT(next, i64(warp_size)), loop, behind);
    SetInsertPoint(behind);
  };
  if (all_active()) return groups();
  llvm::BasicBlock* const all = new_block("all");
  llvm::BasicBlock* const some = new_block("some");
  llvm::BasicBlock* const behind = new_block("each.done");
  CreateCondBr(CreateICmpEQ(active_bits(), i32(UINT32_MAX)), all, some);
  SetInsertPoint(all);
  groups();
  CreateBr(behind);
  SetInsertPoint(some);
  for_each_lane(body);
  CreateBr(behind);
  SetInsertPoint(behind);
}

template <typename... Arguments>
llvm::Value* WarpBuilder::call_helper(size_t offset, llvm::Type* result, Arguments... arguments) {
  std::vector<V*> values{arguments...};
  std::vector<llvm::Type*> types;
  for (V* const value : values) types.push_back(value->getType());
  V* const table = context_field(offsetof(BlockContext, helpers), getPtrTy());
  V* const function =
      CreateLoad(getPtrTy(), CreateConstInBoundsGEP1_64(getInt8Ty(), table, offset));
  llvm::CallInst* const call =
      CreateCall(llvm::FunctionType::get(result, types, false), function, values);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

}  // namespace cuvette::ptx
