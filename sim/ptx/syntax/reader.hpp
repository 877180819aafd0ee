// SPDX-License-Identifier: Apache-2.0
// The common base of the PTX parsers: tokens, diagnostics, numbers and constant expressions.
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/lexer.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

class Reader {
 protected:
  // `text` is a part of `whole`, and begins in its line `line`.
  Reader(std::string_view whole, std::string_view text, uint32_t line, Diagnostic& diagnostic)
      : lexer_(text, line), diagnostic_(diagnostic), whole_(whole) {}

  // Always returns false, for the caller to return.
  bool fail(const Token& token, std::string message, Error error = Error::invalid_ptx);
  bool expect(char character);
  // A whole number that is not negative, as declarations write it.
  bool read_count(uint64_t& count);
  // The same, but at most `most`.
  bool read_count(uint64_t& count, uint64_t most);

  // A constant expression: an immediate. Measured with ptxas: whole numbers have 64 bits and a
  // sign, unless they are written with a U or need all bits; what has two operands has a sign if
  // both have, and none with `~` and `%`; shifts count modulo 64; numbers with a point, which have
  // 64 bits, and whole ones do not mix.
  bool read_constant(Operand& operand);
  // Returns whether a constant expression may begin here.
  bool begins_constant() const;

  Lexer lexer_;
  Diagnostic& diagnostic_;

 private:
  struct Constant {
    enum class Kind : uint8_t { with_sign, without_sign, floating };
    Kind kind = Kind::with_sign;
    uint64_t bits = 0;
  };
  bool read_literal(Operand& operand);
  bool read_ternary(Constant& value, int depth);
  bool read_binary(Constant& value, int level, int depth);
  bool read_unary(Constant& value, int depth);
  bool read_primary(Constant& value, int depth);
  bool combine(const Token& at, std::string_view operation, Constant& left, const Constant& right);

  const std::string_view whole_;
};

}  // namespace cuvette::ptx
