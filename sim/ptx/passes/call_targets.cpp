// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/call_targets.hpp"

#include <algorithm>
#include <cctype>

namespace cuvette::ptx {
namespace {

bool fits(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Variable& x, const Variable& y) {
                      return x.bytes() == y.bytes() && x.space == y.space;
                    });
}

template <typename Named>
const Named* named(const std::vector<Named>& all, std::string_view name) {
  for (const Named& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace

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

std::optional<std::vector<const Function*>> CallTargets::by_address(const Call& call,
                                                                    const Body& source) {
  const Body::Prototype* const prototype = named(source.prototypes, call.prototype);
  const Body::Table* const targets = named(source.tables, call.prototype);
  if (!prototype && !targets) return std::nullopt;
  const auto is_meant = [&](const Function& function) {
    if (function.is_entry || function.body.empty()) return false;
    if (targets && !std::count(targets->functions.begin(), targets->functions.end(), function.name))
      return false;
    return !prototype ||
           (fits(function.results, prototype->results) &&
            fits(function.parameters, prototype->parameters) && address_is_taken(function));
  };
  std::vector<const Function*> result;
  for (const Function& function : module_.functions)
    if (is_meant(function)) result.push_back(&function);
  return result;
}

// An initialiser or a mov names it.
bool CallTargets::address_is_taken(const Function& function) {
  const auto known = taken_.find(&function);
  if (known != taken_.end()) return known->second;
  bool taken = false;
  for (const Variable& variable : module_.variables)
    for (const Initialiser& value : variable.values) taken |= value.symbol == function.name;
  const std::string_view text = module_.text, name = function.name, blanks = " \t\r\n";
  const auto in_name = [](char c) { return isalnum(c) || c == '_' || c == '$' || c == '%'; };
  for (size_t at = 0; !taken && (at = text.find(name, at)) != text.npos; at += name.size()) {
    if (in_name(text[at - 1]) || in_name(text[at + name.size()])) continue;
    const size_t begin = text.find_last_of(";{}:", at);
    size_t word = text.find_first_not_of(blanks, begin + 1);
    // A .loc or a comment before the instruction does not end in a semicolon.
    while (word < at && (text.substr(word, 4) == ".loc" || text.substr(word, 2) == "//"))
      word = text.find_first_not_of(blanks, text.find('\n', word));
    if (word < at && text[word] == '@')
      word = text.find_first_not_of(blanks, text.find_first_of(blanks, word));
    taken = word < at && text.substr(word, 4) == "mov.";
  }
  return taken_[&function] = taken;
}

}  // namespace cuvette::ptx
