// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/check_bodies.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/base/rounding.hpp"
#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

// Calls `visit` with each module-level name in an operand.
template <typename Visit>
void for_each_symbol(const Operand& operand, const Visit& visit) {
  if (operand.index == 0 && !operand.symbol.empty()) visit(operand.symbol);
  for (const Operand& element : operand.elements) for_each_symbol(element, visit);
}

// Checks that a called function exists.
bool check_calls(const Module& module, const Body& body, Diagnostic& diagnostic) {
  for (const Instruction& instruction : body.instructions) {
    if (instruction.opcode != Opcode::call) continue;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::symbol || operand.index != 0) continue;
      const Function* const function = module.function(operand.symbol);
      if (!function || !function->body.empty() || is_system_call(function->name)) continue;
      const std::string_view name = function->name;
      const bool of_runtime = is_of_runtime(name);
      const bool launches = of_runtime && (name.find("Launch") != name.npos ||
                                           name.find("ParameterBuffer") != name.npos);
      diagnostic = {Error::invalid_ptx, instruction.line, std::string(operand.symbol),
                    launches     ? "kernels that launch kernels are not implemented"
                    : of_runtime ? "this function of the device runtime is not implemented"
                                 : "this function is declared and defined nowhere"};
      return false;
    }
  }
  return true;
}

// Checks that what an instruction names as a texture or surface is one.
bool check_textures(const Module& module, const Body& body, Diagnostic& diagnostic) {
  for (const Instruction& instruction : body.instructions) {
    if (!is(instruction.opcode, Trait::texture | Trait::surface)) continue;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::address) continue;
      const Variable* const variable =
          operand.index == 0 && operand.base_is_symbol ? module.variable(operand.symbol) : nullptr;
      const bool named = variable && kind_of(variable->type) == TypeKind::opaque;
      if (operand.has_base && operand.bits == 0 && (!operand.base_is_symbol || named)) continue;
      diagnostic = {Error::invalid_ptx, instruction.line, std::string(instruction.text),
                    "a texture or surface of the module is missing here"};
      return false;
    }
  }
  return true;
}

// Textures are read with their own samplers: [texture, coordinates].
bool check_samplers(const Body& body, Diagnostic& diagnostic) {
  for (const Instruction& instruction : body.instructions) {
    if (instruction.opcode != Opcode::tex && instruction.opcode != Opcode::tld4) continue;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::address || operand.elements.size() < 2) continue;
      diagnostic = {Error::invalid_ptx, instruction.line, std::string(instruction.text),
                    "samplers of their own are not implemented"};
      return false;
    }
  }
  return true;
}

// Reads a body. False at a mistake in it.
bool read_checked(const Module& module, const Function& function, bool linked_later, Body& body,
                  Diagnostic& diagnostic) {
  return read_body(module, function, body, diagnostic) &&
         (linked_later || check_calls(module, body, diagnostic)) &&
         check_samplers(body, diagnostic) && check_textures(module, body, diagnostic);
}

// Reads the kernel's body and the bodies of all functions that it names, and calls `visit` with
// each body and `name` with each name of the module's in them. False at a mistake in a body.
template <typename Visit, typename Name>
bool for_each_body(const Module& module, const Function& kernel, Diagnostic& diagnostic,
                   const Visit& visit, const Name& name) {
  std::vector<const Function*> waiting{&kernel};
  std::unordered_set<std::string_view> seen{kernel.name};
  while (!waiting.empty()) {
    const Function& function = *waiting.back();
    waiting.pop_back();
    Body body;
    if (!read_checked(module, function, false, body, diagnostic)) return false;
    visit(function, body);
    const auto found = [&](std::string_view one) {
      if (!seen.insert(one).second) return;
      name(one);
      const Function* const called = module.function(one);
      if (called && !called->body.empty()) waiting.push_back(called);
    };
    for (const Instruction& instruction : body.instructions)
      for (const Operand& operand : instruction.operands) for_each_symbol(operand, found);
  }
  return true;
}

// Registers of 32 bits: predicates have their own.
uint32_t size_in_registers(Type type) {
  return type == Type::pred ? 0 : std::max<uint32_t>(1, size_of(type) / 4);
}

uint32_t most_live_registers(const Body& body) {
  const Flow flow = find_flow(body);
  uint32_t most = 0;
  std::vector<uint32_t> registers;
  for (const Block& block : flow.blocks) {
    uint32_t live = 0;
    BitSet now = block.live_out;
    now.each([&](uint32_t r) { live += size_in_registers(body.registers[r].type); });
    most = std::max(most, live);
    for (uint32_t i = block.end; i-- > block.first;) {
      registers.clear();
      Flow::written(body.instructions[i], registers);
      for (const uint32_t r : registers)
        if (now.contains(r)) {
          now.erase(r);
          live -= size_in_registers(body.registers[r].type);
        }
      registers.clear();
      Flow::read(body.instructions[i], registers);
      for (const uint32_t r : registers)
        if (!now.contains(r)) {
          now.insert(r);
          live += size_in_registers(body.registers[r].type);
        }
      most = std::max(most, live);
    }
  }
  return most;
}

void place(const Variable& variable, uint64_t& bytes) {
  const uint64_t alignment = std::max<uint64_t>(variable.alignment, 1);
  bytes = round_up(bytes, alignment) + variable.bytes();
}

}  // namespace

bool is_system_call(std::string_view name) {
  constexpr std::string_view names[] = {
#define X(name, parameters) #name,
      CUVETTE_PTX_SYSTEM_CALLS(X)
#undef X
  };
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_of_runtime(std::string_view name) {
  return name.starts_with("__cudaCDP") || name.starts_with("cudaCDP");
}

BodyState check_bodies(const Module& module, bool linked_later, Diagnostic& diagnostic) {
  const bool read_all = module.text.size() < read_all_below;
  BodyState state = BodyState::right;
  for (const Function& function : module.functions) {
    if (function.body.empty()) continue;
    Body body;
    Diagnostic found;
    if (read_all ? read_checked(module, function, linked_later, body, found)
                 : check_opcodes(module, function, found))
      continue;
    const bool wrong = !found.is_lacking();
    if (wrong || state == BodyState::right) diagnostic = std::move(found);
    state = wrong ? BodyState::wrong : BodyState::lacking;
    if (wrong) break;
  }
  return state;
}

bool declared_memory(const Module& module, const Function& kernel, DeclaredMemory& memory,
                     Diagnostic& diagnostic) {
  memory = {};
  return for_each_body(
      module, kernel, diagnostic,
      [&](const Function&, const Body& body) {
        for (const Variable& variable : body.variables) {
          if (variable.space == Space::shared && !variable.is_extern)
            place(variable, memory.shared);
          if (variable.space == Space::local) place(variable, memory.local);
        }
      },
      [&](std::string_view name) {
        const Variable* const variable = module.variable(name);
        if (variable && variable->space == Space::shared && !variable->is_extern)
          place(*variable, memory.shared);
      });
}

bool count_registers(const Module& module, const Function& kernel, uint32_t& registers,
                     Diagnostic& diagnostic) {
  uint32_t own = 0, called = 0;
  if (!for_each_body(
          module, kernel, diagnostic,
          [&](const Function& function, const Body& body) {
            uint32_t& most = &function == &kernel ? own : called;
            most = std::max(most, most_live_registers(body));
          },
          [](std::string_view) {}))
    return false;
  registers = own + called;
  return true;
}

}  // namespace cuvette::ptx
