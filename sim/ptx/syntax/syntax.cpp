// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/syntax.hpp"
#include "sim/base/rounding.hpp"

#include <algorithm>
#include <charconv>
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
  if (found != map->end()) return found->second;
  // %envreg0 to 31, %pm0 to 7, %pm0_64 to 7.
  const auto below = [&](std::string_view prefix, std::string_view suffix, unsigned end) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return false;
    if (name.size() <= prefix.size() + suffix.size()) return false;
    const std::string_view digits =
        name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    unsigned number = 0;
    const auto [rest, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && rest == digits.data() + digits.size() && number < end;
  };
  if (below("%envreg", "", 32)) return Special::envreg;
  if (below("%pm", "_64", 8)) return Special::performance_counter_wide;
  if (below("%pm", "", 8)) return Special::performance_counter;
  return {};
}

std::optional<std::array<Special, 3>> special_vector_named(std::string_view name) {
  std::array<Special, 3> elements;
  for (size_t n = 0; n < 3; ++n) {
    const auto one = special_named(std::string(name) + "." + "xyz"[n]);
    if (!one) return {};
    elements[n] = *one;
  }
  return elements;
}

std::string_view name_of(Special special) { return special_names[static_cast<int>(special)]; }

std::vector<uint32_t> Function::parameter_offsets() const {
  std::vector<uint32_t> offsets;
  uint64_t at = 0;
  for (const Variable& parameter : parameters) {
    const uint64_t alignment = std::max<uint64_t>(parameter.alignment, 1);
    at = round_up(at, alignment);
    offsets.push_back(static_cast<uint32_t>(at));
    at += parameter.bytes();
  }
  return offsets;
}

uint32_t Function::parameter_bytes() const {
  if (parameters.empty()) return 0;
  return parameter_offsets().back() + static_cast<uint32_t>(parameters.back().bytes());
}

void Module::add(Function function) {
  const auto number = static_cast<uint32_t>(functions.size());
  functions.push_back(std::move(function));
  const auto [known, added] = function_numbers_.try_emplace(functions.back().name, number);
  if (!added && !functions.back().body.empty()) known->second = number;
}

void Module::add(Variable variable) {
  const auto number = static_cast<uint32_t>(variables.size());
  variables.push_back(std::move(variable));
  const auto [known, added] = variable_numbers_.try_emplace(variables.back().name, number);
  if (!added && !variables.back().is_extern) known->second = number;
}

const Function* Module::function(std::string_view name) const {
  const auto found = function_numbers_.find(name);
  return found == function_numbers_.end() ? nullptr : &functions[found->second];
}

const Variable* Module::variable(std::string_view name) const {
  const auto found = variable_numbers_.find(name);
  return found == variable_numbers_.end() ? nullptr : &variables[found->second];
}

std::optional<Extent> extent_of(const Instruction& instruction) {
  for (const Modifier modifier : instruction.modifiers)
    if (const std::optional<Extent> extent = extent_of(modifier)) return extent;
  return {};
}

}  // namespace cuvette::ptx
