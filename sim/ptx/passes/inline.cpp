// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/inline.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <string>

#include "sim/ptx/parser.hpp"

namespace cuvette::ptx {
namespace {

// More than any program needs, and less than a compiler can take.
constexpr size_t most_instructions = 1u << 20;

struct Call {
  std::vector<Operand> results, parameters;
  Operand callee;
  std::string_view prototype;  // or a list of targets, of a call by address
};

Call call_of(const Instruction& instruction) {
  Call call;
  size_t at = 0;
  const auto& operands = instruction.operands;
  if (!operands.empty() && operands[0].kind == Operand::Kind::vector)
    call.results = operands[at++].elements;
  if (at < operands.size()) call.callee = operands[at++];
  if (at < operands.size() && operands[at].kind == Operand::Kind::vector)
    call.parameters = operands[at++].elements;
  if (at < operands.size()) call.prototype = operands[at].symbol;
  return call;
}

Operand register_operand(uint32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = index;
  return operand;
}

Operand label_operand(uint32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::label;
  operand.index = index;
  return operand;
}

// The whole variable: [variable].
Operand place_operand(uint32_t variable) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  operand.has_base = operand.base_is_symbol = true;
  operand.index = 1 + variable;
  return operand;
}

class Inliner {
 public:
  Inliner(const Module& module, Body& body, Diagnostic& diagnostic)
      : module_(module), body_(body), diagnostic_(diagnostic) {}

  bool run(const Function& function, const Body& source) {
    active_.push_back(&function);
    return append(source, {}, {});
  }

 private:
  using Formals = std::map<std::string_view, uint32_t>;  // to a variable of the body

  // What the parts of a function have become in the body.
  struct Place {
    uint32_t registers, labels;
    std::vector<uint32_t> variables;
    const Formals* formals;
    std::vector<std::shared_ptr<const std::string>> tables;
  };

  bool fail(const Instruction& at, std::string sentence) {
    diagnostic_ = {Error::invalid_ptx, at.line, std::string(at.text), std::move(sentence)};
    return false;
  }

  Instruction& add(const Instruction& like, std::string_view opcode,
                   std::vector<std::string_view> modifiers, std::vector<Type> types,
                   std::vector<Operand> operands) {
    Instruction& instruction = body_.instructions.emplace_back();
    instruction.text = instruction.opcode = opcode;
    instruction.modifiers = std::move(modifiers);
    instruction.types = std::move(types);
    instruction.operands = std::move(operands);
    instruction.line = like.line;
    instruction.source_file = like.source_file;
    instruction.source_line = like.source_line;
    return instruction;
  }

  uint32_t add_register(Type type) {
    body_.registers.push_back({type});
    return static_cast<uint32_t>(body_.registers.size() - 1);
  }
  uint32_t add_label() {
    body_.labels.push_back(0);
    body_.label_names.emplace_back();
    return static_cast<uint32_t>(body_.labels.size() - 1);
  }
  void place_label(uint32_t label) {
    body_.labels[label] = static_cast<uint32_t>(body_.instructions.size());
  }
  uint32_t add_variable(const Variable& like) {
    Variable variable = like;
    variable.space = Space::param;
    body_.variables.push_back(variable);
    return static_cast<uint32_t>(body_.variables.size() - 1);
  }

  // Appends the function on top of active_. `behind`: the label that its `ret`s lead to; nothing
  // for the kernel itself.
  bool append(const Body& source, const Formals& formals, std::optional<uint32_t> behind) {
    Place place;
    place.registers = static_cast<uint32_t>(body_.registers.size());
    place.labels = static_cast<uint32_t>(body_.labels.size());
    place.formals = &formals;
    body_.registers.insert(body_.registers.end(), source.registers.begin(), source.registers.end());
    body_.labels.resize(body_.labels.size() + source.labels.size());
    body_.label_names.insert(body_.label_names.end(), source.label_names.begin(),
                             source.label_names.end());
    for (uint32_t v = 0; v < source.variables.size(); ++v) {
      // No two calls of a function run at the same time: they share what they keep in memory.
      const bool own = source.variables[v].space == Space::param;
      const auto known = shared_.find({active_.back(), v});
      if (!own && known != shared_.end()) {
        place.variables.push_back(known->second);
        continue;
      }
      place.variables.push_back(static_cast<uint32_t>(body_.variables.size()));
      if (!own) shared_[{active_.back(), v}] = place.variables.back();
      body_.variables.push_back(source.variables[v]);
    }
    for (const Body::Table& table : source.tables) {
      Body::Table& copy = body_.tables.emplace_back(table);
      for (uint32_t& label : copy.labels) label += place.labels;
      const auto name = std::make_shared<const std::string>(std::string(table.name) + "." +
                                                            std::to_string(body_.tables.size()));
      body_.made_names.push_back(name);
      place.tables.push_back(name);
      copy.name = *name;
    }
    std::vector<uint32_t> positions;
    for (const Instruction& instruction : source.instructions) {
      positions.push_back(static_cast<uint32_t>(body_.instructions.size()));
      if (body_.instructions.size() > most_instructions)
        return fail(instruction, "with all that it calls this kernel is too large");
      Instruction copy = instruction;
      if (copy.predicate) *copy.predicate += place.registers;
      for (Operand& operand : copy.operands) move(operand, source, place);
      if (behind && copy.opcode == "ret") {
        if (&instruction == &source.instructions.back() && !copy.predicate) continue;
        copy.text = copy.opcode = "bra";
        copy.operands = {label_operand(*behind)};
      }
      // A pointer to a parameter of a function is one to the thread's own memory.
      if (behind && (copy.opcode == "ld" || copy.opcode == "st"))
        for (std::string_view& modifier : copy.modifiers)
          if ((modifier == "param" || modifier == "param::func") &&
              !copy.operands[copy.opcode == "ld" ? 1 : 0].base_is_symbol)
            modifier = "local";
      if (copy.opcode == "call") {
        if (!emit_call(copy, source)) return false;
      } else {
        body_.instructions.push_back(std::move(copy));
      }
    }
    positions.push_back(static_cast<uint32_t>(body_.instructions.size()));
    for (size_t l = 0; l < source.labels.size(); ++l)
      body_.labels[place.labels + l] = positions[source.labels[l]];
    return true;
  }

  void move(Operand& operand, const Body& source, const Place& place) {
    const bool named = operand.kind == Operand::Kind::symbol ||
                       (operand.kind == Operand::Kind::address && operand.base_is_symbol);
    if (operand.kind == Operand::Kind::reg ||
        (operand.kind == Operand::Kind::address && operand.has_base && !named)) {
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

  bool emit_call(const Instruction& instruction, const Body& source) {
    const Call call = call_of(instruction);
    if (call.callee.kind == Operand::Kind::reg) return call_by_address(instruction, call, source);
    const Function* const callee = module_.function(call.callee.symbol);
    if (callee && callee->body.empty()) {
      body_.instructions.push_back(instruction);
      if (!callee->noreturn) return true;
      Instruction& gone = add(instruction, "exit", {}, {}, {});
      gone.predicate = instruction.predicate;
      gone.predicate_negated = instruction.predicate_negated;
      return true;
    }
    if (!callee || callee->is_entry) return fail(instruction, "this is no function");
    if (std::count(active_.begin(), active_.end(), callee))
      return fail(instruction,
                  "'" + std::string(callee->name) + "' calls itself, which is not implemented");
    const uint32_t behind = add_label();
    if (instruction.predicate) {
      Instruction& skip = add(instruction, "bra", {}, {}, {label_operand(behind)});
      skip.predicate = instruction.predicate;
      skip.predicate_negated = !instruction.predicate_negated;
    }
    return put_in_place(instruction, *callee, call, behind);
  }

  const Body* body_of(const Function& function) {
    const auto known = bodies_.find(&function);
    if (known != bodies_.end()) return &known->second;
    Body body;
    if (!read_body(module_, function, body, diagnostic_)) return nullptr;
    return &(bodies_[&function] = std::move(body));
  }

  // The function, and the label behind it.
  bool put_in_place(const Instruction& at, const Function& function, const Call& call,
                    uint32_t behind) {
    if (call.results.size() != function.results.size() ||
        call.parameters.size() != function.parameters.size())
      return fail(at, "'" + std::string(function.name) + "' has other parameters");
    const Body* const source = body_of(function);
    if (!source) return false;
    Formals formals;
    // Registers of the function that are its results and parameters come first.
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
      Operand inside;
      if (formal.space == Space::reg) {
        inside = register_operand(next++);
      } else {
        formals[formal.name] = add_variable(formal);
        inside = place_operand(formals[formal.name]);
      }
      Operand outside = actual;
      if (in_memory) outside = place_operand(actual.index - 1);
      const bool from_memory = result ? formal.space != Space::reg : in_memory;
      const bool to_memory = result ? in_memory : formal.space != Space::reg;
      const std::string_view opcode = from_memory ? "ld" : to_memory ? "st" : "mov";
      std::vector<std::string_view> modifiers;
      if (from_memory || to_memory) modifiers.push_back("param");
      add(at, opcode, modifiers, {formal.type},
          result ? std::vector<Operand>{outside, inside} : std::vector<Operand>{inside, outside});
      if (!result) return true;
      after.push_back(body_.instructions.back());
      body_.instructions.pop_back();
      return true;
    };
    for (size_t n = 0; n < call.results.size(); ++n)
      if (!bind(function.results[n], call.results[n], true))
        return fail(at, "'" + std::string(function.name) + "' gives back something else");
    for (size_t n = 0; n < call.parameters.size(); ++n)
      if (!bind(function.parameters[n], call.parameters[n], false))
        return fail(at, "'" + std::string(function.name) + "' has other parameters");
    const uint32_t end = after.empty() ? behind : add_label();
    active_.push_back(&function);
    if (!append(*source, formals, end)) return false;
    active_.pop_back();
    if (end != behind) place_label(end);
    for (Instruction& instruction : after) body_.instructions.push_back(std::move(instruction));
    place_label(behind);
    return true;
  }

  // --- By address ---

  bool call_by_address(const Instruction& at, const Call& call, const Body& source) {
    const Body::Prototype* prototype = nullptr;
    const Body::Table* targets = nullptr;
    for (const Body::Prototype& one : source.prototypes)
      if (one.name == call.prototype) prototype = &one;
    for (const Body::Table& one : source.tables)
      if (one.name == call.prototype) targets = &one;
    if (!prototype && !targets) return fail(at, "it does not say what it may call");
    const uint32_t behind = add_label();
    if (at.predicate) {
      Instruction& skip = add(at, "bra", {}, {}, {label_operand(behind)});
      skip.predicate = at.predicate;
      skip.predicate_negated = !at.predicate_negated;
    }
    for (const Function& function : module_.functions) {
      if (function.is_entry || function.body.empty()) continue;
      if (targets &&
          !std::count(targets->functions.begin(), targets->functions.end(), function.name))
        continue;
      if (prototype &&
          !(fits(function.results, prototype->results) &&
            fits(function.parameters, prototype->parameters) && address_is_taken(function)))
        continue;
      if (std::count(active_.begin(), active_.end(), &function)) continue;
      const uint32_t next = add_label();
      const uint32_t address = add_register(Type::b64), same = add_register(Type::pred);
      Operand name;
      name.kind = Operand::Kind::symbol;
      name.symbol = function.name;
      add(at, "mov", {}, {Type::u64}, {register_operand(address), name});
      add(at, "setp", {"eq"}, {Type::u64},
          {register_operand(same), call.callee, register_operand(address)});
      Instruction& skip = add(at, "bra", {}, {}, {label_operand(next)});
      skip.predicate = same;
      skip.predicate_negated = true;
      const uint32_t end = add_label();
      if (!put_in_place(at, function, call, end)) return false;
      add(at, "bra", {}, {}, {label_operand(behind)});
      place_label(next);
    }
    add(at, "trap", {}, {}, {});
    add(at, "exit", {}, {}, {});
    place_label(behind);
    return true;
  }

  static bool fits(const std::vector<Variable>& a, const std::vector<Variable>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Variable& x, const Variable& y) {
                        return x.bytes() == y.bytes() && x.space == y.space;
                      });
  }

  // An initialiser or a mov names it.
  bool address_is_taken(const Function& function) {
    const auto known = taken_.find(&function);
    if (known != taken_.end()) return known->second;
    bool taken = false;
    for (const Variable& variable : module_.variables)
      for (const Initialiser& value : variable.values) taken |= value.symbol == function.name;
    const std::string_view text = module_.text, name = function.name;
    const auto in_name = [](char c) { return isalnum(c) || c == '_' || c == '$' || c == '%'; };
    for (size_t at = 0; !taken && (at = text.find(name, at)) != text.npos; at += name.size()) {
      if (in_name(text[at - 1]) || in_name(text[at + name.size()])) continue;
      const size_t begin = text.find_last_of(";{}:", at);
      const size_t word = text.find_first_not_of(" \t\r\n", begin + 1);
      taken = text.substr(word, 4) == "mov.";
    }
    return taken_[&function] = taken;
  }

  const Module& module_;
  Body& body_;
  Diagnostic& diagnostic_;
  std::vector<const Function*> active_;
  std::map<const Function*, Body> bodies_;
  std::map<std::pair<const Function*, uint32_t>, uint32_t> shared_;
  std::map<const Function*, bool> taken_;
};

}  // namespace

bool inline_calls(const Module& module, const Function& function, Body& body,
                  Diagnostic& diagnostic) {
  if (std::none_of(body.instructions.begin(), body.instructions.end(),
                   [](const Instruction& i) { return i.opcode == "call"; }))
    return true;
  Body whole;
  if (!Inliner(module, whole, diagnostic).run(function, body)) return false;
  body = std::move(whole);
  promote_parameters(body);
  return true;
}

}  // namespace cuvette::ptx
