// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_operands.hpp"

#include <algorithm>
#include <string_view>

#include "sim/ptx/syntax/opcodes.hpp"

namespace cuvette::ptx {
namespace {

using Kind = Operand::Kind;

// The parts of an atomic operation.
std::string_view types_of_atomic(const Instruction& instruction) {
  if (instruction.has(dot::and_) || instruction.has(dot::or_) || instruction.has(dot::xor_))
    return "b32 b64";
  if (instruction.has(dot::cas)) return "b16 b32 b64 b128";
  if (instruction.has(dot::exch)) return "b32 b64 b128";
  if (instruction.has(dot::inc) || instruction.has(dot::dec)) return "u32";
  if (instruction.has(dot::min) || instruction.has(dot::max))
    return "u32 u64 s32 s64 f16 f16x2 bf16 bf16x2";
  return "u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64";
}

class Check {
 public:
  Check(const Instruction& instruction, const Body& body)
      : instruction_(instruction), body_(body) {}

  bool matches(std::string_view pattern, const Operand& operand) const {
    const Type type = pattern.size() > 1 ? instruction_.first_type() : instruction_.type();
    const uint32_t bytes = size_of(type);
    const bool predicate = type == Type::pred;
    switch (pattern[0]) {
      case 'r':
        return writes(operand, bytes, predicate);
      case 's':
        return reads(operand, bytes, predicate);
      case 'R':
        return writes_at_least(operand, bytes);
      case 'S':
        return reads_at_least(operand, bytes);
      case 'd':
        return writes(operand, wide() ? 2 * bytes : bytes, false);
      case 'c':
        return reads(operand, wide() ? 2 * bytes : bytes, false);
      case 'V':
        return several(operand, [&](const Operand& one) { return writes_at_least(one, bytes); });
      case 'v':
        return several(operand, [&](const Operand& one) { return reads_at_least(one, bytes); });
      case 'm':
        return parts(operand, bytes, predicate, &Check::writes);
      case 'n':
        return parts(operand, bytes, predicate, &Check::reads);
      case 'q':
        return writes(operand, 4, false);
      case 'u':
        return reads(operand, 4, false);
      case 'o':
        return with_predicate(operand, bytes);
      case 'k':
        return with_predicate(operand, 4);
      case 'P':
        if (operand.kind != Kind::vector) return writes(operand, 1, true);
        return operand.elements.size() == 2 && writes(operand.elements[0], 1, true) &&
               writes(operand.elements[1], 1, true);
      case 'p':
        return reads(operand, 1, true);
      case 'g':
        return operand.kind == Kind::reg || operand.kind == Kind::sink;
      case 'Y':
        return selects(operand, pattern[1], true) && writes(whole(operand), 4, false);
      case 'y':
        return selects(operand, pattern[1], false) && reads(whole(operand), 4, false);
      case 'z': {
        Operand plain = operand;
        plain.negated = false;
        return matches(pattern.size() > 1 ? "y1" : "u", plain);
      }
      case 'F':
        if (operand.kind != Kind::vector) return is_source(operand) || operand.kind == Kind::sink;
        return std::all_of(operand.elements.begin(), operand.elements.end(),
                           [](const Operand& one) { return is_source(one); });
      case 'A':
        // Operands beside the address are a surface's coordinates.
        return operand.kind == Kind::address && addresses(operand) &&
               (operand.elements.empty() || instruction_.is(Trait::surface));
      case 'L':
        return operand.kind == Kind::label;
      default:
        return operand.kind != Kind::vector || takes_lists();
    }
  }

 private:
  bool takes_lists() const {
    const Opcode op = instruction_.opcode;
    return op == Opcode::call || op == Opcode::tex || op == Opcode::tld4 || op == Opcode::wmma;
  }
  static bool is_source(const Operand& operand) {
    return operand.kind == Kind::reg || operand.kind == Kind::special ||
           operand.kind == Kind::immediate || operand.kind == Kind::symbol;
  }
  // Special registers hold whole numbers.
  bool is_number(const Operand& operand) const {
    return is_source(operand) &&
           (operand.kind != Kind::special || !is_floating(instruction_.type()));
  }
  Type type_of(const Operand& operand) const { return body_.registers[operand.index].type; }
  bool wide() const { return instruction_.has(dot::wide); }

  bool writes(const Operand& operand, uint32_t bytes, bool predicate) const {
    if (operand.kind == Kind::sink) return true;
    return operand.kind == Kind::reg && !operand.negated && fits(operand, bytes, predicate);
  }
  bool reads(const Operand& operand, uint32_t bytes, bool predicate) const {
    if (operand.kind == Kind::reg)
      return (!operand.negated || predicate) && fits(operand, bytes, predicate);
    const bool asks =
        operand.kind == Kind::special && operand.special == Special::is_explicit_cluster;
    if (predicate) return operand.kind == Kind::immediate || asks;
    return is_number(operand) && !asks;
  }
  bool fits(const Operand& operand, uint32_t bytes, bool predicate) const {
    if (!operand.part.empty()) return false;
    const Type type = type_of(operand);
    return predicate ? type == Type::pred : type != Type::pred && size_of(type) == bytes;
  }
  bool writes_at_least(const Operand& operand, uint32_t bytes) const {
    if (operand.kind == Kind::sink) return true;
    return operand.kind == Kind::reg && !operand.negated && holds(operand, bytes);
  }
  bool reads_at_least(const Operand& operand, uint32_t bytes) const {
    if (operand.kind == Kind::reg) return !operand.negated && holds(operand, bytes);
    return is_number(operand);
  }
  bool holds(const Operand& operand, uint32_t bytes) const {
    return operand.part.empty() && type_of(operand) != Type::pred &&
           size_of(type_of(operand)) >= bytes;
  }

  static Operand whole(const Operand& operand) {
    Operand result = operand;
    result.part = {};
    return result;
  }
  // Which parts of a register: one of 8 or 16 bits of an instruction with one number; the halves or
  // bytes of two registers for each number of one with several; some of its numbers, as a target.
  static bool selects(const Operand& operand, char numbers, bool target) {
    const std::string_view part = operand.part;
    if (part.empty()) return true;
    const std::string_view digits = part.substr(1);
    const auto below = [&](char end) {
      return std::all_of(digits.begin(), digits.end(), [&](char c) { return c >= '0' && c < end; });
    };
    if (numbers == '1')
      return digits.size() == 1 &&
             ((part[0] == 'b' && below('4')) || (part[0] == 'h' && below('2')));
    if (part[0] != (numbers == '2' ? 'h' : 'b')) return false;
    const size_t count = static_cast<size_t>(numbers - '0');
    if (!target) return digits.size() == count && below(static_cast<char>('0' + 2 * count));
    return !digits.empty() && below(numbers) && std::is_sorted(digits.rbegin(), digits.rend()) &&
           std::adjacent_find(digits.begin(), digits.end()) == digits.end();
  }

  template <typename Each>
  bool several(const Operand& operand, const Each& each) const {
    const size_t wanted = instruction_.has(dot::v2)   ? 2
                          : instruction_.has(dot::v4) ? 4
                          : instruction_.has(dot::v8) ? 8
                                                      : 1;
    if (operand.kind != Kind::vector) return wanted == 1 && each(operand);
    return wanted > 1 && operand.elements.size() == wanted &&
           std::all_of(operand.elements.begin(), operand.elements.end(), each);
  }
  bool parts(const Operand& operand, uint32_t bytes, bool predicate,
             bool (Check::*each)(const Operand&, uint32_t, bool) const) const {
    if (operand.kind != Kind::vector) return (this->*each)(operand, bytes, predicate);
    const size_t count = operand.elements.size();
    return !predicate && (count == 2 || count == 4) && bytes % count == 0 &&
           std::all_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& one) {
             return (this->*each)(one, bytes / static_cast<uint32_t>(count), false);
           });
  }
  bool with_predicate(const Operand& operand, uint32_t bytes) const {
    if (operand.kind != Kind::vector) return writes(operand, bytes, false);
    return operand.elements.size() == 2 && writes(operand.elements[0], bytes, false) &&
           writes(operand.elements[1], 1, true);
  }
  bool addresses(const Operand& operand) const {
    if (!operand.has_base || operand.base_is_symbol) return true;
    const Type type = type_of(operand);
    return type != Type::pred && size_of(type) >= 4 && size_of(type) <= 8;
  }

  const Instruction& instruction_;
  const Body& body_;
};

}  // namespace

std::string check_operands(const Instruction& instruction, const Body& body) {
  const OpcodeRow& row = row_of(instruction.opcode);
  const bool atomic = instruction.opcode == Opcode::atom || instruction.opcode == Opcode::red;
  const std::string_view types = atomic ? types_of_atomic(instruction) : row.types;
  if (!types.empty() && !instruction.types.empty() && !lists(types, name_of(instruction.type())))
    return "this instruction has no form of type ." + std::string(name_of(instruction.type()));
  if (instruction.types.size() > 1 && !row.is(Trait::several_types)) return "it takes one type";
  const auto is_flushed = [](Type type) { return is_floating(type) && size_of(type) < 8; };
  if (instruction.has(dot::ftz) && !instruction.has(dot::approx) &&
      std::none_of(instruction.types.begin(), instruction.types.end(), is_flushed))
    return "'.ftz' is for numbers of at most 32 bits";
  std::string_view patterns = row.operands;
  const Check check(instruction, body);
  size_t number = 0;
  while (!patterns.empty()) {
    const size_t end = std::min(patterns.find(' '), patterns.size());
    std::string_view pattern = patterns.substr(0, end);
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
    const bool optional = pattern.back() == '?';
    if (optional) pattern.remove_suffix(1);
    if (number == instruction.operands.size()) {
      if (optional) break;
      return "an operand is missing";
    }
    if (!check.matches(pattern, instruction.operands[number]))
      return "operand " + std::to_string(number + 1) +
             " is not of the kind or size that this instruction takes";
    ++number;
  }
  if (number < instruction.operands.size()) return "there are more operands than it takes";
  if (instruction.opcode == Opcode::atom && instruction.has(dot::cas) && number < 4)
    return "an operand is missing";
  return {};
}

}  // namespace cuvette::ptx
