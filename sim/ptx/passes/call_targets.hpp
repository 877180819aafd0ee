// SPDX-License-Identifier: Apache-2.0
// Decodes a `call`: what it passes, and which functions it may call.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

struct Call {
  std::vector<Operand> results, parameters;
  Operand callee;
  std::string_view prototype;  // of an indirect call: its prototype or its list of targets

  bool is_by_address() const { return callee.kind == Operand::Kind::reg; }
};

Call call_of(const Instruction& instruction);

class CallTargets {
 public:
  explicit CallTargets(const Module& module) : module_(module) {}

  // Returns the functions with a body that an indirect call in `source` may reach: the functions of
  // its list, or the functions that match its prototype and have their address taken. Nothing if it
  // has neither.
  std::optional<std::vector<const Function*>> by_address(const Call& call, const Body& source);

 private:
  bool address_is_taken(const Function& function);

  const Module& module_;
  std::map<const Function*, bool> taken_;
};

}  // namespace cuvette::ptx
