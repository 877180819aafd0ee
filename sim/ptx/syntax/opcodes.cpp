// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/opcodes.hpp"

#include <array>
#include <bitset>
#include <cstdio>
#include <iterator>
#include <unordered_map>

namespace cuvette::ptx {
namespace {

// The text of a name that may end with an underscore.
constexpr std::string_view text_of(std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

constexpr auto rows = [] {
  using enum Trait;
  return std::to_array<OpcodeRow>({
#define OPCODE(name, operands, types, traits, modifiers) \
  {text_of(#name), operands, types, traits, modifiers},
#include "sim/ptx/syntax/opcodes.def"
#undef OPCODE
  });
}();

constexpr std::string_view modifier_names[] = {
#define MODIFIER(name, text) text,
#include "sim/ptx/syntax/modifiers.def"
#undef MODIFIER
};

template <typename T>
using Names = std::unordered_map<std::string_view, T>;

const Names<Opcode>& opcodes_by_name() {
  static const auto* const map = [] {
    auto* const result = new Names<Opcode>;
    for (size_t i = 0; i < std::size(rows); ++i)
      if (!rows[i].is(Trait::made)) (*result)[rows[i].name] = static_cast<Opcode>(i);
    return result;
  }();
  return *map;
}

const Names<Modifier>& modifiers_by_name() {
  static const auto* const map = [] {
    auto* const result = new Names<Modifier>;
    for (size_t i = 0; i < std::size(modifier_names); ++i)
      (*result)[modifier_names[i]] = static_cast<Modifier>(i);
    return result;
  }();
  return *map;
}

using Set = std::bitset<std::size(modifier_names)>;

// Of each opcode, the modifiers in its row.
const std::array<Set, std::size(rows)>& modifiers_of_opcodes() {
  static const auto* const sets = [] {
    auto* const result = new std::array<Set, std::size(rows)>;
    for (size_t i = 0; i < std::size(rows); ++i)
      for (const auto& [name, modifier] : modifiers_by_name())
        if (lists(rows[i].modifiers, name)) (*result)[i].set(static_cast<size_t>(modifier));
    return result;
  }();
  return *sets;
}

}  // namespace

bool lists(std::string_view list, std::string_view word) {
  for (size_t at = 0; (at = list.find(word, at)) != std::string_view::npos; at += word.size()) {
    const bool begins = at == 0 || list[at - 1] == ' ';
    const size_t end = at + word.size();
    if (begins && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

const OpcodeRow& row_of(Opcode opcode) { return rows[static_cast<size_t>(opcode)]; }

std::string_view name_of(Opcode opcode) { return row_of(opcode).name; }

std::string_view name_of(Modifier modifier) {
  return modifier_names[static_cast<size_t>(modifier)];
}

std::optional<Extent> extent_of(Modifier modifier) {
  Extent x{};
  // Names in the table end with a zero.
  if (std::sscanf(name_of(modifier).data(), "m%un%uk%u", &x.m, &x.n, &x.k) != 3) return {};
  return x;
}

std::optional<Opcode> opcode_named(std::string_view name) {
  const auto found = opcodes_by_name().find(name);
  if (found == opcodes_by_name().end()) return {};
  return found->second;
}

std::optional<Modifier> modifier_named(Opcode opcode, std::string_view name) {
  const auto found = modifiers_by_name().find(name);
  if (found == modifiers_by_name().end()) return {};
  const Set& known = modifiers_of_opcodes()[static_cast<size_t>(opcode)];
  if (!known[static_cast<size_t>(found->second)]) return {};
  return found->second;
}

}  // namespace cuvette::ptx
