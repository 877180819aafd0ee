// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/own_memory.hpp"

#include <algorithm>

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/syntax/body_builder.hpp"

namespace cuvette::ptx {
namespace {

bool is_of_parameters(const Instruction& i) {
  return i.has_any({dot::param, dot::param_entry, dot::param_func});
}

bool is_load(const Instruction& i) { return i.opcode == Opcode::ld || i.opcode == Opcode::ldu; }

bool is_generic(const Instruction& i) {
  return !is_of_parameters(i) && !i.has_any({dot::shared, dot::shared_cta, dot::shared_cluster,
                                             dot::global, dot::local, dot::const_});
}

bool makes_local_address(const Instruction& i) {
  return i.opcode == Opcode::cvta && i.has(dot::local) && !i.has(dot::to);
}

// Whether lanes exchange registers.
bool exchanges(const Instruction& i) { return i.is(Trait::meets) && i.opcode != Opcode::vote; }

// Whether it brings what a call passes, in either direction. A kernel's parameters come from the
// host.
bool brings_parameter(const Instruction& i, bool of_kernel) {
  if (!is_load(i) || !is_of_parameters(i)) return false;
  const Operand& place = i.operands[1];
  return !of_kernel || !place.base_is_symbol || place.index > 0;
}

// Registers of a body to which values of some kind may come, by computation.
class Reached {
 public:
  template <typename Source>
  Reached(const Body& body, const Source& is_source) : is_(body.registers.size()) {
    std::vector<uint32_t> written;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : body.instructions) {
        if (!is_source(i) && (i.is(Trait::accesses) || !reads(i))) continue;
        written.clear();
        Flow::written(i, written);
        for (const uint32_t r : written) {
          if (is_[r] || body.registers[r].type == Type::pred) continue;
          is_[r] = changed = true;
        }
      }
    }
  }

  bool contains(uint32_t r) const { return is_[r]; }

  // Whether such a value is an operand, and not where memory is accessed.
  bool reads(const Instruction& i) const {
    return std::ranges::any_of(i.operands, [&](const Operand& operand) { return has(operand); });
  }

 private:
  bool has(const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) return is_[operand.index];
    return std::ranges::any_of(operand.elements, [&](const Operand& part) { return has(part); });
  }

  std::vector<bool> is_;
};

bool any_instruction(const Body& body, const auto& condition) {
  return std::ranges::any_of(body.instructions, condition);
}

// Whether addresses of a thread's local memory may come to other threads: one is written to memory,
// or exchanged. An address passed to a function is followed there; functions of the system keep
// nothing.
bool gives_away(const Bodies& bodies) {
  if (std::ranges::none_of(bodies, [](const OwnBody& one) {
        return any_instruction(one.body, makes_local_address);
      }))
    return false;
  for (size_t n = 0; n < bodies.size(); ++n) {
    const Body& body = bodies[n].body;
    const Reached local(body, [&](const Instruction& i) {
      return makes_local_address(i) || (bodies.size() > 1 && brings_parameter(i, n == 0));
    });
    if (any_instruction(body, [&](const Instruction& i) {
          const bool shows =
              i.is(Trait::accesses) ? !is_load(i) && !is_of_parameters(i) : exchanges(i);
          return shows && local.reads(i);
        }))
      return true;
  }
  return false;
}

class Owner : private BodyBuilder {
 public:
  Owner(Body& body, bool of_kernel)
      : BodyBuilder(body), others_(body, [of_kernel](const Instruction& i) {
          if (is_load(i)) return !is_of_parameters(i) || brings_parameter(i, of_kernel);
          return i.is(Trait::accesses) || exchanges(i);
        }) {}

  void run() {
    remake_all([&](const Instruction& one) {
      Instruction now = one;
      own(now);
      body_.instructions.push_back(std::move(now));
    });
  }

 private:
  void own(Instruction& i) {
    if ((i.opcode != Opcode::ld && i.opcode != Opcode::st) || !is_generic(i)) return;
    Operand& place = i.operands[i.opcode == Opcode::ld ? 1 : 0];
    if (place.kind != Operand::Kind::address || !place.has_base || place.base_is_symbol ||
        !others_.contains(place.index) || size_of(body_.registers[place.index].type) != 8)
      return;
    // The whole address: one behind a variable, less a few bytes, is still the variable's.
    Operand whole = register_operand(place.index);
    if (place.bits != 0) {
      const Operand sum = register_operand(add_register(Type::b64));
      add(i, Opcode::add, {}, {Type::u64}, {sum, whole, number_operand(place.bits)});
      whole = sum;
    }
    const uint32_t mine = add_register(Type::b64);
    add(i, Opcode::ownlocal, {}, {Type::u64}, {register_operand(mine), whole});
    place.index = mine;
    place.bits = 0;
  }

  const Reached others_;  // what may come from other threads
};

}  // namespace

void keep_in_own_memory(Bodies& bodies) {
  if (!gives_away(bodies)) return;
  for (size_t n = 0; n < bodies.size(); ++n) Owner(bodies[n].body, n == 0).run();
}

}  // namespace cuvette::ptx
