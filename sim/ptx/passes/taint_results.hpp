// SPDX-License-Identifier: Apache-2.0
// TaintResults: adds instructions that compute the taint of what an instruction makes of its
// operands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ptx/passes/taint_words.hpp"

namespace cuvette::ptx {

// Whether a value of the type is two numbers.
bool is_packed(Type type);

template <typename Visit>
void each_part(const Operand& operand, const Visit& visit) {
  if (operand.kind != Operand::Kind::vector) return visit(operand);
  for (const Operand& element : operand.elements) visit(element);
}

class TaintResults : protected TaintWords {
 protected:
  explicit TaintResults(Body& body)
      : TaintWords(body),
        taints_(body.registers.size(), none),
        writers_(body.registers.size()),
        may_be_moved_(body.registers.size()) {}

  bool tainted(uint32_t r) const { return r < taints_.size() && taints_[r] != none; }
  // Nothing, unless it is a register that may be tainted.
  std::optional<Operand> taint_of(const Operand& operand) const {
    if (operand.kind != Operand::Kind::reg || !tainted(operand.index)) return {};
    return register_operand(taints_[operand.index]);
  }
  // The taint of the only result of an instruction that reads what may be tainted.
  Operand result_of(const Instruction& i);

  static constexpr uint32_t none = UINT32_MAX;
  struct Writers {
    uint32_t count = 0;
    bool clears_field = false;
  };
  std::vector<uint32_t> taints_;  // the register with its taint, of each that may have one
  std::vector<Writers> writers_;
  std::vector<bool> may_be_moved_;  // of tainted registers; others are computed

 private:
  Operand of_operands(const Instruction& i);
  Operand put_together(const Instruction& i);
  Operand selected(const Instruction& i);
  Operand conjunction(const Instruction& i);
  Operand comparison(const Instruction& i);
  Operand decided(bool is_and, const Operand& a, const Operand& of_a, const Operand& b,
                  const Operand& of_b);
  Operand masked(const Instruction& i);
  Operand shifted(const Instruction& i, uint32_t bytes);
  Operand field(const Instruction& i);
  Operand inserted(const Instruction& i);
  Operand permuted(const Instruction& i);
};

}  // namespace cuvette::ptx
