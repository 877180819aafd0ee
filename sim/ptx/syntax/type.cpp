// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/type.hpp"

namespace cuvette::ptx {
namespace {

constexpr std::string_view names[] = {
#define X(name, size, kind) #name,
    CUVETTE_PTX_TYPES(X)
#undef X
};

}  // namespace

std::optional<Type> type_named(std::string_view name) {
  // All begin with one of these; most modifiers do not.
  if (name.size() < 2 || name.size() > 10) return {};
  for (size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return static_cast<Type>(i);
  return {};
}

std::string_view name_of(Type type) { return names[static_cast<int>(type)]; }

}  // namespace cuvette::ptx
