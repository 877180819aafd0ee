// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/passes/inliner.hpp"

namespace cuvette::ptx {

void Inliner::move_stack(const Instruction& at, uint32_t by) {
  add(at, Opcode::add, {}, {Type::u32},
      {register_operand(*stack_), register_operand(*stack_), number_operand(by)});
}

bool Inliner::reach_frame(Instruction& instruction, const Member& member) {
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
        operand = memory_operand(*stack_ + in_frame, operand.bits + *offset);
      }
    } else if (operand.kind == Operand::Kind::symbol) {
      const auto offset = offset_of(operand);
      if (!offset) continue;
      const uint32_t address = add_register(Type::b64);
      add(instruction, Opcode::cvt, {}, {Type::u64, Type::u32},
          {register_operand(address), register_operand(*stack_)});
      add(instruction, Opcode::add, {}, {Type::s64},
          {register_operand(address), register_operand(address),
           number_operand(*offset + operand.bits)});
      operand = register_operand(address + in_frame);
    }
    for (const Operand& element : operand.elements)
      if (element.kind == Operand::Kind::symbol && instruction.opcode == Opcode::call &&
          offset_of(element))
        return fail(instruction, "what a function has been given is passed on as it is");
  }
  return true;
}

Inliner::Member* Inliner::member_of(const Function& function) {
  std::unique_ptr<Member>& member = open_->members[&function];
  if (member) return member.get();
  const Body* const body = program_.body_of(function);
  if (!body) return nullptr;
  member = std::make_unique<Member>(
      Member{open_->number, add_label(), &function, body,
             lay_out_activation(function, *body, program_.frame_alignment)});
  open_->pending.push_back(member.get());
  return member.get();
}

bool Inliner::pass_by_frame(const Instruction& at, const Member& member, const Call& call,
                            uint32_t base, bool results) {
  const Function& function = *member.function;
  const auto& formals = results ? function.results : function.parameters;
  if (std::any_of(formals.begin(), formals.end(),
                  [](const Variable& formal) { return formal.space == Space::reg; }))
    return fail(at, "functions that call themselves with .reg parameters are not implemented");
  const auto place_of = [&](const Variable& formal) {
    return stack_place(base + member.activation.formals.at(formal.name));
  };
  if (!pass(at, formals, results ? call.results : call.parameters, place_of, !results))
    return fail(at, "'" + std::string(function.name) + "' has other parameters");
  return true;
}

void Inliner::keep(const Instruction& at, uint32_t index, const Operand& place, bool save) {
  const Type type = body_.registers[index].type;
  const Operand kept = register_operand(index);
  if (type != Type::pred) {
    if (save)
      add(at, Opcode::st, {dot::local}, {bits_of_size(size_of(type))}, {place, kept});
    else
      add(at, Opcode::ld, {dot::local}, {bits_of_size(size_of(type))}, {kept, place});
    return;
  }
  const Operand number = register_operand(add_register(Type::b32));
  if (save) {
    add(at, Opcode::selp, {}, {Type::b32}, {number, number_operand(1), number_operand(0), kept});
    add(at, Opcode::st, {dot::local}, {Type::b32}, {place, number});
  } else {
    add(at, Opcode::ld, {dot::local}, {Type::b32}, {number, place});
    add(at, Opcode::setp, {dot::ne}, {Type::b32}, {kept, number, number_operand(0)});
  }
}

bool Inliner::jump(const Instruction& at, const Function& callee, const Call& call, uint32_t behind,
                   const Site& site) {
  const Member* const target = member_of(callee);
  return target && jump(at, *target, target->entry, nullptr, call, behind, site);
}

bool Inliner::jump(const Instruction& at, const Member& target, uint32_t entry,
                   const Operand* chosen, const Call& call, uint32_t behind, const Site& site) {
  const Activation& own = site.member->activation;
  const auto needed = needed_behind(own, *site.member->body, site.instruction);
  const auto each = [&](bool save) {
    for (size_t n = 0; n < needed.size(); ++n)
      keep(at, site.registers + needed[n],
           stack_place(own.saved + static_cast<uint32_t>(Activation::saved_bytes * n)), save);
  };
  for (const uint32_t r : needed)
    if (size_of(body_.registers[site.registers + r].type) > Activation::saved_bytes)
      return fail(at, "registers of 128 bits that live across such a call are not implemented");
  each(true);
  if (!pass_by_frame(at, target, call, own.bytes, false)) return false;
  const auto place = static_cast<uint32_t>(open_->returns.size());
  const uint32_t back = add_label();
  open_->returns.push_back(back);
  add(at, Opcode::st, {dot::local}, {Type::u32}, {stack_place(own.bytes), number_operand(place)});
  move_stack(at, own.bytes);
  if (chosen) add(at, Opcode::mov, {}, {Type::u64}, {register_operand(*open_->chosen), *chosen});
  add(at, Opcode::bra, {}, {}, {label_operand(entry)});
  place_label(back);
  move_stack(at, 0u - own.bytes);
  each(false);
  if (!pass_by_frame(at, target, call, own.bytes, true)) return false;
  place_label(behind);
  return true;
}

void Inliner::return_by_frame(const Instruction& at) {
  const uint32_t skip = add_label();
  skip_unless(at, skip);
  if (program_.components_once) {
    add(at, Opcode::bra, {}, {}, {label_operand(open_->leave)});
  } else {
    jump_by_frame(at, *open_);
  }
  place_label(skip);
}

void Inliner::jump_by_frame(const Instruction& at, const Component& component) {
  const uint32_t place = add_register(Type::b32);
  add(at, Opcode::ld, {dot::local}, {Type::u32}, {register_operand(place), stack_place(0)});
  add(at, Opcode::brx, {dot::idx}, {}, {register_operand(place), symbol_operand(*component.table)});
}

bool Inliner::put_component(const Instruction& at, const std::vector<const Function*>& callees,
                            uint32_t number_of, const Call& call, uint32_t behind) {
  if (!stack_) {
    Variable variable;
    variable.name = stack_name;
    variable.space = Space::local;
    variable.alignment = program_.frame_alignment;
    body_.variables.push_back(variable);
    stack_variable_ = static_cast<uint32_t>(body_.variables.size());
    stack_ = add_register(Type::b32);
  }
  body_.returns_by_number = true;
  // Another component may be under way, but none of its functions is called before this is done.
  const Member* const caller = frame_;
  const uint32_t below = caller ? caller->activation.bytes : 0;
  if (caller) {
    move_stack(at, below);
  } else {
    Operand begin = symbol_operand({});
    begin.index = stack_variable_;
    add(at, Opcode::mov, {}, {Type::u32}, {register_operand(*stack_), begin});
  }
  Component only_here;
  Component& component = program_.components_once ? components_[number_of] : only_here;
  const bool is_first = component.returns.empty();
  if (is_first) {
    component.number = number_of;
    component.table = make_name("%returns." + std::to_string(body_.made_names.size()));
    component.leave = add_label();
  }
  const auto place = static_cast<uint32_t>(component.returns.size());
  const uint32_t back = add_label();
  component.returns.push_back(back);
  Component* const outer = std::exchange(open_, &component);
  const Member* const first = member_of(*callees[0]);
  if (!first || !pass_by_frame(at, *first, call, 0, false)) return false;
  add(at, Opcode::st, {dot::local}, {Type::u32}, {stack_place(0), number_operand(place)});
  if (callees.size() > 1) {
    const uint32_t choice = choice_of(callees);
    add(at, Opcode::mov, {}, {Type::u64}, {register_operand(*open_->chosen), call.callee});
    add(at, Opcode::bra, {}, {}, {label_operand(choice)});
  } else if (!is_first) {
    add(at, Opcode::bra, {}, {}, {label_operand(first->entry)});
  }
  // If it is already emitted, so is every member: each reaches all others.
  while (!component.pending.empty()) {
    const Member* const member = component.pending.back();
    component.pending.pop_back();
    place_label(member->entry);
    frame_ = member;
    if (!nest(at, *member->function) || !append(*member->body, {}, {}, member)) return false;
    active_.pop_back();
    // For a body that runs past its end.
    Instruction last = at;
    last.predicate.reset();
    return_by_frame(last);
  }
  frame_ = caller;
  open_ = outer;
  place_label(back);
  if (!program_.components_once) {
    Body::Table& table = body_.tables.emplace_back();
    table.name = *component.table;
    table.labels = component.returns;
  }
  if (!pass_by_frame(at, *first, call, 0, true)) return false;
  if (frame_) move_stack(at, 0u - below);
  place_label(behind);
  return true;
}

}  // namespace cuvette::ptx
