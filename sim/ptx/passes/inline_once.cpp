// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sim/ptx/passes/inliner.hpp"

namespace cuvette::ptx {

bool Inliner::stands_once(const Function& callee) const {
  return program_.once.functions.contains(&callee) &&
         (!frame_ || !program_.once.before_frames.contains(&callee));
}

bool Inliner::call_placed_once(const Instruction& at, const Function& function, const Call& call,
                               uint32_t behind) {
  const auto [found, first] = once_.try_emplace(&function);
  Once& place = found->second;
  body_.returns_by_number = true;
  if (first) {
    for (const auto* const list : {&function.results, &function.parameters})
      for (const Variable& formal : *list) {
        place.formals[formal.name] = static_cast<uint32_t>(body_.variables.size());
        body_.variables.push_back(formal);
        body_.variables.back().space = Space::param;
      }
    place.entry = add_label();
    place.return_to = add_register(Type::b32);
    place.table = make_name("%returns." + std::to_string(body_.made_names.size()));
  }
  const auto place_of = [&](const Variable& formal) {
    return place_operand(place.formals.at(formal.name));
  };
  if (!pass(at, function.parameters, call.parameters, place_of, true, dot::param))
    return fail(at, "'" + std::string(function.name) + "' has other parameters");
  add(at, Opcode::mov, {}, {Type::u32},
      {register_operand(place.return_to), number_operand(place.returns.size())});
  const uint32_t back = add_label();
  place.returns.push_back(back);
  if (first) {
    const Body* const source = program_.body_of(function);
    if (!source) return false;
    const uint32_t end = add_label();
    place_label(place.entry);
    if (!nest(at, function) || !append(*source, place.formals, end)) return false;
    active_.pop_back();
    place_label(end);
    add(at, Opcode::brx, {dot::idx}, {},
        {register_operand(place.return_to), symbol_operand(*place.table)});
  } else {
    add(at, Opcode::bra, {}, {}, {label_operand(place.entry)});
  }
  place_label(back);
  if (!pass(at, function.results, call.results, place_of, false, dot::param))
    return fail(at, "'" + std::string(function.name) + "' gives back something else");
  place_label(behind);
  return true;
}

void Inliner::finish_returns() {
  const auto finish = [&](std::string_view name, const std::vector<uint32_t>& labels) {
    Body::Table& table = body_.tables.emplace_back();
    table.name = name;
    table.labels = labels;
  };
  for (const auto& [function, place] : once_) finish(*place.table, place.returns);
  if (components_.empty()) return;
  Instruction last = body_.instructions.back();
  last.predicate.reset();
  add(last, Opcode::ret);
  for (const auto& [number, component] : components_) {
    finish_component(last, component);
    finish(*component.table, component.returns);
  }
}

// --- Components that are emitted once ---

std::vector<const Function*> Inliner::take_alike(std::vector<const Function*>& may_be) const {
  std::vector<const Function*> alike;
  if (!program_.components_once) return alike;
  std::erase_if(may_be, [&](const Function* function) {
    const auto component = program_.components.find(function);
    if (component == program_.components.end()) return false;
    if (!alike.empty() && (component->second != program_.components.at(alike[0]) ||
                           places_of_formals(*function) != places_of_formals(*alike[0])))
      return false;
    alike.push_back(function);
    return true;
  });
  return alike;
}

uint32_t Inliner::choice_of(const std::vector<const Function*>& callees) {
  if (!open_->chosen) open_->chosen = add_register(Type::b64);
  const auto [choice, first] = open_->choices.try_emplace(callees);
  if (first) choice->second = add_label();
  for (const Function* const callee : callees) member_of(*callee);  // they are inlined, too
  return choice->second;
}

// The code that keeps and passes values is at the call once, not once for each possible target: a
// program of five hundred target regions has as many functions that its runtime calls by address.
bool Inliner::reach_one_of(const Instruction& at, const std::vector<const Function*>& callees,
                           const Call& call, uint32_t behind, const Site& site) {
  const uint32_t number = program_.components.at(callees[0]);
  if (!open_ || open_->number != number) return put_component(at, callees, number, call, behind);
  const Member* const like = member_of(*callees[0]);
  return like && jump(at, *like, choice_of(callees), &call.callee, call, behind, site);
}

void Inliner::finish_component(const Instruction& at, const Component& component) {
  for (const auto& [callees, label] : component.choices) {
    place_label(label);
    for (const Function* const callee : callees) {
      const uint32_t address = add_register(Type::b64), same = add_register(Type::pred);
      add(at, Opcode::mov, {}, {Type::u64},
          {register_operand(address), symbol_operand(callee->name)});
      add(at, Opcode::setp, {dot::eq}, {Type::u64},
          {register_operand(same), register_operand(*component.chosen), register_operand(address)});
      const uint32_t entry = component.members.at(callee)->entry;
      add(at, Opcode::bra, {}, {}, {label_operand(entry)}).predicate = same;
    }
    add(at, Opcode::wildcall, {}, {Type::u64}, {register_operand(*component.chosen)});
    add(at, Opcode::exit);
  }
  place_label(component.leave);
  jump_by_frame(at, component);
}

}  // namespace cuvette::ptx
