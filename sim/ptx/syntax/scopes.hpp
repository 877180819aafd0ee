// SPDX-License-Identifier: Apache-2.0
// The meaning of names in a body: the scopes that its braces make.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

class Scopes {
 public:
  struct Name {
    enum class Kind : uint8_t {
      registers,  // `index` is the first of `lanes`, more than 1 for a vector
      variable,   // of the body, number `index`
      outside,    // a parameter, or what the module calls `symbol`
      table,      // a table of labels or functions, a prototype
    };
    Kind kind = Kind::registers;
    uint32_t index = 0;
    uint8_t lanes = 1;
    std::string_view symbol = {};
  };

  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }
  size_t depth() const { return scopes_.size(); }

  // Returns false if the scope already has this name.
  bool declare(std::string_view name, const Name& meaning);
  // "%r<10>": %r0 to %r9, each of `lanes` registers from `first` on.
  bool declare_range(std::string_view name, uint32_t count, uint32_t first, uint8_t lanes);

  std::optional<Name> find(std::string_view name) const;

 private:
  struct Range {
    uint32_t first, count;
    uint8_t lanes;
  };
  struct Scope {
    std::unordered_map<std::string_view, Name> names;
    std::unordered_map<std::string_view, Range> ranges;
  };
  static std::optional<Name> in_range(const Scope& scope, std::string_view name);

  std::vector<Scope> scopes_;
};

}  // namespace cuvette::ptx
