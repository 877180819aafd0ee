// SPDX-License-Identifier: Apache-2.0
// A warp's function, and blocks, numbers and errors in it.
#include "sim/ptx/emit/warp_builder.hpp"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "sim/ptx/emit/opaque.hpp"

namespace cuvette::ptx {

namespace {

bool may_stop(const EmitInput& input) {
  const auto waits = [](const Instruction& i) {
    return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && !i.has(dot::arrive) &&
           !i.has(dot::warp);
  };
  return std::ranges::any_of(input.body.instructions, waits) ||
         std::ranges::any_of(input.flow.loops, [](const Loop& loop) { return loop.spins; });
}

}  // namespace

WarpBuilder::WarpBuilder(const EmitInput& input, llvm::Module& target, CompiledKernel& result)
    : llvm::IRBuilder<>(target.getContext()),
      input_(input),
      class_(input.request.block),
      result_(result),
      module_(target),
      needs_frames_(may_stop(input)),
      function_(warp_function(input.function)),
      allocas_(new_block("slots")) {
  if (input.quickly) variables_.use_memory();
  find_retries();
  make_variables();
  needs_ = Needs(body(), flow(), shapes());
}

llvm::BasicBlock* WarpBuilder::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(getContext(), name, function_);
}

void WarpBuilder::unlikely(llvm::BranchInst* branch) {
  branch->setMetadata(llvm::LLVMContext::MD_prof,
                      llvm::MDBuilder(getContext()).createBranchWeights(1, 1u << 20));
}

llvm::Value* WarpBuilder::opaque(V* number) { return make_opaque(*this, number, "=r,0"); }

llvm::Value* WarpBuilder::intrinsic(llvm::Intrinsic::ID id, std::initializer_list<V*> arguments) {
  return CreateIntrinsic(id, {(*arguments.begin())->getType()}, arguments);
}

llvm::Value* WarpBuilder::intrinsic3(llvm::Intrinsic::ID id, V* a, V* b, V* c) {
  return CreateIntrinsic(id, {a->getType()}, {a, b, c});
}

void WarpBuilder::unsupported(const Instruction& instruction, const std::string& why) {
  if (failed_) return;
  failed_ = true;
  result_.error = why.empty() ? "this form of the instruction is not implemented" : why;
  result_.error_line = instruction.line;
  result_.error_token = std::string(instruction.text);
}

llvm::Value* WarpBuilder::location() {
  const Instruction& here = instruction();
  return i64(location_of(here.line, here.source_file, here.source_line));
}

void WarpBuilder::fail_warp(V* status) {
  llvm::BasicBlock* const here = GetInsertBlock();
  if (!failure_) {
    SetInsertPoint(new_block("failed"));
    failure_ = CreatePHI(status->getType(), 2);
    CreateRet(failure_);
    SetInsertPoint(here);
  }
  failure_->addIncoming(status, here);
  CreateBr(failure_->getParent());
}

}  // namespace cuvette::ptx
