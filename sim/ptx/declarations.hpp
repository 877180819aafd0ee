// SPDX-License-Identifier: Apache-2.0
// What module and body have in common: tokens, complaints, declarations of variables, numbers.
#pragma once

#include <string_view>

#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/lexer.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

class Declarations {
 protected:
  Declarations(std::string_view text, uint32_t line, Diagnostic& diagnostic)
      : lexer_(text, line), diagnostic_(diagnostic) {}

  // Always false: what a caller returns.
  bool fail(const Token& token, std::string message, Error error = Error::invalid_ptx);
  bool expect(char character);
  // A whole number that is not negative.
  bool read_count(uint64_t& count);
  // A number as an immediate operand writes it, its sign included.
  bool read_number(Operand& operand);

  // What follows a state space: ".align 4 .b8", then "x[16] = {...}".
  bool read_type(Variable& variable);
  bool read_declarator(Variable& variable);
  // Both, with commas between several declarators, up to the ';'. All are like `pattern`.
  bool read_variables(const Variable& pattern, std::vector<Variable>& variables);
  // "(.param .u64 x, .param .align 8 .b8 y[16])"
  bool read_parameters(std::vector<Variable>& parameters);

  Lexer lexer_;
  Diagnostic& diagnostic_;

 private:
  bool read_initialiser(Variable& variable);
  bool read_element(Variable& variable);
};

std::optional<Space> space_named(std::string_view directive);

}  // namespace cuvette::ptx
