// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/together.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cuvette::ptx {
namespace {

// The cost for launches of other kernels of the same code: a few tests.
constexpr size_t most_own_instructions = 500;

std::set<const Function*> reached(const Function& kernel, const CallGraph& graph) {
  std::set<const Function*> result;
  std::vector<const Function*> work{&kernel};
  while (!work.empty()) {
    const Function* const function = work.back();
    work.pop_back();
    for (const Function* const callee : graph.at(function))
      if (result.insert(callee).second) work.push_back(callee);
  }
  return result;
}

// Memory that a block has is the same for all of them: none has a separate one.
bool has_own_memory(const Body& body) {
  return std::ranges::any_of(body.variables, [](const Variable& variable) {
    return variable.space == Space::shared || variable.space == Space::local;
  });
}

// By their names in the kernel's own parameters.
bool uses_textures(const Body& body) {
  return std::ranges::any_of(body.instructions, [](const Instruction& instruction) {
    return is(instruction.opcode, Trait::texture | Trait::surface);
  });
}

void add_shared(const Module& module, const Operand& operand, std::set<std::string_view>& names) {
  const Variable* const variable = operand.index == 0 ? module.variable(operand.symbol) : nullptr;
  if (variable && variable->space == Space::shared) names.insert(operand.symbol);
  for (const Operand& element : operand.elements) add_shared(module, element, names);
}

std::set<std::string_view> shared_variables(const Module& module, const Body& body) {
  std::set<std::string_view> names;
  for (const Instruction& instruction : body.instructions)
    for (const Operand& operand : instruction.operands) add_shared(module, operand, names);
  return names;
}

// A parameter's place among a kernel's instead of its name.
void resolve(const Function& kernel, const std::vector<uint32_t>& offsets, Operand& operand) {
  for (Operand& element : operand.elements) resolve(kernel, offsets, element);
  if (operand.index > 0 || operand.symbol.empty()) return;
  for (size_t p = 0; p < offsets.size(); ++p) {
    if (kernel.parameters[p].name != operand.symbol) continue;
    const uint64_t place = operand.bits + offsets[p];
    if (operand.kind == Operand::Kind::symbol) {
      operand = number_operand(place);
    } else if (operand.kind == Operand::Kind::address && operand.base_is_symbol) {
      operand.has_base = operand.base_is_symbol = false;
      operand.symbol = {};
      operand.bits = place;
    }
    return;
  }
}

}  // namespace

std::vector<const Function*> find_kernels_alike(CallProgram& program, const Function& kernel,
                                                const CallGraph& graph) {
  const Body& own = program.bodies.at(&kernel);
  const auto calls = reached(kernel, graph);
  const auto shared = shared_variables(program.module, own);
  CallGraph all = graph;
  const auto is_alike = [&](const Function& other) {
    if (!other.is_entry || other.body.empty()) return false;
    const Body* const body = program.body_of(other);
    return body && body->instructions.size() <= most_own_instructions && !has_own_memory(*body) &&
           !uses_textures(*body) && shared_variables(program.module, *body) == shared &&
           program.find_calls(other, *body, all) && reached(other, all) == calls;
  };
  if (!is_alike(kernel)) return {&kernel};
  std::vector<const Function*> result;
  const Diagnostic before = program.diagnostic;
  for (const Function& other : program.module.functions)
    if (is_alike(other)) result.push_back(&other);
  program.diagnostic = before;
  return result;
}

bool Inliner::put_together(const std::vector<const Function*>& kernels) {
  Instruction first = program_.bodies.at(kernels[0]).instructions.at(0);
  first.predicate.reset();
  Operand number;
  number.kind = Operand::Kind::special;
  number.special = Special::kernel_number;
  const uint32_t chosen = add_register(Type::b32);
  const auto table = make_name("%kernels");
  add(first, Opcode::mov, {}, {Type::u32}, {register_operand(chosen), number});
  add(first, Opcode::brx, {dot::idx}, {}, {register_operand(chosen), symbol_operand(*table)});
  std::vector<uint32_t> labels;
  for (const Function* const kernel : kernels) {
    Body body = program_.bodies.at(kernel);
    const std::vector<uint32_t> offsets = kernel->parameter_offsets();
    // A call cannot take a kernel parameter directly.
    for (Instruction& instruction : body.instructions)
      if (instruction.opcode != Opcode::call)
        for (Operand& operand : instruction.operands) resolve(*kernel, offsets, operand);
    labels.push_back(add_label());
    place_label(labels.back());
    active_ = {kernel};
    if (!append(body, {}, {})) return false;
    add(first, Opcode::ret);  // for one that runs past its end
  }
  Body::Table& jumps = body_.tables.emplace_back();
  jumps.name = *table;
  jumps.labels = labels;
  return true;
}

}  // namespace cuvette::ptx
