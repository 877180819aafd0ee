// SPDX-License-Identifier: Apache-2.0
// Linker: joins several PTX modules into one.
//
// Names that a module exports (.visible, .weak, .common) satisfy the imports (.extern) of others;
// private names are changed where another module uses the same.
//
// Threads: an object belongs to one thread at a time.
// Invariant: each exported name has one Symbol: the definition that counts, or a declaration if
// there is none yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

class Linker {
 public:
  // As for read_module().
  explicit Linker(uint32_t newest_target) : newest_target_(newest_target) {}

  // Adds a module; what is wrong with it becomes lines of `log` that call it `name`. Then it is not
  // added. Errors: as read_module(), invalid_source for names that do not go together.
  Result<> add(std::string text, const std::string& name, std::string& log);

  // The compute capability that the parts want, the highest of them.
  uint32_t target() const;
  // The text of all of them in one. Errors: invalid_source if a name that is used is defined
  // nowhere.
  Result<std::string> link(std::string& log);

 private:
  enum class Strength : uint8_t { declared, common, weak, strong };

  struct Unit {
    std::string name;
    std::unique_ptr<Module> module;
  };
  struct Symbol {
    size_t unit = 0;
    Strength strength = Strength::declared;
    const Variable* variable = nullptr;
    const Function* function = nullptr;
  };
  using Symbols = std::unordered_map<std::string_view, Symbol>;

  // The declarations and definitions of a unit, by name; `own` are its private ones.
  static void collect(const Unit& unit, size_t number, Symbols& shown, Symbols& own);
  std::string complaint(std::string_view name, const Symbol& known, const Symbol& added,
                        const std::string& unit) const;
  Result<> add_device_runtime(std::string& log);
  std::string own_name(std::string_view name, size_t unit) const;
  bool kept(const Unit& unit, size_t number, std::string_view statement) const;

  class Writer;

  const uint32_t newest_target_;
  std::vector<Unit> units_;
  Symbols symbols_;
  std::vector<Symbols> own_;                           // of each unit
  std::unordered_map<std::string_view, size_t> uses_;  // how many units have a symbol of that name
};

}  // namespace cuvette::ptx
