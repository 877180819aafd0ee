// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/declarations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cuvette::ptx {
namespace {

// The nearest f16; compilers without such a type are around.
uint16_t to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude == 0) return sign;
  // Counted in units of the last place: ten bits below the exponent, which is -14 at least.
  const int exponent = std::max(std::ilogb(magnitude), -14);
  const auto units = static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + units));
}

constexpr uint64_t most_initialisers = uint64_t{1} << 26;

// More than any device has. Offsets in the other spaces have 32 bits.
constexpr uint64_t most_bytes = uint64_t{1} << 40;
constexpr uint64_t most_bytes_by_offset = UINT32_MAX;

constexpr uint64_t most_numbered = 1u << 20;

}  // namespace

std::optional<Space> space_named(std::string_view directive) {
  if (directive == ".global") return Space::global;
  if (directive == ".const") return Space::constant;
  if (directive == ".shared" || directive == ".shared::cta") return Space::shared;
  if (directive == ".local") return Space::local;
  if (directive == ".param") return Space::param;
  if (directive == ".reg") return Space::reg;
  if (directive == ".tex") return Space::tex;
  return {};
}

bool Declarations::read_element(Variable& variable) {
  if (variable.values.size() >= most_initialisers)
    return fail(lexer_.peek(), "this initialiser is too long");
  Initialiser value;
  const Token token = lexer_.peek();
  const auto read_symbol = [&] {
    Token name = lexer_.next();
    if (name.is("generic")) {
      value.generic = true;
      if (!expect('(')) return false;
      name = lexer_.next();
      if (name.kind == Token::Kind::word) value.symbol = name.text;
      if (!expect(')')) return false;
    }
    if (name.kind != Token::Kind::word) return fail(name, "a name is missing here");
    value.symbol = name.text;
    if (lexer_.peek().is('+') || lexer_.peek().is('-')) {
      // A minus is the expression's own sign.
      Operand offset;
      if (lexer_.peek().is('+')) lexer_.next();
      const Token first = lexer_.peek();
      if (!read_constant(offset)) return false;
      if (offset.floating) return fail(first, "a whole number is missing here");
      value.bits = offset.bits;
    }
    return true;
  };
  if (token.kind == Token::Kind::word && !begins_constant()) {
    if (!read_symbol()) return false;
  } else {
    Operand number;
    if (!read_constant(number)) return false;
    if (lexer_.accept('(')) {  // 0xff00(symbol): one byte of its address
      value.shift = static_cast<uint8_t>(std::countr_zero(number.bits) & 56);
      if (!read_symbol() || !expect(')')) return false;
    } else if (number.floating && variable.type != Type::f64 && number.float_bytes == 8) {
      const double wide = std::bit_cast<double>(number.bits);
      value.bits = size_of(variable.type) == 2 ? to_half(wide)
                                               : std::bit_cast<uint32_t>(static_cast<float>(wide));
    } else if (!number.floating && is_floating(variable.type)) {
      const double wide = static_cast<double>(static_cast<int64_t>(number.bits));
      value.bits = variable.type == Type::f64 ? std::bit_cast<uint64_t>(wide)
                   : size_of(variable.type) == 2
                       ? to_half(wide)
                       : std::bit_cast<uint32_t>(static_cast<float>(wide));
    } else {
      value.bits = number.bits;
    }
  }
  variable.values.push_back(value);
  return true;
}

// Nested braces are rows of an array; short rows are padded with zeros.
bool Declarations::read_initialiser(Variable& variable) {
  if (!lexer_.accept('{')) return read_element(variable);
  int depth = 1;
  while (depth > 0) {
    if (lexer_.accept('{')) {
      if (++depth > 16) return fail(lexer_.peek(), "this initialiser is nested too deeply");
    } else if (lexer_.accept('}')) {
      --depth;
    } else if (lexer_.peek().is(',')) {
      lexer_.next();
    } else if (!read_element(variable)) {
      return false;
    }
  }
  return true;
}

bool Declarations::read_type(Variable& variable) {
  bool has_type = false;
  while (lexer_.peek().kind == Token::Kind::directive) {
    const Token token = lexer_.next();
    const std::string_view text = token.text;
    uint64_t count = 0;
    if (text == ".align") {
      if (!read_count(count)) return false;
      if (count == 0 || count > 4096 || (count & (count - 1)) != 0)
        return fail(token, "an alignment must be a power of two up to 4096");
      // After .ptr it describes the memory that the parameter points to.
      if (!has_type) variable.alignment = static_cast<uint32_t>(count);
    } else if (text == ".v2" || text == ".v4" || text == ".v8") {
      variable.vector = static_cast<uint32_t>(text[2] - '0');
    } else if (text == ".ptr" || text == ".global" || text == ".const" || text == ".shared" ||
               text == ".local" || text == ".param" || text == ".generic") {
      // The memory that a parameter points to.
    } else if (text == ".attribute") {
      if (!expect('(')) return false;
      while (!lexer_.peek().is(')')) {
        const Token attribute = lexer_.next();
        if (attribute.kind == Token::Kind::end) return fail(attribute, "a ')' is missing here");
        if (attribute.is(".managed")) variable.managed = true;
      }
      if (!expect(')')) return false;
    } else if (const auto type = type_named(text.substr(1))) {
      variable.type = *type;
      has_type = true;
    } else {
      return fail(token, "there is no '" + std::string(text) + "' of a variable");
    }
  }
  if (!has_type) return fail(lexer_.peek(), "a type is missing before this");
  return true;
}

bool Declarations::read_declarator(Variable& variable) {
  const Token name = lexer_.next();
  if (name.kind != Token::Kind::word) return fail(name, "a name is missing here");
  variable.name = name.text;
  variable.line = name.line;
  return read_dimensions(variable);
}

bool Declarations::read_dimensions(Variable& variable) {
  bool unknown = false;
  const Token first = lexer_.peek();
  while (lexer_.accept('[')) {
    variable.is_array = true;
    if (lexer_.accept(']')) {
      unknown = true;
      continue;
    }
    uint64_t count;
    const Token token = lexer_.peek();
    if (!read_count(count) || !expect(']')) return false;
    if (__builtin_mul_overflow(variable.elements, count, &variable.elements))
      return fail(token, "this array is too large");
  }
  const uint64_t each = uint64_t{size_of(variable.type)} * variable.vector;
  const bool by_offset = variable.space != Space::global && variable.space != Space::constant;
  const uint64_t most = by_offset ? most_bytes_by_offset : most_bytes;
  if (variable.elements > most / each)
    return fail(first,
                "this variable is too large: there are at most " + std::to_string(most) + " bytes");
  if (variable.alignment == 1) variable.alignment = static_cast<uint32_t>(each);
  if (lexer_.accept('=') && !read_initialiser(variable)) return false;
  if (unknown) variable.elements = variable.values.size() / variable.vector;
  return true;
}

bool Declarations::read_variables(const Variable& pattern, std::vector<Variable>& variables,
                                  Names& made) {
  Variable typed = pattern;
  if (!read_type(typed)) return false;
  do {
    Variable variable = typed;
    if (!read_declarator(variable)) return false;
    if (!lexer_.accept('<')) {
      variables.push_back(std::move(variable));
      continue;
    }
    uint64_t count;
    if (!read_count(count, most_numbered) || !expect('>') || !read_dimensions(variable))
      return false;
    for (uint64_t n = 0; n < count; ++n) {
      made.push_back(
          std::make_shared<const std::string>(std::string(variable.name) + std::to_string(n)));
      variables.push_back(variable);
      variables.back().name = *made.back();
    }
  } while (lexer_.accept(','));
  return expect(';');
}

bool Declarations::read_parameters(std::vector<Variable>& parameters) {
  if (!expect('(')) return false;
  while (!lexer_.accept(')')) {
    if (!parameters.empty() && !expect(',')) return false;
    const Token token = lexer_.next();
    const std::optional<Space> space = space_named(token.text);
    if (space != Space::param && space != Space::reg)
      return fail(token, "a parameter must begin with .param or .reg");
    Variable& parameter = parameters.emplace_back();
    parameter.space = *space;
    if (!read_type(parameter) || !read_declarator(parameter)) return false;
  }
  return true;
}

}  // namespace cuvette::ptx
