// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/inline.hpp"

#include <algorithm>
#include <utility>

#include "sim/ptx/passes/inliner.hpp"
#include "sim/ptx/passes/separate.hpp"
#include "sim/ptx/passes/together.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

// More than any program needs, and less than a compiler can take.
constexpr size_t most_instructions = 1u << 20;

}  // namespace

bool Inliner::nest(const Instruction& at, const Function& function) {
  if (active_.size() >= most_nested_calls)
    return fail(at, "calls are nested more than " + std::to_string(most_nested_calls) +
                        " deep: that is the most that can be compiled");
  active_.push_back(&function);
  return true;
}

bool Inliner::run(const std::vector<const Function*>& kernels) {
  if (kernels.size() > 1) {
    if (!put_together(kernels)) return false;
  } else {
    active_.push_back(kernels[0]);
    if (!append(program_.bodies.at(kernels[0]), {}, {})) return false;
  }
  finish_returns();
  return true;
}

bool Inliner::run(const Function& separate) {
  active_.push_back(&separate);
  const uint32_t end = add_label();
  if (!append(program_.bodies.at(&separate), formals_of(separate), end)) return false;
  place_label(end);
  finish_returns();
  return true;
}

bool CallProgram::fail(const Instruction& at, std::string sentence) {
  diagnostic = {Error::invalid_ptx, at.line, std::string(at.text), std::move(sentence)};
  return false;
}

std::shared_ptr<const std::string> Inliner::make_name(std::string name) {
  return body_.made_names.emplace_back(std::make_shared<const std::string>(std::move(name)));
}

const Body* CallProgram::body_of(const Function& function) {
  const auto known = bodies.find(&function);
  if (known != bodies.end()) return &known->second;
  Body body;
  if (!read_body(module, function, body, diagnostic)) return nullptr;
  return &(bodies[&function] = std::move(body));
}

bool CallProgram::find_callees(const Body& source, std::vector<const Function*>& callees) {
  for (const Instruction& instruction : source.instructions) {
    if (instruction.opcode != Opcode::call) continue;
    const Call call = call_of(instruction);
    if (call.is_by_address()) {
      const auto may_be = targets.by_address(call, source);
      if (!may_be) return fail(instruction, "it does not say what it may call");
      callees.insert(callees.end(), may_be->begin(), may_be->end());
    } else if (const Function* const callee = module.function(call.callee.symbol);
               callee && !callee->body.empty() && !callee->is_entry) {
      callees.push_back(callee);
    }
  }
  return true;
}

// Without recursion: programs call as deep as they like.
bool CallProgram::find_calls(const Function& function, const Body& source, CallGraph& graph) {
  std::vector<std::pair<const Function*, const Body*>> work{{&function, &source}};
  while (!work.empty()) {
    const auto [caller, body] = work.back();
    work.pop_back();
    const auto [callees, is_new] = graph.try_emplace(caller);
    if (!is_new) continue;
    if (!find_callees(*body, callees->second)) return false;
    for (const Function* const callee : callees->second) {
      if (graph.contains(callee)) continue;
      const Body* const next = body_of(*callee);
      if (!next) return false;
      work.emplace_back(callee, next);
    }
  }
  return true;
}

// --- What a function becomes ---

Inliner::InlinedParts Inliner::make_place(const Body& source, const Formals& formals,
                                          const Member* member) {
  InlinedParts place;
  place.registers = static_cast<uint32_t>(body_.registers.size());
  place.labels = static_cast<uint32_t>(body_.labels.size());
  place.formals = &formals;
  body_.registers.insert(body_.registers.end(), source.registers.begin(), source.registers.end());
  body_.labels.resize(body_.labels.size() + source.labels.size());
  body_.label_names.insert(body_.label_names.end(), source.label_names.begin(),
                           source.label_names.end());
  body_.made_names.insert(body_.made_names.end(), source.made_names.begin(),
                          source.made_names.end());
  for (uint32_t v = 0; v < source.variables.size(); ++v) {
    if (member && member->activation.variables[v] != Activation::elsewhere) {
      place.variables.push_back(UINT32_MAX);
      continue;
    }
    const bool own = source.variables[v].space == Space::param;
    const auto known = program_.shared.find({active_.back(), v});
    if (!own && known != program_.shared.end()) {
      place.variables.push_back(known->second);
      continue;
    }
    place.variables.push_back(static_cast<uint32_t>(body_.variables.size()));
    if (!own) program_.shared[{active_.back(), v}] = place.variables.back();
    body_.variables.push_back(source.variables[v]);
  }
  for (const Body::Table& table : source.tables) {
    Body::Table& copy = body_.tables.emplace_back(table);
    for (uint32_t& label : copy.labels) label += place.labels;
    place.tables.push_back(
        make_name(std::string(table.name) + "." + std::to_string(body_.tables.size())));
    copy.name = *place.tables.back();
  }
  return place;
}

bool Inliner::append(const Body& source, const Formals& formals, std::optional<uint32_t> behind,
                     const Member* member) {
  const InlinedParts place = make_place(source, formals, member);
  std::vector<uint32_t> positions;
  for (const Instruction& instruction : source.instructions) {
    positions.push_back(static_cast<uint32_t>(body_.instructions.size()));
    if (body_.instructions.size() > most_instructions)
      return fail(instruction, "this kernel is too large, with all that it calls");
    Instruction copy = instruction;
    if (copy.predicate) *copy.predicate += place.registers;
    if (member && !reach_frame(copy, *member)) return false;
    for (Operand& operand : copy.operands) move(operand, source, place);
    if (copy.opcode == Opcode::ret && member) {
      return_by_frame(copy);
      continue;
    }
    if (copy.opcode == Opcode::ret && behind) {
      if (&instruction == &source.instructions.back() && !copy.predicate) continue;
      copy.rename(Opcode::bra);
      copy.operands = {label_operand(*behind)};
    }
    // A pointer to a function's parameter points to the thread's local memory.
    if ((behind || member) && (copy.opcode == Opcode::ld || copy.opcode == Opcode::st))
      for (Modifier& modifier : copy.modifiers)
        if ((modifier == dot::param || modifier == dot::param_func) &&
            !copy.operands[copy.opcode == Opcode::ld ? 1 : 0].base_is_symbol)
          modifier = dot::local;
    if (copy.opcode == Opcode::call) {
      const Site site{member, static_cast<uint32_t>(&instruction - source.instructions.data()),
                      place.registers};
      if (!emit_call(copy, source, site)) return false;
    } else {
      body_.instructions.push_back(std::move(copy));
    }
  }
  positions.push_back(static_cast<uint32_t>(body_.instructions.size()));
  for (size_t l = 0; l < source.labels.size(); ++l)
    body_.labels[place.labels + l] = positions[source.labels[l]];
  return true;
}

void Inliner::move(Operand& operand, const Body& source, const InlinedParts& place) {
  const bool named = operand.kind == Operand::Kind::symbol ||
                     (operand.kind == Operand::Kind::address && operand.base_is_symbol);
  const bool in_register = operand.kind == Operand::Kind::reg ||
                           (operand.kind == Operand::Kind::address && operand.has_base && !named);
  if (in_register && operand.index >= in_frame) {
    operand.index -= in_frame;
  } else if (in_register) {
    operand.index += place.registers;
  } else if (operand.kind == Operand::Kind::label) {
    operand.index += place.labels;
  } else if (named && operand.index > 0) {
    operand.index = 1 + place.variables[operand.index - 1];
  } else if (named) {
    const auto formal = place.formals->find(operand.symbol);
    if (formal != place.formals->end()) operand.index = 1 + formal->second;
    for (size_t t = 0; t < source.tables.size(); ++t)
      if (source.tables[t].name == operand.symbol && !source.tables[t].labels.empty())
        operand.symbol = *place.tables[t];
  }
  for (Operand& element : operand.elements) move(element, source, place);
}

// --- Calls ---

bool Inliner::emit_call(const Instruction& instruction, const Body& source, const Site& site) {
  const Call call = call_of(instruction);
  if (call.is_by_address()) return call_by_address(instruction, call, source, site);
  const Function* const callee = program_.module.function(call.callee.symbol);
  if (callee && callee->body.empty()) {
    body_.instructions.push_back(instruction);
    if (!callee->noreturn) return true;
    // A separate function cannot end threads; one that returns nevertheless stops the kernel.
    Instruction& gone = add(instruction, active_.front()->is_entry ? Opcode::exit : Opcode::trap);
    gone.predicate = instruction.predicate;
    gone.predicate_negated = instruction.predicate_negated;
    return true;
  }
  if (!callee || callee->is_entry) return fail(instruction, "this is not a function");
  const uint32_t behind = add_label();
  skip_unless(instruction, behind);
  return reach(instruction, *callee, call, behind, site);
}

bool Inliner::call_by_address(const Instruction& at, const Call& call, const Body& source,
                              const Site& site) {
  auto may_be = program_.targets.by_address(call, source);
  if (!may_be) return fail(at, "it does not say what it may call");
  const uint32_t behind = add_label();
  skip_unless(at, behind);
  const std::vector<const Function*> alike = take_alike(*may_be);
  for (const Function* const function : *may_be) {
    const uint32_t next = add_label(), end = add_label();
    const uint32_t address = add_register(Type::b64), same = add_register(Type::pred);
    add(at, Opcode::mov, {}, {Type::u64},
        {register_operand(address), symbol_operand(function->name)});
    add(at, Opcode::setp, {dot::eq}, {Type::u64},
        {register_operand(same), call.callee, register_operand(address)});
    Instruction meant = at;
    meant.predicate = same;
    meant.predicate_negated = false;
    skip_unless(meant, next);
    if (!reach(at, *function, call, end, site)) return false;
    add(at, Opcode::bra, {}, {}, {label_operand(behind)});
    place_label(next);
  }
  if (!alike.empty()) return reach_one_of(at, alike, call, behind, site);
  add(at, Opcode::wildcall, {}, {Type::u64}, {call.callee});
  add(at, Opcode::exit);
  place_label(behind);
  return true;
}

bool Inliner::reach(const Instruction& at, const Function& callee, const Call& call,
                    uint32_t behind, const Site& site) {
  if (program_.separate.contains(&callee)) return call_separate(at, callee, call, behind);
  if (stands_once(callee)) return call_placed_once(at, callee, call, behind);
  const auto component = program_.components.find(&callee);
  if (component == program_.components.end()) return put_in_place(at, callee, call, behind);
  if (open_ && open_->number == component->second) return jump(at, callee, call, behind, site);
  return put_component(at, {&callee}, component->second, call, behind);
}

const Formals& Inliner::formals_of(const Function& separate) {
  const auto [formals, fresh] = program_.formals.try_emplace(&separate);
  if (!fresh) return formals->second;
  program_.called.push_back(&separate);
  for (const auto* const list : {&separate.results, &separate.parameters})
    for (const Variable& formal : *list) {
      formals->second[formal.name] = static_cast<uint32_t>(body_.variables.size());
      body_.variables.push_back(formal);
      body_.variables.back().space = Space::local;  // others see it
    }
  return formals->second;
}

bool Inliner::copy(const Instruction& at, const Variable& formal, const Operand& actual,
                   const Operand& place, bool to_place, Modifier space) {
  if (actual.kind != Operand::Kind::symbol) {
    std::vector<Operand> operands{place, actual};
    if (!to_place) std::swap(operands[0], operands[1]);
    add(at, to_place ? Opcode::st : Opcode::ld, {space}, {formal.type}, std::move(operands));
    return true;
  }
  if (actual.index == 0 || body_.variables[actual.index - 1].bytes() < formal.bytes()) return false;
  const uint64_t bytes = formal.bytes();
  const auto alignment = [](const Variable& variable) {
    return std::max(variable.alignment, size_of(variable.type));
  };
  const uint32_t most = std::min(alignment(formal), alignment(body_.variables[actual.index - 1]));
  for (uint64_t done = 0; done < bytes;) {
    uint32_t piece = std::min<uint32_t>(8, most);
    while (piece > bytes - done) piece /= 2;
    const Type type = bits_of_size(piece);
    const uint32_t held = add_register(piece == 1 ? Type::b16 : type);
    Operand variable = place_operand(actual.index - 1);
    variable.bits = done;
    Operand piece_of_place = place;
    piece_of_place.bits += done;
    add(at, Opcode::ld, {to_place ? dot::param : space}, {type},
        {register_operand(held), to_place ? variable : piece_of_place});
    add(at, Opcode::st, {to_place ? space : dot::param}, {type},
        {to_place ? piece_of_place : variable, register_operand(held)});
    done += piece;
  }
  return true;
}

bool Inliner::pass(const Instruction& at, const std::vector<Variable>& formals,
                   const std::vector<Operand>& actuals,
                   const std::function<Operand(const Variable&)>& place_of, bool to_place,
                   Modifier space) {
  if (formals.size() != actuals.size()) return false;
  for (size_t n = 0; n < formals.size(); ++n)
    if (!copy(at, formals[n], actuals[n], place_of(formals[n]), to_place, space)) return false;
  return true;
}

bool Inliner::call_separate(const Instruction& at, const Function& callee, const Call& call,
                            uint32_t behind) {
  const Formals& places = formals_of(callee);
  const auto place_of = [&](const Variable& formal) {
    return place_operand(places.at(formal.name));
  };
  if (!pass(at, callee.parameters, call.parameters, place_of, true))
    return fail(at, "'" + std::string(callee.name) + "' has other parameters");
  add(at, Opcode::call, {}, {}, {symbol_operand(callee.name)});
  if (!pass(at, callee.results, call.results, place_of, false))
    return fail(at, "'" + std::string(callee.name) + "' gives back something else");
  place_label(behind);
  return true;
}

bool Inliner::put_in_place(const Instruction& at, const Function& function, const Call& call,
                           uint32_t behind) {
  if (call.results.size() != function.results.size() ||
      call.parameters.size() != function.parameters.size())
    return fail(at, "'" + std::string(function.name) + "' has other parameters");
  const Body* const source = program_.body_of(function);
  if (!source) return false;
  Formals formals;
  // The registers of the function's results and parameters come first.
  uint32_t next = static_cast<uint32_t>(body_.registers.size());
  std::vector<Instruction> after;
  const auto bind = [&](const Variable& formal, const Operand& actual, bool result) {
    const bool in_memory = actual.kind == Operand::Kind::symbol && actual.index > 0;
    if (formal.space != Space::reg && in_memory) {
      if (body_.variables[actual.index - 1].bytes() < formal.bytes()) return false;
      formals[formal.name] = actual.index - 1;
      return true;
    }
    if (actual.kind == Operand::Kind::symbol && !in_memory) return false;
    if (actual.kind == Operand::Kind::vector) return false;
    Operand inside;
    if (formal.space == Space::reg) {
      inside = register_operand(next++);
    } else {
      Variable variable = formal;
      variable.space = Space::param;
      formals[formal.name] = static_cast<uint32_t>(body_.variables.size());
      inside = place_operand(formals[formal.name]);
      body_.variables.push_back(std::move(variable));
    }
    Operand outside = actual;
    if (in_memory) outside = place_operand(actual.index - 1);
    const bool from_memory = result ? formal.space != Space::reg : in_memory;
    const bool to_memory = result ? in_memory : formal.space != Space::reg;
    const Opcode opcode = from_memory ? Opcode::ld : to_memory ? Opcode::st : Opcode::mov;
    std::vector<Modifier> modifiers;
    if (from_memory || to_memory) modifiers.push_back(dot::param);
    add(at, opcode, modifiers, {formal.type},
        result ? std::vector<Operand>{outside, inside} : std::vector<Operand>{inside, outside});
    if (!result) return true;
    after.push_back(body_.instructions.back());
    body_.instructions.pop_back();
    return true;
  };
  // Each element of a vector register is passed separately.
  const auto bind_all = [&](const Variable& formal, const Operand& actual, bool result) {
    if (formal.space != Space::reg || formal.vector == 1) return bind(formal, actual, result);
    Variable element = formal;
    element.vector = 1;
    if (actual.elements.size() != formal.vector) return false;
    for (const Operand& part : actual.elements)
      if (!bind(element, part, result)) return false;
    return true;
  };
  for (size_t n = 0; n < call.results.size(); ++n)
    if (!bind_all(function.results[n], call.results[n], true))
      return fail(at, "'" + std::string(function.name) + "' gives back something else");
  for (size_t n = 0; n < call.parameters.size(); ++n)
    if (!bind_all(function.parameters[n], call.parameters[n], false))
      return fail(at, "'" + std::string(function.name) + "' has other parameters");
  const uint32_t end = after.empty() ? behind : add_label();
  if (!nest(at, function) || !append(*source, formals, end)) return false;
  active_.pop_back();
  if (end != behind) place_label(end);
  for (Instruction& instruction : after) body_.instructions.push_back(std::move(instruction));
  place_label(behind);
  return true;
}

bool inline_calls(const Module& module, const Function& function, Body body, const Placing& placing,
                  Bodies& result, Diagnostic& diagnostic) {
  if (std::none_of(body.instructions.begin(), body.instructions.end(),
                   [](const Instruction& i) { return i.opcode == Opcode::call; })) {
    result.push_back({&function, std::move(body), {&function}});
    return true;
  }
  CallProgram program(module, diagnostic);
  CallGraph graph;
  if (!program.find_calls(function, body, graph)) return false;
  program.components = find_recursion(graph);
  for (const auto& [member, number] : program.components)
    program.frame_alignment =
        std::max(program.frame_alignment,
                 frame_alignment(*member, member == &function ? body : program.bodies.at(member)));
  const CallTree tree{function, graph, program.components, [&](const Function& of) -> const Body& {
                        return &of == &function ? body : program.bodies.at(&of);
                      }};
  program.separate = find_separate(tree, placing.most_in_place);
  program.once = find_placed_once(tree, program.separate, placing.most_copied);
  program.components_once = !program.once.functions.empty();
  result.push_back({&function, {}, {&function}});
  program.bodies[&function] = std::move(body);
  if (placing.together && program.components_once)
    result[0].kernels = find_kernels_alike(program, function, graph);
  if (!Inliner(program, result[0].body).run(result[0].kernels)) return false;
  for (size_t n = 0; n < program.called.size(); ++n) {
    const Function& callee = *program.called[n];
    Body next;
    next.variables = result.back().body.variables;
    if (!Inliner(program, next).run(callee)) return false;
    result.push_back({&callee, std::move(next), {}});
  }
  for (OwnBody& one : result) {
    if (&one != &result.back()) one.body.variables = result.back().body.variables;
    promote_parameters(one.body);
  }
  return true;
}

}  // namespace cuvette::ptx
