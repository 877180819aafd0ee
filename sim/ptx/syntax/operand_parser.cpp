// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/operand_parser.hpp"

#include <utility>

namespace cuvette::ptx {
namespace {

constexpr int deepest_operand = 4;
constexpr size_t most_in_list = 1024;

// The elements of a register that is a vector: as of a position, or of a colour.
std::optional<uint32_t> lane_named(std::string_view name) {
  if (name.size() != 1) return {};
  for (const std::string_view names : {"xyzw", "rgba"})
    if (const size_t lane = names.find(name); lane != names.npos)
      return static_cast<uint32_t>(lane);
  return {};
}

Operand vector_of_registers(uint32_t first, uint32_t lanes) {
  Operand operand;
  operand.kind = Operand::Kind::vector;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    operand.elements.push_back(register_operand(first + lane));
  return operand;
}

Type whole_of_size(uint32_t bytes) {
  return bytes <= 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
}

}  // namespace

bool OperandParser::read_operand(const Instruction& instruction, Operand& operand, int depth) {
  if (depth > deepest_operand) return fail(lexer_.peek(), "these operands are nested too deeply");
  if (!read_one(instruction, operand, depth)) return false;
  if (!lexer_.accept('|')) return true;
  // d|p: both are written.
  Operand pair;
  pair.kind = Operand::Kind::vector;
  pair.elements.resize(2);
  pair.elements[0] = std::move(operand);
  if (!read_one(instruction, pair.elements[1], depth)) return false;
  operand = std::move(pair);
  return true;
}

bool OperandParser::read_one(const Instruction& instruction, Operand& operand, int depth) {
  const Token token = lexer_.peek();
  if (token.is('!')) {
    lexer_.next();
    const Token name = lexer_.peek();
    if (name.kind == Token::Kind::word && !name.is("WARP_SZ")) {
      lexer_.next();
      if (!name_registers(instruction, name.text, operand) || operand.kind != Operand::Kind::reg)
        return fail(name, "there is no such register");
      operand.negated = true;
      return true;
    }
    lexer_.rewind(token);
  }
  if (token.is('-') && instruction.opcode == Opcode::vmad) {
    lexer_.next();
    if (lexer_.peek().kind == Token::Kind::word && !lexer_.peek().is("WARP_SZ")) {
      if (!read_name(instruction, operand)) return false;
      operand.negated = true;
      return true;
    }
    lexer_.rewind(token);
  }
  if (token.is('{') || (token.is('(') && depth == 0 && instruction.opcode == Opcode::call))
    return read_list(instruction, operand, depth);
  if (token.is('[')) return read_address(instruction, operand, depth);
  if (begins_constant()) return read_constant(operand);
  if (token.kind != Token::Kind::word) return fail(token, "an operand is missing here");
  return read_name(instruction, operand);
}

bool OperandParser::read_list(const Instruction& instruction, Operand& operand, int depth) {
  const char end = lexer_.next().is('{') ? '}' : ')';
  operand.kind = Operand::Kind::vector;
  while (!lexer_.accept(end)) {
    if (!operand.elements.empty() && !expect(',')) return false;
    if (operand.elements.size() > most_in_list)
      return fail(lexer_.peek(), "these are too many operands");
    if (!read_operand(instruction, operand.elements.emplace_back(), depth + 1)) return false;
  }
  return true;
}

bool OperandParser::read_name(const Instruction& instruction, Operand& operand) {
  const Token name = lexer_.next();
  if (name.is("_")) return true;
  if (name_registers(instruction, name.text, operand)) {
    const bool plus = operand.kind == Operand::Kind::reg && lexer_.peek().is('+');
    return !plus || add_to_register(instruction, operand);
  }
  if (const auto special = special_named(name.text)) {
    operand.kind = Operand::Kind::special;
    operand.special = *special;
    return true;
  }
  if (const auto specials = special_vector_named(name.text)) {
    operand.kind = Operand::Kind::vector;
    for (const Special one : *specials) {
      Operand& element = operand.elements.emplace_back();
      element.kind = Operand::Kind::special;
      element.special = one;
    }
    operand.elements.push_back(number_operand(0));
    return true;
  }
  if (!name_symbol(name, operand)) return false;
  operand.kind = Operand::Kind::symbol;
  if (lexer_.peek().is('[')) return read_index(instruction, name, operand);
  return lexer_.peek().is('+') || lexer_.peek().is('-') ? read_offset(operand.bits) : true;
}

bool OperandParser::read_offset(uint64_t& offset) {
  // A minus is the expression's own sign.
  if (lexer_.peek().is('+')) lexer_.next();
  const Token first = lexer_.peek();
  Operand number;
  if (!read_constant(number)) return false;
  if (number.floating) return fail(first, "a whole number is missing here");
  offset = number.bits;
  return true;
}

bool OperandParser::add_to_register(const Instruction& instruction, Operand& operand) {
  const Token plus = lexer_.peek();
  const Type own = body_.registers[operand.index].type;
  if (is_floating(own) || own == Type::pred || size_of(own) > 8 || !operand.part.empty())
    return fail(plus, "a number can only be added to a whole number");
  uint64_t number;
  if (!read_offset(number)) return false;
  const Type type = whole_of_size(size_of(own));
  const uint32_t sum = builder_.add_register(own);
  builder_.add(instruction, Opcode::add, {}, {type},
               {register_operand(sum), operand, number_operand(number)});
  operand = register_operand(sum);
  computed_ = true;
  return true;
}

bool OperandParser::read_predicate(const Instruction& instruction,
                                   std::optional<uint32_t>& predicate) {
  const Token name = lexer_.next();
  if (name.kind == Token::Kind::word && special_named(name.text) == Special::is_explicit_cluster) {
    predicate = builder_.add_register(Type::pred);
    Operand special;
    special.kind = Operand::Kind::special;
    special.special = Special::is_explicit_cluster;
    builder_.add(instruction, Opcode::mov, {}, {Type::pred},
                 {register_operand(*predicate), special});
    return true;
  }
  const auto found = find_registers(name.text);
  if (!found || found->lanes != 1 || body_.registers[found->index].type != Type::pred)
    return fail(name, "a predicate is missing here");
  predicate = found->index;
  return true;
}

// --- Addresses ---

bool OperandParser::read_address(const Instruction& instruction, Operand& operand, int depth) {
  lexer_.next();
  operand.kind = Operand::Kind::address;
  if (begins_constant()) {
    if (!read_offset(operand.bits)) return false;
  } else {
    const Token name = lexer_.next();
    if (name.kind != Token::Kind::word) return fail(name, "an address is missing here");
    operand.has_base = true;
    if (const auto found = find_registers(name.text)) {
      if (found->lanes != 1) return fail(name, "a vector is not an address");
      operand.index = found->index;
    } else {
      operand.base_is_symbol = true;
      if (!name_symbol(name, operand)) return false;
    }
    if ((lexer_.peek().is('+') || lexer_.peek().is('-')) && !read_offset(operand.bits))
      return false;
  }
  while (lexer_.accept(','))  // a texture's coordinates, a tensor's
    if (!read_operand(instruction, operand.elements.emplace_back(), depth + 1)) return false;
  return expect(']');
}

// tab[3], tab[%r1], tab[%r1+3]: the index counts elements of the variable, regardless of the
// access.
bool OperandParser::read_index(const Instruction& instruction, const Token& name,
                               Operand& operand) {
  const Variable* const variable = variable_of(operand);
  if (!variable || !variable->is_array) return fail(name, "this is not an array");
  lexer_.next();
  const uint32_t size = size_of(variable->type);
  std::optional<uint32_t> index;
  uint64_t further = 0;
  if (begins_constant()) {
    if (!read_offset(further)) return false;
  } else {
    const Token word = lexer_.next();
    const auto found = find_registers(word.text);
    const Type type = found ? body_.registers[found->index].type : Type::pred;
    if (!found || found->lanes != 1 || type == Type::pred || is_floating(type) ||
        size_of(type) < 2 || size_of(type) > 8)
      return fail(word, "an index is missing here");
    index = found->index;
    if ((lexer_.peek().is('+') || lexer_.peek().is('-')) && !read_offset(further)) return false;
  }
  if (!expect(']')) return false;
  const bool accesses = instruction.opcode == Opcode::ld || instruction.opcode == Opcode::ldu ||
                        instruction.opcode == Opcode::st;
  if (!index) {
    operand.bits = further * size;
    if (!accesses) return true;
    operand.kind = Operand::Kind::address;
    operand.has_base = operand.base_is_symbol = true;
    return true;
  }
  const Space space = variable->space;
  const uint32_t address = element_address(instruction, operand, *index, further, size);
  operand = accesses ? memory_operand(address, 0) : register_operand(address);
  if (accesses) indexed_ = space;
  computed_ = true;
  return true;
}

// Measured with ptxas: only the lowest 32 bits of a wider index and of the product count.
uint32_t OperandParser::element_address(const Instruction& at, const Operand& symbol,
                                        uint32_t index, uint64_t further, uint32_t size) {
  const Type own = body_.registers[index].type;
  Operand number = register_operand(index);
  if (size_of(own) != 4) {
    const Type from = own == Type::s16 ? own : whole_of_size(size_of(own));
    number = register_operand(builder_.add_register(Type::b32));
    builder_.add(at, Opcode::cvt, {}, {is_signed(from) ? Type::s32 : Type::u32, from},
                 {number, register_operand(index)});
  }
  const auto then = [&](Opcode opcode, std::vector<Modifier> modifiers, uint64_t by) {
    const Operand result = register_operand(builder_.add_register(Type::b32));
    builder_.add(at, opcode, std::move(modifiers), {Type::u32},
                 {result, number, number_operand(by)});
    number = result;
  };
  if (further & UINT32_MAX) then(Opcode::add, {}, further & UINT32_MAX);
  if (size > 1) then(Opcode::mul, {dot::lo}, size);
  const uint32_t offset = builder_.add_register(Type::b64), base = builder_.add_register(Type::b64),
                 address = builder_.add_register(Type::b64);
  builder_.add(at, Opcode::cvt, {}, {Type::u64, Type::u32}, {register_operand(offset), number});
  builder_.add(at, Opcode::mov, {}, {Type::u64}, {register_operand(base), symbol});
  builder_.add(at, Opcode::add, {}, {Type::u64},
               {register_operand(address), register_operand(base), register_operand(offset)});
  return address;
}

// --- Names ---

std::optional<Scopes::Name> OperandParser::find_registers(std::string_view name) const {
  const auto found = scopes_.find(name);
  if (found) {
    if (found->kind != Scopes::Name::Kind::registers) return {};
    return found;
  }
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return {};
  const auto lane = lane_named(name.substr(dot + 1));
  const auto vector = scopes_.find(name.substr(0, dot));
  if (!lane || !vector || vector->kind != Scopes::Name::Kind::registers || *lane >= vector->lanes ||
      vector->lanes == 1)
    return {};
  return Scopes::Name{Scopes::Name::Kind::registers, vector->index + *lane, 1};
}

bool OperandParser::is_register(std::string_view name) const {
  return find_registers(name).has_value();
}

// "%r1", "%v.x", "%v" as a vector, and "%r1.h0" of a video instruction.
bool OperandParser::name_registers(const Instruction& instruction, std::string_view name,
                                   Operand& operand) const {
  auto found = find_registers(name);
  std::string_view part;
  if (const size_t dot = name.rfind('.');
      !found && instruction.is(Trait::video) && dot != name.npos && dot + 1 < name.size()) {
    part = name.substr(dot + 1);
    found = find_registers(name.substr(0, dot));
  }
  if (!found) return false;
  operand = found->lanes == 1 ? register_operand(found->index)
                              : vector_of_registers(found->index, found->lanes);
  operand.part = part;
  return true;
}

// A variable, a function, a prototype, or a name that the machine gives.
bool OperandParser::name_symbol(const Token& name, Operand& operand) {
  operand.symbol = name.text;
  if (const auto known = scopes_.find(name.text)) {
    if (known->kind == Scopes::Name::Kind::registers) return fail(name, "this is a register");
    if (known->kind == Scopes::Name::Kind::variable) operand.index = 1 + known->index;
    if (!known->symbol.empty()) operand.symbol = known->symbol;
    return true;
  }
  if (module_.variable(name.text) || module_.function(name.text)) return true;
  return fail(name, "nothing of this name is declared");
}

const Variable* OperandParser::variable_of(const Operand& operand) const {
  if (operand.kind != Operand::Kind::symbol &&
      !(operand.kind == Operand::Kind::address && operand.base_is_symbol))
    return nullptr;
  if (operand.index > 0) return &body_.variables[operand.index - 1];
  for (const auto* const list : {&function_.parameters, &function_.results})
    for (const Variable& parameter : *list)
      if (parameter.name == operand.symbol) return &parameter;
  return module_.variable(operand.symbol);
}

}  // namespace cuvette::ptx
