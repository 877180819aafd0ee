// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/scopes.hpp"

#include <algorithm>

namespace cuvette::ptx {
namespace {

// "%r12" is number 12 of "%r<20>".
struct Numbered {
  std::string_view name;
  uint32_t number;
};

std::optional<Numbered> numbered(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const size_t count = name.size() - digits;
  if (count == 0 || count > 8 || (name[digits] == '0' && count > 1)) return {};
  uint32_t number = 0;
  for (size_t i = digits; i < name.size(); ++i)
    number = number * 10 + static_cast<uint32_t>(name[i] - '0');
  return Numbered{name.substr(0, digits), number};
}

}  // namespace

std::optional<Scopes::Name> Scopes::in_range(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty()) return {};
  const auto one = numbered(name);
  if (!one) return {};
  const auto range = scope.ranges.find(one->name);
  if (range == scope.ranges.end() || one->number >= range->second.count) return {};
  const auto& [first, count, lanes] = range->second;
  return Name{Name::Kind::registers, first + one->number * lanes, lanes};
}

bool Scopes::declare(std::string_view name, const Name& meaning) {
  Scope& scope = scopes_.back();
  return !in_range(scope, name) && scope.names.emplace(name, meaning).second;
}

bool Scopes::declare_range(std::string_view name, uint32_t count, uint32_t first, uint8_t lanes) {
  Scope& scope = scopes_.back();
  const bool taken = std::any_of(scope.names.begin(), scope.names.end(), [&](const auto& known) {
    const auto one = numbered(known.first);
    return one && one->name == name && one->number < count;
  });
  return !taken && scope.ranges.emplace(name, Range{first, count, lanes}).second;
}

std::optional<Scopes::Name> Scopes::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto one = in_range(*scope, name)) return one;
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return found->second;
  }
  return {};
}

}  // namespace cuvette::ptx
