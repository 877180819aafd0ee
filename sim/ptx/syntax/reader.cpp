// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/reader.hpp"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <iterator>

namespace cuvette::ptx {
namespace {

constexpr int deepest_constant = 64;

// Binary operators, loosest first; within a level, longer ones first.
constexpr std::string_view operators[][4] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
constexpr int levels = static_cast<int>(std::size(operators));

}  // namespace

bool Reader::fail(const Token& token, std::string message, Error error) {
  diagnostic_ = {};
  diagnostic_.error = error;
  diagnostic_.line = token.line;
  diagnostic_.token =
      token.kind == Token::Kind::end ? "the end" : std::string(token.text.substr(0, 80));
  diagnostic_.message = std::move(message);
  if (token.kind == Token::Kind::unterminated)
    diagnostic_.message =
        token.text == "\"" ? "this string is never closed" : "this comment is never closed";
  const auto at = static_cast<size_t>(token.text.data() - whole_.data());
  if (at > whole_.size()) return false;
  const size_t newline = whole_.substr(0, at).rfind('\n');
  diagnostic_.column =
      static_cast<uint32_t>(newline == std::string_view::npos ? at + 1 : at - newline);
  return false;
}

bool Reader::expect(char character) {
  if (lexer_.accept(character)) return true;
  return fail(lexer_.peek(), std::string("a '") + character + "' is missing here");
}

bool Reader::read_count(uint64_t& count) {
  const Token token = lexer_.peek();
  Operand number;
  if (token.kind != Token::Kind::number || !read_literal(number) || number.floating)
    return fail(token, "a whole number is missing here");
  count = number.bits;
  return true;
}

bool Reader::read_count(uint64_t& count, uint64_t most) {
  const Token token = lexer_.peek();
  if (!read_count(count)) return false;
  if (count <= most) return true;
  return fail(token, "this is more than is possible: " + std::to_string(most));
}

// 12, 0x1F, 017, 0b11, 7U, 0f3F800000, 0d3FF0000000000000, 1.5e-3
bool Reader::read_literal(Operand& operand) {
  const Token token = lexer_.next();
  operand.kind = Operand::Kind::immediate;
  if (token.kind != Token::Kind::number) return fail(token, "a number is missing here");
  std::string_view text = token.text;
  const char second = text.size() > 1 ? static_cast<char>(text[1] | 32) : '\0';
  const auto whole = [&](std::string_view digits, int base) {
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, operand.bits, base);
    return error == std::errc{} && end == last;
  };
  if (text[0] == '0' && (second == 'f' || second == 'd')) {
    operand.floating = true;
    operand.float_bytes = second == 'f' ? 4 : 8;
    if (text.size() != 2 + 2u * operand.float_bytes || !whole(text.substr(2), 16))
      return fail(token, "this is not a number");
    return true;
  }
  const bool hexadecimal = text[0] == '0' && second == 'x';
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (*end) return fail(token, "this is not a number");
    operand.floating = true;
    operand.float_bytes = 8;
    operand.bits = std::bit_cast<uint64_t>(value);
    return true;
  }
  int base = 10;
  if (hexadecimal || (text[0] == '0' && second == 'b')) {
    base = hexadecimal ? 16 : 2;
    text.remove_prefix(2);
  } else if (text[0] == '0' && text.size() > 1) {
    base = 8;
  }
  if (!text.empty() && (text.back() | 32) == 'u') text.remove_suffix(1);
  return whole(text, base) || fail(token, "this is not a number");
}

bool Reader::begins_constant() const {
  const Token& token = lexer_.peek();
  return token.kind == Token::Kind::number || token.is('-') || token.is('+') || token.is('~') ||
         token.is('!') || token.is('(') || token.is("WARP_SZ");
}

bool Reader::read_constant(Operand& operand) {
  // The bits of a number stand for themselves: at most a sign comes before them.
  const Token first = lexer_.peek();
  const bool negative = lexer_.accept('-');
  const std::string_view text = lexer_.peek().text;
  const char second = text.size() > 1 ? static_cast<char>(text[1] | 32) : '\0';
  if (lexer_.peek().kind == Token::Kind::number && text[0] == '0' &&
      (second == 'f' || second == 'd')) {
    if (!read_literal(operand)) return false;
    if (negative) operand.bits ^= uint64_t{1} << (8 * operand.float_bytes - 1);
    return true;
  }
  if (negative) lexer_.rewind(first);
  Constant value;
  if (!read_ternary(value, 0)) return false;
  operand.kind = Operand::Kind::immediate;
  operand.bits = value.bits;
  operand.floating = value.kind == Constant::Kind::floating;
  operand.float_bytes = operand.floating ? 8 : 0;
  return true;
}

bool Reader::read_ternary(Constant& value, int depth) {
  if (depth > deepest_constant) return fail(lexer_.peek(), "this expression is nested too deeply");
  const Token first = lexer_.peek();
  if (!read_binary(value, 0, depth)) return false;
  if (!lexer_.accept('?')) return true;
  if (value.kind == Constant::Kind::floating) return fail(first, "a whole number is missing here");
  Constant yes, no;
  if (!read_ternary(yes, depth + 1) || !expect(':') || !read_ternary(no, depth + 1)) return false;
  value = value.bits ? yes : no;
  return true;
}

bool Reader::read_binary(Constant& value, int level, int depth) {
  if (level == levels) return read_unary(value, depth);
  if (!read_binary(value, level + 1, depth)) return false;
  for (;;) {
    const Token at = lexer_.peek();
    // Most expressions are one of many thousands of numbers in a list.
    if (at.is(',') || at.is('}')) return true;
    std::string_view operation;
    for (const std::string_view one : operators[level]) {
      // "|" and "&" are not the beginnings of "||" and "&&", nor "<" of "<<".
      const bool single = one == "|" || one == "&" || one == "<" || one == ">";
      if (one.empty() || !operation.empty()) continue;
      if (single && lexer_.stands(std::string(2, one[0]))) continue;
      if (one == "%" && at.kind == Token::Kind::word && at.text == "%")
        lexer_.next();  // the lexer takes it for a register's
      else if (!lexer_.accept(one))
        continue;
      operation = one;
    }
    if (operation.empty()) return true;
    Constant right;
    if (!read_binary(right, level + 1, depth)) return false;
    if (!combine(at, operation, value, right)) return false;
  }
}

bool Reader::read_unary(Constant& value, int depth) {
  if (depth > deepest_constant) return fail(lexer_.peek(), "this expression is nested too deeply");
  const Token token = lexer_.peek();
  const bool cast =
      lexer_.accept('(') ? lexer_.peek().is(".s64") || lexer_.peek().is(".u64") : false;
  if (cast) {
    const bool with_sign = lexer_.next().is(".s64");
    if (!expect(')') || !read_unary(value, depth + 1)) return false;
    if (value.kind == Constant::Kind::floating) return fail(token, "this is for whole numbers");
    value.kind = with_sign ? Constant::Kind::with_sign : Constant::Kind::without_sign;
    return true;
  }
  if (token.is('(')) return read_ternary(value, depth + 1) && expect(')');
  const bool minus = lexer_.accept('-'), invert = !minus && lexer_.accept('~'),
             logical = !minus && !invert && lexer_.accept('!'),
             plus = !minus && !invert && !logical && lexer_.accept('+');
  if (!minus && !invert && !logical && !plus) return read_primary(value, depth);
  if (!read_unary(value, depth + 1)) return false;
  const bool floating = value.kind == Constant::Kind::floating;
  if (minus) {
    value.bits = floating ? value.bits ^ uint64_t { 1 } << 63 : 0 - value.bits;
    return true;
  }
  if (plus) return true;
  if (floating) return fail(token, "this is for whole numbers");
  if (invert) value = {Constant::Kind::without_sign, ~value.bits};
  if (logical) value = {Constant::Kind::with_sign, value.bits == 0};
  return true;
}

bool Reader::read_primary(Constant& value, int) {
  const Token token = lexer_.peek();
  if (token.is("WARP_SZ")) {
    lexer_.next();
    value = {Constant::Kind::with_sign, 32};
    return true;
  }
  Operand literal;
  if (!read_literal(literal)) return false;
  if (literal.floating && literal.float_bytes == 4)
    return fail(token, "a number written as its bits must stand alone");
  const bool needs_all = (token.text.back() | 32) == 'u' || literal.bits >> 63;
  value.kind = literal.floating ? Constant::Kind::floating
               : needs_all      ? Constant::Kind::without_sign
                                : Constant::Kind::with_sign;
  value.bits = literal.bits;
  return true;
}

bool Reader::combine(const Token& at, std::string_view operation, Constant& left,
                     const Constant& right) {
  using Kind = Constant::Kind;
  const char first = operation[0];
  const bool compares = first == '=' || operation == "!=" || operation == "<" || operation == ">" ||
                        operation == "<=" || operation == ">=";
  const auto compare = [&](auto a, auto b) -> uint64_t {
    if (operation == "<") return a < b;
    if (operation == "<=") return a <= b;
    if (operation == ">") return a > b;
    if (operation == ">=") return a >= b;
    return (a == b) == (first == '=');
  };
  if (left.kind == Kind::floating || right.kind == Kind::floating) {
    const auto a = std::bit_cast<double>(left.bits), b = std::bit_cast<double>(right.bits);
    const bool computes = operation == "+" || operation == "-" || operation == "*" || first == '/';
    if (left.kind != right.kind || (!compares && !computes))
      return fail(at, "this is not for numbers of these two kinds");
    if (compares) {
      left = {Kind::with_sign, compare(a, b)};
      return true;
    }
    if (first == '/' && b == 0) return fail(at, "nothing can be divided by zero");
    left.bits = std::bit_cast<uint64_t>(first == '+'   ? a + b
                                        : first == '-' ? a - b
                                        : first == '*' ? a * b
                                                       : a / b);
    return true;
  }
  const uint64_t a = left.bits, b = right.bits;
  const bool with_sign = left.kind == Kind::with_sign && right.kind == Kind::with_sign;
  const auto signed_a = static_cast<int64_t>(a), signed_b = static_cast<int64_t>(b);
  if (operation == "<<" || operation == ">>") {
    const unsigned count = b & 63;
    left.bits = first == '<'                   ? a << count
                : left.kind == Kind::with_sign ? static_cast<uint64_t>(signed_a >> count)
                                               : a >> count;
    return true;
  }
  if (compares) {
    left = {Kind::with_sign, with_sign ? compare(signed_a, signed_b) : compare(a, b)};
    return true;
  }
  if (operation == "&&" || operation == "||") {
    left = {Kind::with_sign, first == '&' ? a && b : a || b};
    return true;
  }
  if ((first == '/' || first == '%') && b == 0) return fail(at, "nothing can be divided by zero");
  left.kind = with_sign ? Kind::with_sign : Kind::without_sign;
  if (first == '+') left.bits = a + b;
  if (first == '-') left.bits = a - b;
  if (first == '*') left.bits = a * b;
  if (first == '&') left.bits = a & b;
  if (first == '|') left.bits = a | b;
  if (first == '^') left.bits = a ^ b;
  if (first == '%') left = {Kind::with_sign, a % b};
  // The least number divided by -1 is itself again: nothing else has its bits.
  if (first == '/')
    left.bits = !with_sign   ? a / b
                : b + 1 == 0 ? 0 - a
                             : static_cast<uint64_t>(signed_a / signed_b);
  return true;
}

}  // namespace cuvette::ptx
