// SPDX-License-Identifier: Apache-2.0
// Opcodes and modifiers (opcodes.def, modifiers.def), and the traits of each opcode that hold in
// any context. Passes and emitter look them up here; none of them keeps its own list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cuvette::ptx {

enum class Opcode : uint8_t {
#define OPCODE(name, operands, types, traits, modifiers) name,
#include "sim/ptx/syntax/opcodes.def"
#undef OPCODE
};

constexpr size_t opcode_count = 0
#define OPCODE(name, operands, types, traits, modifiers) +1
#include "sim/ptx/syntax/opcodes.def"
#undef OPCODE
    ;

enum class Modifier : uint8_t {
#define MODIFIER(name, text) name,
#include "sim/ptx/syntax/modifiers.def"
#undef MODIFIER
};

// As in a program's text: instruction.has(dot::sync).
namespace dot {
using enum Modifier;
}

enum class Trait : uint32_t {
  plain = 0,
  // Loads, stores or modifies memory at its address operand, in a space given by the instruction or
  // by the address.
  accesses = 1 << 0,
  // The same operands may give another result later, because of what other threads have done.
  asks = 1 << 1,
  // Others may read memory by then, or have changed it, so all sums that the block keeps are
  // settled first. Plain loads and stores lack this trait: they settle only what they touch.
  settles = 1 << 2,
  // bar and barrier: their form says who meets.
  barrier = 1 << 3,
  // With .sync, the lanes in the mask of its last operand meet.
  meets = 1 << 4,
  // All lanes of the warp meet.
  meets_all = 1 << 5,
  // Must not be executed where no lane is active; the traits above imply it.
  acts = 1 << 6,
  // Its result differs from lane to lane, even where its operands do not.
  own = 1 << 7,
  // Its result is the same in all lanes of the warp, regardless of its operands.
  same = 1 << 8,
  // Nothing after it in its block is executed.
  ends_block = 1 << 9,
  // Moves the stack of alloca.
  stack = 1 << 10,
  // May name several types.
  several_types = 1 << 11,
  // Operands may be parts of registers.
  video = 1 << 12,
  // Names a surface, or a texture.
  surface = 1 << 13,
  texture = 1 << 14,
  // No text has it: a pass makes it.
  made = 1 << 15,

  // --- What loops do to values that they poll (passes/polls.cpp, influence.cpp, tickets.cpp) ---
  // Where it asks, it polls, even if its address changes from turn to turn.
  polled = 1 << 16,
  // Its result may be one of its sources, unchanged: the first; the first or the second; one of
  // these where the other is zero; the third where one of the others is zero.
  keeps = 1 << 17,
  keeps_one = 1 << 18,
  keeps_beside_zero = 1 << 19,
  keeps_third = 1 << 20,
  // Its result is zero for many values of its sources.
  often_zero = 1 << 21,
  // Its result goes on changing where a source goes on rising or falling.
  carries = 1 << 22,
  // The same, so that it does not depend on the other source alone.
  joins = 1 << 23,
  // Compares its first two sources.
  compares = 1 << 24,
  // Its result rises as its first source does: always; if the second is constant; if it is constant
  // and positive.
  rises = 1 << 25,
  rises_by_sum = 1 << 26,
  rises_by_product = 1 << 27,

  // --- For other passes ---
  // Its result may hold bytes of its sources as they were in memory (passes/taint.cpp).
  moves_bytes = 1 << 28,
  // Its code is too long to be emitted twice (emit/both_ways.cpp).
  long_code = 1 << 29,
  // It may change what accesses around it find, or end the thread (emit/memory_accesses.cpp).
  interrupts = 1 << 30,
};

constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

// The traits of what must not be executed where no lane is active.
constexpr Trait needs_lanes = Trait::accesses | Trait::settles | Trait::barrier | Trait::meets |
                              Trait::meets_all | Trait::acts;

// The facts of opcodes.def.
struct OpcodeRow {
  std::string_view name, operands, types;
  Trait traits;
  std::string_view modifiers;

  // Returns whether it has one of the traits in `any`.
  constexpr bool is(Trait any) const {
    return (static_cast<uint32_t>(traits) & static_cast<uint32_t>(any)) != 0;
  }
  // Whether its first operand is written, if its form does not say otherwise.
  constexpr bool writes_first() const {
    constexpr std::string_view written = "rRdVmqokPgFXY";
    return !operands.empty() && written.find(operands[0]) != std::string_view::npos;
  }
};

const OpcodeRow& row_of(Opcode opcode);

inline bool is(Opcode opcode, Trait any) { return row_of(opcode).is(any); }

std::string_view name_of(Opcode opcode);
std::string_view name_of(Modifier modifier);

// The shape of a matrix multiplication: m16n8k16 is A of 16 rows and 16 columns by B of 8 columns.
struct Extent {
  uint32_t m, n, k;
  bool operator==(const Extent&) const = default;
};
// Nothing for a modifier that says something else.
std::optional<Extent> extent_of(Modifier modifier);

// Nothing for what is none.
std::optional<Opcode> opcode_named(std::string_view name);
// Nothing for what is none, or none of this opcode.
std::optional<Modifier> modifier_named(Opcode opcode, std::string_view name);

// Whether `word` is one of those in `list`, which blanks part.
bool lists(std::string_view list, std::string_view word);

}  // namespace cuvette::ptx
