// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/inline.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/ptx/parser.hpp"
#include "sim/ptx/passes/recursion.hpp"

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
    CallGraph graph;
    if (!find_calls(function, source, graph)) return false;
    components_ = find_recursion(graph);
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

  // A function of the component that is being put in place.
  struct Member {
    uint32_t number, entry;  // of its component; the label where it begins
    const Function* function;
    const Body* body;
    Activation activation;
  };
  struct Component {
    uint32_t number;
    std::map<const Function*, std::unique_ptr<Member>> members;
    std::vector<Member*> pending;
    std::vector<uint32_t> returns;  // labels; an activation's frame holds the number of one
    std::shared_ptr<const std::string> table;
  };
  // Where a call stands in the body of a member of a component.
  struct Site {
    const Member* member;
    uint32_t instruction, registers;
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
  // for the kernel itself and for a member of a component, which returns by its frame.
  bool append(const Body& source, const Formals& formals, std::optional<uint32_t> behind,
              const Member* member = nullptr) {
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
      if (member && member->activation.variables[v] != Activation::elsewhere) {
        place.variables.push_back(UINT32_MAX);
        continue;
      }
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
      if (member && !reach_frame(copy, *member)) return false;
      for (Operand& operand : copy.operands) move(operand, source, place);
      if (behind && copy.opcode == "ret") {
        if (&instruction == &source.instructions.back() && !copy.predicate) continue;
        copy.text = copy.opcode = "bra";
        copy.operands = {label_operand(*behind)};
      }
      // A pointer to a parameter of a function is one to the thread's own memory.
      if (member && copy.opcode == "ret") {
        return_by_frame(copy);
        continue;
      }
      if ((behind || member) && (copy.opcode == "ld" || copy.opcode == "st"))
        for (std::string_view& modifier : copy.modifiers)
          if ((modifier == "param" || modifier == "param::func") &&
              !copy.operands[copy.opcode == "ld" ? 1 : 0].base_is_symbol)
            modifier = "local";
      if (copy.opcode == "call") {
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

  void move(Operand& operand, const Body& source, const Place& place) {
    if (operand.kind == Operand::Kind::reg && operand.index >= in_frame) {
      operand.index -= in_frame;
      return;
    }
    if (operand.kind == Operand::Kind::address && operand.has_base && !operand.base_is_symbol &&
        operand.index >= in_frame) {
      operand.index -= in_frame;
      return;
    }
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

  bool emit_call(const Instruction& instruction, const Body& source, const Site& site) {
    const Call call = call_of(instruction);
    if (call.callee.kind == Operand::Kind::reg)
      return call_by_address(instruction, call, source, site);
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
    const uint32_t behind = add_label();
    if (instruction.predicate) {
      Instruction& skip = add(instruction, "bra", {}, {}, {label_operand(behind)});
      skip.predicate = instruction.predicate;
      skip.predicate_negated = !instruction.predicate_negated;
    }
    return reach(instruction, *callee, call, behind, site);
  }

  // In the way that the function asks for; the label lies behind it.
  bool reach(const Instruction& at, const Function& callee, const Call& call, uint32_t behind,
             const Site& site) {
    const auto component = components_.find(&callee);
    if (component == components_.end()) return put_in_place(at, callee, call, behind);
    if (open_ && open_->number == component->second) return jump(at, callee, call, behind, site);
    return put_component(at, callee, component->second, call, behind);
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

  // --- Functions that come back to themselves (recursion.hpp) ---

  // Added to registers of the body among those of a function, which are still to be moved.
  static constexpr uint32_t in_frame = 1u << 30;

  Operand stack_place(uint32_t offset) const {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.has_base = true;
    operand.index = *stack_;
    operand.bits = offset;
    return operand;
  }
  static Operand number(uint64_t value) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.bits = value;
    return operand;
  }
  void move_stack(const Instruction& at, uint32_t by) {
    add(at, "add", {}, {Type::u32},
        {register_operand(*stack_), register_operand(*stack_), number(by)});
  }

  // Formals and variables that lie in the frame become addresses there.
  bool reach_frame(Instruction& instruction, const Member& member) {
    const auto offset_of = [&](const Operand& operand) -> std::optional<uint32_t> {
      if (operand.index > 0) {
        const uint32_t offset = member.activation.variables[operand.index - 1];
        if (offset == Activation::elsewhere) return std::nullopt;
        return offset;
      }
      const auto formal = member.activation.formals.find(operand.symbol);
      if (formal == member.activation.formals.end()) return std::nullopt;
      return formal->second;
    };
    for (Operand& operand : instruction.operands) {
      if (operand.kind == Operand::Kind::address && operand.base_is_symbol) {
        if (const auto offset = offset_of(operand)) {
          const uint64_t bits = operand.bits + *offset;
          operand = stack_place(0);
          operand.index += in_frame;
          operand.bits = bits;
        }
      } else if (operand.kind == Operand::Kind::symbol) {
        const auto offset = offset_of(operand);
        if (!offset) continue;
        const uint32_t address = add_register(Type::b64);
        add(instruction, "cvt", {}, {Type::u64, Type::u32},
            {register_operand(address), register_operand(*stack_)});
        add(instruction, "add", {}, {Type::s64},
            {register_operand(address), register_operand(address), number(*offset + operand.bits)});
        operand = register_operand(address + in_frame);
      }
      for (const Operand& element : operand.elements)
        if (element.kind == Operand::Kind::symbol && instruction.opcode == "call" &&
            offset_of(element))
          return fail(instruction, "what a function has been given is passed on as it is");
    }
    return true;
  }

  // Between a variable of the body or a register and a place on the stack.
  bool copy(const Instruction& at, const Variable& formal, const Operand& actual, uint32_t offset,
            bool to_stack) {
    if (actual.kind != Operand::Kind::symbol) {
      std::vector<Operand> operands{stack_place(offset), actual};
      if (!to_stack) std::swap(operands[0], operands[1]);
      add(at, to_stack ? "st" : "ld", {"local"}, {formal.type}, std::move(operands));
      return true;
    }
    if (actual.index == 0 || body_.variables[actual.index - 1].bytes() < formal.bytes())
      return false;
    const uint64_t bytes = formal.bytes();
    for (uint64_t done = 0; done < bytes;) {
      uint32_t piece = std::min<uint32_t>(8, std::max(formal.alignment, size_of(formal.type)));
      while (piece > bytes - done) piece /= 2;
      const Type type = piece == 8   ? Type::b64
                        : piece == 4 ? Type::b32
                        : piece == 2 ? Type::b16
                                     : Type::b8;
      const uint32_t held = add_register(piece == 1 ? Type::b16 : type);
      Operand variable = place_operand(actual.index - 1);
      variable.bits = done;
      const Operand on_stack = stack_place(static_cast<uint32_t>(offset + done));
      add(at, "ld", {to_stack ? "param" : "local"}, {type},
          {register_operand(held), to_stack ? variable : on_stack});
      add(at, "st", {to_stack ? "local" : "param"}, {type},
          {to_stack ? on_stack : variable, register_operand(held)});
      done += piece;
    }
    return true;
  }

  Member* member_of(const Function& function) {
    std::unique_ptr<Member>& member = open_->members[&function];
    if (member) return member.get();
    const Body* const body = body_of(function);
    if (!body) return nullptr;
    member = std::make_unique<Member>(
        Member{open_->number, add_label(), &function, body, lay_out_activation(function, *body)});
    open_->pending.push_back(member.get());
    return member.get();
  }

  // Fills a frame at `base` bytes above the stack's pointer, and what it gives back from it.
  bool pass(const Instruction& at, const Member& member, const Call& call, uint32_t base,
            bool results) {
    const Function& function = *member.function;
    const auto& formals = results ? function.results : function.parameters;
    const auto& actuals = results ? call.results : call.parameters;
    if (formals.size() != actuals.size())
      return fail(at, "'" + std::string(function.name) + "' has other parameters");
    for (size_t n = 0; n < formals.size(); ++n) {
      if (formals[n].space == Space::reg)
        return fail(at, "functions that call themselves with .reg parameters are not implemented");
      if (!copy(at, formals[n], actuals[n], base + member.activation.formals.at(formals[n].name),
                !results))
        return fail(at, "'" + std::string(function.name) + "' has other parameters");
    }
    return true;
  }

  // Of a member to a member: what is needed behind it is kept meanwhile.
  bool jump(const Instruction& at, const Function& callee, const Call& call, uint32_t behind,
            const Site& site) {
    Member* const target = member_of(callee);
    if (!target) return false;
    const Activation& own = site.member->activation;
    const auto needed = needed_behind(own, *site.member->body, site.instruction);
    const auto each = [&](bool save) {
      for (size_t n = 0; n < needed.size(); ++n) {
        const uint32_t r = site.registers + needed[n];
        const Type type = body_.registers[r].type;
        const Operand place = stack_place(own.saved + static_cast<uint32_t>(8 * n));
        if (size_of(type) > 8) return false;
        if (type == Type::pred) {
          const uint32_t number_of = add_register(Type::b32);
          if (save) {
            add(at, "selp", {}, {Type::b32},
                {register_operand(number_of), number(1), number(0), register_operand(r)});
            add(at, "st", {"local"}, {Type::b32}, {place, register_operand(number_of)});
          } else {
            add(at, "ld", {"local"}, {Type::b32}, {register_operand(number_of), place});
            add(at, "setp", {"ne"}, {Type::b32},
                {register_operand(r), register_operand(number_of), number(0)});
          }
          continue;
        }
        const Type bits = size_of(type) == 8   ? Type::b64
                          : size_of(type) == 4 ? Type::b32
                          : size_of(type) == 2 ? Type::b16
                                               : Type::b8;
        add(at, save ? "st" : "ld", {"local"}, {bits},
            save ? std::vector<Operand>{place, register_operand(r)}
                 : std::vector<Operand>{register_operand(r), place});
      }
      return true;
    };
    if (!each(true))
      return fail(at, "registers of 128 bits behind such a call are not implemented");
    if (!pass(at, *target, call, own.bytes, false)) return false;
    const auto place = static_cast<uint32_t>(open_->returns.size());
    const uint32_t back = add_label();
    open_->returns.push_back(back);
    add(at, "st", {"local"}, {Type::u32}, {stack_place(own.bytes), number(place)});
    move_stack(at, own.bytes);
    add(at, "bra", {}, {}, {label_operand(target->entry)});
    place_label(back);
    move_stack(at, 0u - own.bytes);
    each(false);
    if (!pass(at, *target, call, own.bytes, true)) return false;
    place_label(behind);
    return true;
  }

  void return_by_frame(const Instruction& at) {
    const uint32_t skip = add_label();
    if (at.predicate) {
      Instruction& branch = add(at, "bra", {}, {}, {label_operand(skip)});
      branch.predicate = at.predicate;
      branch.predicate_negated = !at.predicate_negated;
    }
    const uint32_t place = add_register(Type::b32);
    Operand table;
    table.kind = Operand::Kind::symbol;
    table.symbol = *open_->table;
    add(at, "ld", {"local"}, {Type::u32}, {register_operand(place), stack_place(0)});
    add(at, "brx", {"idx"}, {}, {register_operand(place), table});
    place_label(skip);
  }

  // A call from outside: all functions of the component that it comes to.
  bool put_component(const Instruction& at, const Function& callee, uint32_t number_of,
                     const Call& call, uint32_t behind) {
    if (!stack_) {
      Variable variable;
      variable.name = stack_name;
      variable.space = Space::local;
      variable.alignment = 16;
      body_.variables.push_back(variable);
      stack_variable_ = static_cast<uint32_t>(body_.variables.size());
      stack_ = add_register(Type::b32);
    }
    // Another component may be under way, but none of its functions is called before this is done.
    const uint32_t below = frame_ ? frame_->activation.bytes : 0;
    if (frame_) {
      move_stack(at, below);
    } else {
      Operand begin;
      begin.kind = Operand::Kind::symbol;
      begin.index = stack_variable_;
      add(at, "mov", {}, {Type::u32}, {register_operand(*stack_), begin});
    }
    Component component;
    component.number = number_of;
    component.table =
        std::make_shared<const std::string>("%returns." + std::to_string(body_.made_names.size()));
    body_.made_names.push_back(component.table);
    component.returns.push_back(add_label());
    Component* const outer = std::exchange(open_, &component);
    const Member* const caller = frame_;
    const Member* const first = member_of(callee);
    if (!first || !pass(at, *first, call, 0, false)) return false;
    add(at, "st", {"local"}, {Type::u32}, {stack_place(0), number(0)});
    while (!component.pending.empty()) {
      Member* const member = component.pending.back();
      component.pending.pop_back();
      place_label(member->entry);
      frame_ = member;
      active_.push_back(member->function);
      if (!append(*member->body, no_formals_, {}, member)) return false;
      active_.pop_back();
      // Of a body that runs over its end.
      Instruction last = at;
      last.predicate.reset();
      return_by_frame(last);
    }
    frame_ = caller;
    open_ = outer;
    place_label(component.returns[0]);
    Body::Table& table = body_.tables.emplace_back();
    table.name = *component.table;
    table.labels = component.returns;
    if (!pass(at, *first, call, 0, true)) return false;
    if (frame_) move_stack(at, 0u - below);
    place_label(behind);
    return true;
  }

  // --- By address ---

  // What a call by address may mean; nothing if it does not say.
  std::optional<std::vector<const Function*>> candidates(const Call& call, const Body& source) {
    const Body::Prototype* prototype = nullptr;
    const Body::Table* targets = nullptr;
    for (const Body::Prototype& one : source.prototypes)
      if (one.name == call.prototype) prototype = &one;
    for (const Body::Table& one : source.tables)
      if (one.name == call.prototype) targets = &one;
    if (!prototype && !targets) return std::nullopt;
    std::vector<const Function*> result;
    for (const Function& function : module_.functions) {
      if (function.is_entry || function.body.empty()) continue;
      if (targets &&
          !std::count(targets->functions.begin(), targets->functions.end(), function.name))
        continue;
      if (prototype &&
          !(fits(function.results, prototype->results) &&
            fits(function.parameters, prototype->parameters) && address_is_taken(function)))
        continue;
      result.push_back(&function);
    }
    return result;
  }

  // Adds what the function calls, and what that calls.
  bool find_calls(const Function& function, const Body& source, CallGraph& graph) {
    if (graph.contains(&function)) return true;
    std::vector<const Function*> callees;
    for (const Instruction& instruction : source.instructions) {
      if (instruction.opcode != "call") continue;
      const Call call = call_of(instruction);
      if (call.callee.kind == Operand::Kind::reg) {
        const auto may_be = candidates(call, source);
        if (!may_be) return fail(instruction, "it does not say what it may call");
        callees.insert(callees.end(), may_be->begin(), may_be->end());
      } else if (const Function* const callee = module_.function(call.callee.symbol);
                 callee && !callee->body.empty() && !callee->is_entry) {
        callees.push_back(callee);
      }
    }
    graph[&function] = callees;
    for (const Function* const callee : callees) {
      const Body* const body = body_of(*callee);
      if (!body || !find_calls(*callee, *body, graph)) return false;
    }
    return true;
  }

  bool call_by_address(const Instruction& at, const Call& call, const Body& source,
                       const Site& site) {
    const auto may_be = candidates(call, source);
    if (!may_be) return fail(at, "it does not say what it may call");
    const uint32_t behind = add_label();
    if (at.predicate) {
      Instruction& skip = add(at, "bra", {}, {}, {label_operand(behind)});
      skip.predicate = at.predicate;
      skip.predicate_negated = !at.predicate_negated;
    }
    for (const Function* const one : *may_be) {
      const Function& function = *one;
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
      if (!reach(at, function, call, end, site)) return false;
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

  std::map<const Function*, uint32_t> components_;
  Component* open_ = nullptr;      // the component that is being put in place
  const Member* frame_ = nullptr;  // whose frame is the stack's last
  std::optional<uint32_t> stack_;  // the register that points to the last frame
  uint32_t stack_variable_ = 0;    // 1 + its number
  const Formals no_formals_;
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
