// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/allocations.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/syntax/body_builder.hpp"

namespace cuvette::ptx {
namespace {

// More than any stack holds, so that sums of sizes cannot overflow.
constexpr uint32_t most_allocated = 1u << 24;
constexpr uint64_t least_alignment = 16;
// The largest that a variable may ask for; GPUs allow more for allocations.
constexpr uint64_t most_alignment = 4096;

bool is_allocation(const Instruction& instruction) {
  return instruction.opcode == Opcode::alloca || instruction.opcode == Opcode::stacksave ||
         instruction.opcode == Opcode::stackrestore;
}

// Returns the alignment in bytes that an allocation asks for, or 1.
uint64_t alignment_of(const Instruction& instruction) {
  if (instruction.opcode != Opcode::alloca || instruction.operands.size() < 3) return 1;
  return instruction.operands[2].bits;
}

class Allocations {
 public:
  explicit Allocations(Body& body) : body_(body), top_(add_register()) {}

  void run() {
    Variable stack;
    stack.name = stack_name;
    stack.space = Space::local;
    const std::vector<Instruction> before = std::exchange(body_.instructions, {});
    // Places are aligned from the stack's beginning, so that has the largest alignment of all.
    uint64_t largest = least_alignment;
    for (const Instruction& instruction : before)
      largest = std::max(largest, alignment_of(instruction));
    stack.alignment = static_cast<uint32_t>(largest);
    body_.variables.push_back(stack);
    Operand begin;
    begin.kind = Operand::Kind::symbol;
    begin.index = static_cast<uint32_t>(body_.variables.size());
    std::vector<uint32_t> positions;
    if (!before.empty())
      add(before[0], Opcode::mov, {Type::u32}, {register_operand(top_), begin}).predicate.reset();
    for (const Instruction& instruction : before) {
      positions.push_back(static_cast<uint32_t>(body_.instructions.size()));
      if (is_allocation(instruction))
        replace(instruction);
      else
        body_.instructions.push_back(instruction);
    }
    positions.push_back(static_cast<uint32_t>(body_.instructions.size()));
    for (uint32_t& label : body_.labels) label = positions[label];
  }

 private:
  uint32_t add_register() {
    body_.registers.push_back({Type::b32});
    return static_cast<uint32_t>(body_.registers.size() - 1);
  }

  Instruction& add(const Instruction& like, Opcode opcode, std::vector<Type> types,
                   std::vector<Operand> operands) {
    Instruction& instruction = body_.instructions.emplace_back(like);
    instruction.rename(opcode);
    instruction.modifiers.clear();
    instruction.types = std::move(types);
    instruction.operands = std::move(operands);
    return instruction;
  }

  // Converts addresses between 32 bits and the instruction's number of bits.
  void copy(const Instruction& like, Type from, const Operand& source, Type to,
            const Operand& target) {
    if (size_of(from) == size_of(to))
      add(like, Opcode::mov, {to}, {target, source});
    else
      add(like, Opcode::cvt, {to, from}, {target, source});
  }

  void replace(const Instruction& instruction) {
    const Type type = size_of(instruction.type()) == 8 ? Type::u64 : Type::u32;
    const Operand top = register_operand(top_);
    if (instruction.opcode == Opcode::stackrestore) {
      copy(instruction, type, instruction.operands[0], Type::u32, top);
      return;
    }
    if (instruction.opcode == Opcode::stacksave) {
      copy(instruction, Type::u32, top, type, instruction.operands[0]);
      return;
    }
    const uint64_t alignment = std::max(least_alignment, alignment_of(instruction));
    if (alignment > least_alignment) {
      add(instruction, Opcode::add, {Type::u32}, {top, top, number_operand(alignment - 1)});
      add(instruction, Opcode::and_, {Type::b32},
          {top, top, number_operand(uint32_t{0} - static_cast<uint32_t>(alignment))});
    }
    copy(instruction, Type::u32, top, type, instruction.operands[0]);
    const Operand size = register_operand(add_register());
    Operand wide = size;
    if (type == Type::u64) {
      body_.registers.push_back({Type::b64});
      wide.index = static_cast<uint32_t>(body_.registers.size() - 1);
    }
    add(instruction, Opcode::min, {type},
        {wide, instruction.operands[1], number_operand(most_allocated)});
    if (type == Type::u64) copy(instruction, type, wide, Type::u32, size);
    add(instruction, Opcode::add, {Type::u32}, {size, size, number_operand(least_alignment - 1)});
    add(instruction, Opcode::and_, {Type::b32},
        {size, size, number_operand(0xffffffff - (least_alignment - 1))});
    add(instruction, Opcode::add, {Type::u32}, {top, top, size});
  }

  Body& body_;
  uint32_t top_;  // the register with the first free place
};

}  // namespace

bool place_allocations(Body& body, Diagnostic& diagnostic) {
  const auto first =
      std::find_if(body.instructions.begin(), body.instructions.end(), is_allocation);
  if (first == body.instructions.end()) return true;
  for (const Variable& variable : body.variables)
    if (variable.name == stack_name) {
      diagnostic = {Error::invalid_ptx, first->line, std::string(first->text),
                    "this is not implemented in kernels with functions that call themselves"};
      return false;
    }
  for (const Instruction& instruction : body.instructions) {
    const uint64_t alignment = alignment_of(instruction);
    if (std::has_single_bit(alignment) && alignment <= most_alignment) continue;
    diagnostic = {Error::invalid_ptx, instruction.line, std::string(instruction.text),
                  std::has_single_bit(alignment) ? "alignments above 4096 are not implemented"
                                                 : "an alignment must be a power of two"};
    return false;
  }
  Allocations(body).run();
  return true;
}

}  // namespace cuvette::ptx
