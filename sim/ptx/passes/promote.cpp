// SPDX-License-Identifier: Apache-2.0
// Replaces the private variables through which calls pass values by registers.
#include <map>

#include "sim/ptx/passes/inline.hpp"

namespace cuvette::ptx {
namespace {

struct Piece {
  uint32_t bytes;
  uint32_t index;  // of its register
};

struct Parameter {
  bool possible = true;
  std::map<uint64_t, Piece> pieces;  // by offset
};

bool names_variable(const Operand& operand) {
  return operand.index > 0 && (operand.kind == Operand::Kind::symbol ||
                               (operand.kind == Operand::Kind::address && operand.base_is_symbol));
}

bool passes(const Instruction& instruction) {
  return (instruction.opcode == Opcode::ld || instruction.opcode == Opcode::st) &&
         (instruction.has(dot::param) || instruction.has(dot::param_func));
}

class Promoter {
 public:
  explicit Promoter(Body& body) : body_(body), parameters_(body.variables.size()) {}

  void run() {
    for (size_t v = 0; v < parameters_.size(); ++v)
      parameters_[v].possible = body_.variables[v].space == Space::param;
    for (const Instruction& instruction : body_.instructions) find_pieces(instruction);
    for (size_t v = 0; v < parameters_.size(); ++v) {
      Parameter& parameter = parameters_[v];
      uint64_t end = 0;
      for (const auto& [offset, piece] : parameter.pieces) {
        if (offset < end) parameter.possible = false;
        end = offset + piece.bytes;
      }
      if (!parameter.possible) continue;
      for (auto& [offset, piece] : parameter.pieces) {
        piece.index = static_cast<uint32_t>(body_.registers.size());
        body_.registers.push_back({bits_of_size(piece.bytes)});
      }
      body_.variables[v].elements = 0;
    }
    rewrite();
  }

 private:
  void find_pieces(const Instruction& instruction) {
    const bool through = passes(instruction);
    const size_t place = instruction.opcode == Opcode::ld ? 1 : 0;
    for (size_t n = 0; n < instruction.operands.size(); ++n) {
      const Operand& operand = instruction.operands[n];
      if (through && n == place && names_variable(operand)) {
        const Operand& value = instruction.operands[1 - place];
        const uint32_t bytes = size_of(instruction.type());
        const size_t count = value.kind == Operand::Kind::vector ? value.elements.size() : 1;
        for (size_t e = 0; e < count; ++e)
          add_piece(operand.index - 1, operand.bits + e * bytes, bytes);
        continue;
      }
      find_others(operand, instruction.opcode == Opcode::call);
    }
  }

  // A variable that a call names is passed as a whole.
  void find_others(const Operand& operand, bool in_call) {
    if (names_variable(operand)) {
      const uint64_t bytes = body_.variables[operand.index - 1].bytes();
      if (in_call && operand.kind == Operand::Kind::symbol)
        add_piece(operand.index - 1, 0, bytes <= 8 ? static_cast<uint32_t>(bytes) : 16);
      else
        parameters_[operand.index - 1].possible = false;
    }
    for (const Operand& element : operand.elements) find_others(element, in_call);
  }

  void add_piece(uint32_t variable, uint64_t offset, uint32_t bytes) {
    Parameter& parameter = parameters_[variable];
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) parameter.possible = false;
    const auto [piece, fresh] = parameter.pieces.emplace(offset, Piece{bytes, 0});
    if (!fresh && piece->second.bytes != bytes) parameter.possible = false;
  }

  const Piece* piece_of(const Operand& operand, uint64_t offset) const {
    if (!names_variable(operand) || !parameters_[operand.index - 1].possible) return nullptr;
    return &parameters_[operand.index - 1].pieces.at(offset);
  }

  static Operand register_of(const Piece& piece) {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.index = piece.index;
    return operand;
  }

  void replace_in_call(Operand& operand) {
    if (operand.kind == Operand::Kind::symbol)
      if (const Piece* const piece = piece_of(operand, 0)) operand = register_of(*piece);
    for (Operand& element : operand.elements) replace_in_call(element);
  }

  void rewrite() {
    std::vector<Instruction> instructions;
    std::vector<uint32_t> positions;
    for (Instruction& instruction : body_.instructions) {
      positions.push_back(static_cast<uint32_t>(instructions.size()));
      const size_t place = instruction.opcode == Opcode::ld ? 1 : 0;
      if (instruction.opcode == Opcode::call) {
        for (Operand& operand : instruction.operands) replace_in_call(operand);
      } else if (passes(instruction) &&
                 piece_of(instruction.operands[place], instruction.operands[place].bits)) {
        const Operand value = instruction.operands[1 - place];
        const size_t count = value.kind == Operand::Kind::vector ? value.elements.size() : 1;
        for (size_t e = 0; e < count; ++e) {
          const Operand& where = instruction.operands[place];
          const Operand inside =
              register_of(*piece_of(where, where.bits + e * size_of(instruction.type())));
          const Operand& outside = value.kind == Operand::Kind::vector ? value.elements[e] : value;
          Instruction& move = instructions.emplace_back(instruction);
          move.rename(Opcode::mov);
          move.modifiers.clear();
          move.operands = place == 1 ? std::vector<Operand>{outside, inside}
                                     : std::vector<Operand>{inside, outside};
        }
        continue;
      }
      instructions.push_back(std::move(instruction));
    }
    positions.push_back(static_cast<uint32_t>(instructions.size()));
    for (uint32_t& label : body_.labels) label = positions[label];
    body_.instructions = std::move(instructions);
  }

  Body& body_;
  std::vector<Parameter> parameters_;
};

}  // namespace

void promote_parameters(Body& body) { Promoter(body).run(); }

}  // namespace cuvette::ptx
