// SPDX-License-Identifier: Apache-2.0
// The variables of a kernel: registers, and the masks of lanes that wait at blocks.
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {
namespace {

// The limits of a warp's registers on a thread's stack, and in a frame in the block's memory.
constexpr uint64_t most_on_stack = 1 << 20, most_in_frame = 16 << 20;

}  // namespace

void WarpBuilder::make_variables() {
  llvm::Type* const word = getInt32Ty();
  const auto registers = static_cast<uint32_t>(body().registers.size());
  for (uint32_t r = 0; r < registers; ++r) {
    Slot& slot = slots_.emplace_back();
    llvm::Type* const type = element_of_register(r);
    const Shape& shape = shapes().registers[r];
    if (shape.is_varying()) {
      slot.vector =
          variables_.make(type->isIntegerTy(1) && decides(r) ? word : vector_type(type), r);
      continue;
    }
    for (int half = 0; half < (shape.linear ? 1 : 2); ++half) {
      slot.scalar[half] = variables_.make(type, r);
      if (!shape.stepped) continue;
      slot.step[half] = variables_.make(type, r);
      slot.step_lane[half] = variables_.make(word, r);
    }
  }
  masks_.resize(flow().blocks.size(), Variables::none);
  for (BlockId b = 0; b < flow().blocks.size(); ++b)
    if (shapes().region[b] >= 0) masks_[b] = variables_.make(word, registers + b);
  block_mask_ = variables_.make(word);
  carry_ = variables_.make(vector_type(getInt1Ty()));
  turns_ = variables_.make(word);
  if (!retries_.empty()) stops_ = variables_.make(word);
  if (!flow().gathers) return;
  away_ = variables_.make(word);
  passed_ = variables_.make(word);
  reduced_ = variables_.make(word);
}

// Whether `reg` is a predicate that branches depend on, or one that such a predicate is made of.
bool WarpBuilder::decides(uint32_t reg) {
  if (!decides_.empty()) return decides_[reg];
  decides_.assign(body().registers.size() + 1, false);
  for (const Block& block : flow().blocks)
    if (block.has_terminator && body().instructions[block.end - 1].predicate)
      decides_[*body().instructions[block.end - 1].predicate] = true;
  for (size_t n = body().instructions.size(); n-- > 0;) {
    const Instruction& i = body().instructions[n];
    if (i.type() != Type::pred || i.operands.empty() || i.operands[0].kind != Operand::Kind::reg ||
        !decides_[i.operands[0].index])
      continue;
    for (const Operand& operand : i.operands)
      if (operand.kind == Operand::Kind::reg) decides_[operand.index] = true;
  }
  return decides_[reg];
}

bool WarpBuilder::finish_variables(llvm::BasicBlock* begin) {
  // Nothing has run yet: registers are 0, and no lane waits anywhere.
  if (input_.quickly) return place_variables(begin);
  variables_.finish(*function_, begin, needs_);
  return true;
}

bool WarpBuilder::place_variables(llvm::BasicBlock* begin) {
  std::vector<Variables::Span> spans(body().registers.size());
  std::vector<uint32_t> registers, ends;
  uint32_t at = 0;  // in the order of the blocks
  std::vector<uint32_t> begins;
  for (const Block& block : flow().blocks) {
    begins.push_back(at);
    block.live_in.each([&](uint32_t r) { spans[r].add(at, at); });
    for (uint32_t i = block.first; i < block.end; ++i, ++at) {
      registers.clear();
      Flow::written(body().instructions[i], registers);
      Flow::read(body().instructions[i], registers);
      for (const uint32_t r : registers) spans[r].add(at, at);
    }
    block.live_out.each([&](uint32_t r) { spans[r].add(at, at); });
    ends.push_back(at++);
  }
  needs_.each_run([&](uint32_t key, BlockId first, BlockId last) {
    if (key < spans.size()) spans[key].add(begins[first], ends[last]);
  });
  uint64_t bytes = 0;
  if (needs_frames_) {
    // They lie in the warp's frame at once, so that a stop has nothing to keep: copies at each stop
    // were nearly all of the code of kernels with hundreds of stops.
    auto* const frame = llvm::cast<llvm::Instruction>(frame_);
    SetInsertPoint(frame->getNextNode());
    auto* const memory =
        llvm::cast<llvm::Instruction>(CreateConstInBoundsGEP1_64(getInt8Ty(), frame_, frame_head));
    bytes = variables_.place_in_memory(memory, resume_->getDefaultDest(), spans,
                                       flow().blocks[0].live_in);
    result_.frame_bytes = frame_head + static_cast<uint32_t>(bytes);
  } else {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    SetInsertPoint(&entry, entry.getFirstInsertionPt());
    llvm::AllocaInst* const memory = CreateAlloca(getInt8Ty(), i32(64));
    memory->setAlignment(llvm::Align(64));
    bytes = variables_.place_in_memory(memory, begin, spans, flow().blocks[0].live_in);
    memory->setOperand(0, i32(static_cast<uint32_t>(std::max<uint64_t>(bytes, 64))));
  }
  const uint64_t most = needs_frames_ ? most_in_frame : most_on_stack;
  if (bytes <= most) return true;
  result_.error = "its registers take " + std::to_string(bytes) +
                  " bytes of a warp at once: more than " + std::to_string(most) +
                  " cannot be compiled";
  return false;
}

}  // namespace cuvette::ptx
