// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax.hpp"

#include <algorithm>
#include <unordered_map>

namespace cuvette::ptx {
namespace {

constexpr std::string_view special_names[] = {
#define X(name, text) text,
    CUVETTE_PTX_SPECIALS(X)
#undef X
};

}  // namespace

std::optional<Special> special_named(std::string_view name) {
  static const auto* const map = [] {
    auto* const result = new std::unordered_map<std::string_view, Special>;
    for (size_t i = 0; i < std::size(special_names); ++i)
      (*result)[special_names[i]] = static_cast<Special>(i);
    return result;
  }();
  const auto found = map->find(name);
  if (found == map->end()) return {};
  return found->second;
}

std::string_view name_of(Special special) { return special_names[static_cast<int>(special)]; }

std::vector<uint32_t> Function::parameter_offsets() const {
  std::vector<uint32_t> offsets;
  uint64_t at = 0;
  for (const Variable& parameter : parameters) {
    const uint64_t alignment = std::max<uint64_t>(parameter.alignment, 1);
    at = (at + alignment - 1) / alignment * alignment;
    offsets.push_back(static_cast<uint32_t>(at));
    at += parameter.bytes();
  }
  return offsets;
}

uint32_t Function::parameter_bytes() const {
  if (parameters.empty()) return 0;
  return parameter_offsets().back() + static_cast<uint32_t>(parameters.back().bytes());
}

const Function* Module::function(std::string_view name) const {
  const Function* found = nullptr;
  for (const Function& function : functions)
    if (function.name == name && (!found || !function.body.empty())) found = &function;
  return found;
}

const Variable* Module::variable(std::string_view name) const {
  const Variable* found = nullptr;
  for (const Variable& variable : variables)
    if (variable.name == name && (!found || !variable.is_extern)) found = &variable;
  return found;
}

}  // namespace cuvette::ptx
