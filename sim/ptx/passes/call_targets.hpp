// SPDX-License-Identifier: Apache-2.0
// What a `call` says: what it passes, and which functions it may mean.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

struct Call {
  std::vector<Operand> results, parameters;
  Operand callee;
  std::string_view prototype;  // or a list of targets, of a call by address

  bool is_by_address() const { return callee.kind == Operand::Kind::reg; }
};

Call call_of(const Instruction& instruction);

class CallTargets {
 public:
  explicit CallTargets(const Module& module) : module_(module) {}

  // The functions with a body that a call by address in `source` may mean: those of its list, or
  // those that its prototype fits and whose address is taken. Nothing if it has neither.
  std::optional<std::vector<const Function*>> by_address(const Call& call, const Body& source);

 private:
  bool address_is_taken(const Function& function);

  const Module& module_;
  std::map<const Function*, bool> taken_;
};

}  // namespace cuvette::ptx
