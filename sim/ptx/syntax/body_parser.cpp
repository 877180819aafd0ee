// SPDX-License-Identifier: Apache-2.0
// Parses a function's body: statements, with names resolved in the scopes that braces open.
#include <unordered_map>

#include "sim/ptx/syntax/complete_instruction.hpp"
#include "sim/ptx/syntax/names_in_bodies.hpp"
#include "sim/ptx/syntax/operand_parser.hpp"
#include "sim/ptx/syntax/parser.hpp"
#include "sim/ptx/syntax/split_opcode.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t most_registers = 1u << 22;

class BodyParser : OperandParser {
 public:
  BodyParser(const Module& module, const Function& function, Body& body, Diagnostic& diagnostic)
      : OperandParser(module, function, body, diagnostic) {}

  bool run() {
    if (!expect('{')) return false;
    enter();
    for (const auto* list : {&function_.results, &function_.parameters})
      for (const Variable& parameter : *list)
        if (!declare_parameter(parameter)) return false;
    while (!labels_.empty())
      if (!read_statement()) return false;
    if (lexer_.peek().kind != Token::Kind::end)
      return fail(lexer_.peek(), "this comes after the end of the function");
    return true;
  }

 private:
  using Name = Scopes::Name;
  struct Reference {  // to a label that may come later
    std::string_view name;
    Token token;
    // The operand of an instruction, or the entry of a table.
    bool in_table;
    uint32_t owner, position;
  };
  struct Labels {  // of a scope
    std::unordered_map<std::string_view, uint32_t> labels;
    std::vector<Reference> references;
  };

  void enter() {
    scopes_.enter();
    labels_.emplace_back();
  }

  bool leave() {
    Labels scope = std::move(labels_.back());
    labels_.pop_back();
    scopes_.leave();
    for (Reference& reference : scope.references) {
      const auto found = scope.labels.find(reference.name);
      if (found != scope.labels.end()) {
        resolve(reference, found->second);
      } else if (!labels_.empty()) {
        labels_.back().references.push_back(std::move(reference));
      } else {
        return fail(reference.token, "there is no such label");
      }
    }
    return true;
  }

  void resolve(const Reference& reference, uint32_t label) {
    if (reference.in_table)
      body_.tables[reference.owner].labels[reference.position] = label;
    else
      body_.instructions[reference.owner].operands[reference.position].index = label;
  }

  bool declare_parameter(const Variable& parameter) {
    Name name{Name::Kind::outside, 0, 1, {}};
    if (parameter.space == Space::reg)
      name = {Name::Kind::registers,
              add_registers(parameter.type, parameter.vector),
              static_cast<uint8_t>(parameter.vector),
              {}};
    // `_` declares no name.
    if (parameter.name == "_" || scopes_.declare(parameter.name, name)) return true;
    return fail(lexer_.peek(), "there are two parameters '" + std::string(parameter.name) + "'");
  }

  bool declare(const Token& token, const Name& name) {
    if (scopes_.declare(token.text, name)) return true;
    return fail(token, "this name is taken already");
  }

  uint32_t add_registers(Type type, uint32_t lanes) {
    const auto first = static_cast<uint32_t>(body_.registers.size());
    body_.registers.resize(first + lanes, {type});
    return first;
  }

  bool read_statement() {
    const Token token = lexer_.next();
    if (token.is('{')) {
      if (labels_.size() > 64) return fail(token, "these braces are nested too deeply");
      enter();
      return true;
    }
    if (token.is('}')) return leave();
    if (token.is(';')) return true;
    if (token.kind == Token::Kind::directive) return read_directive(token);
    if (token.is('@')) return read_predicated();
    if (token.kind != Token::Kind::word) return fail(token, "a statement is missing here");
    if (lexer_.peek().is(':')) {
      lexer_.next();
      return read_label(token);
    }
    Instruction instruction;
    begin(instruction);
    return read_instruction(token, std::move(instruction));
  }

  bool read_label(const Token& name) {
    const Token& next = lexer_.peek();
    if (next.is(".branchtargets") || next.is(".calltargets")) {
      const bool labels = lexer_.next().is(".branchtargets");
      const uint32_t number = static_cast<uint32_t>(body_.tables.size());
      body_.tables.emplace_back().name = name.text;
      if (!declare(name, {Name::Kind::table, 0, 1, {}})) return false;
      do {
        const Token target = lexer_.next();
        if (target.kind != Token::Kind::word) return fail(target, "a name is missing here");
        if (labels) {
          const auto position = static_cast<uint32_t>(body_.tables[number].labels.size());
          body_.tables[number].labels.push_back(0);
          labels_.back().references.push_back({target.text, target, true, number, position});
        } else {
          body_.tables[number].functions.push_back(target.text);
        }
      } while (lexer_.accept(','));
      return expect(';');
    }
    if (next.is(".callprototype")) {
      lexer_.next();
      Body::Prototype& prototype = body_.prototypes.emplace_back();
      prototype.name = name.text;
      if (!declare(name, {Name::Kind::table, 0, 1, {}})) return false;
      if (lexer_.peek().is('(') && !read_parameters(prototype.results)) return false;
      lexer_.next();  // in place of the name: _
      if (lexer_.peek().is('(') && !read_parameters(prototype.parameters)) return false;
      while (lexer_.peek().kind == Token::Kind::directive) {  // .noreturn, .abi_preserve 3
        lexer_.next();
        if (lexer_.peek().kind == Token::Kind::number) lexer_.next();
      }
      return expect(';');
    }
    if (!labels_.back()
             .labels.emplace(name.text, static_cast<uint32_t>(body_.labels.size()))
             .second)
      return fail(name, "there are two labels of this name");
    body_.labels.push_back(static_cast<uint32_t>(body_.instructions.size()));
    body_.label_names.push_back(name.text);
    return true;
  }

  bool read_directive(const Token& token) {
    if (token.is(".reg")) return read_registers();
    if (token.is(".loc")) return read_location();
    if (token.is(".pragma")) {
      while (!lexer_.peek().is(';') && lexer_.peek().kind != Token::Kind::end) lexer_.next();
      return expect(';');
    }
    const auto space = space_named(token.text);
    if (space == Space::global || space == Space::constant) return read_module_variables(token);
    if (space != Space::local && space != Space::shared && space != Space::param)
      return fail(token, "this is not a directive for a function body");
    Variable pattern;
    pattern.space = *space;
    const size_t before = body_.variables.size();
    const Token first = lexer_.peek();
    if (!read_variables(pattern, body_.variables, body_.made_names)) return false;
    for (size_t i = before; i < body_.variables.size(); ++i) {
      const Variable& variable = body_.variables[i];
      if (variable.elements == 0)
        return fail(first, "'" + std::string(variable.name) + "' has no size");
      if (!scopes_.declare(variable.name, {Name::Kind::variable, static_cast<uint32_t>(i), 1, {}}))
        return fail(first, "the name '" + std::string(variable.name) + "' is taken already");
    }
    return true;
  }

  // The module owns them, under names that contain their position.
  bool read_module_variables(const Token& directive) {
    Variable pattern;
    std::vector<Variable> variables;
    Names made;
    const Token first = lexer_.peek();
    if (!read_variables(pattern, variables, made)) return false;
    for (const Variable& variable : variables) {
      const Variable* const known =
          module_.variable(name_in_body(function_, directive.text.data(), variable.name));
      if (!known) return fail(first, "this does not begin a statement");
      Token token = first;
      body_.made_names.push_back(std::make_shared<const std::string>(variable.name));
      token.text = *body_.made_names.back();
      if (!declare(token, {Name::Kind::outside, 0, 1, known->name})) return false;
    }
    return true;
  }

  bool read_registers() {
    Variable typed;
    if (!read_type(typed)) return false;
    const uint32_t lanes = typed.vector, bytes = lanes * size_of(typed.type);
    if (lanes > 4 || (lanes > 1 && (bytes > 16 || typed.type == Type::pred)))
      return fail(lexer_.peek(), "there are no such vectors");
    do {
      const Token name = lexer_.next();
      if (name.kind != Token::Kind::word) return fail(name, "a register's name is missing here");
      uint64_t count = 1;
      const bool range = lexer_.accept('<');
      if (range && (!read_count(count) || !expect('>'))) return false;
      if (count > most_registers || body_.registers.size() + count * lanes > most_registers)
        return fail(name, "these are too many registers");
      const uint32_t first = add_registers(typed.type, lanes * static_cast<uint32_t>(count));
      if (!range) {
        if (!declare(name, {Name::Kind::registers, first, static_cast<uint8_t>(lanes), {}}))
          return false;
      } else if (!scopes_.declare_range(name.text, static_cast<uint32_t>(count), first,
                                        static_cast<uint8_t>(lanes))) {
        return fail(name, "registers have these names already");
      }
    } while (lexer_.accept(','));
    return expect(';');
  }

  // .loc 1 12 5 [, function_name $L__info_string0, inlined_at 1 20 3]
  bool read_location() {
    uint64_t file, line, column;
    if (!read_count(file, UINT32_MAX) || !read_count(line, UINT32_MAX) || !read_count(column))
      return false;
    source_file_ = static_cast<uint32_t>(file);
    source_line_ = static_cast<uint32_t>(line);
    while (lexer_.accept(',')) {
      const Token what = lexer_.next();
      if (what.is("function_name")) {
        lexer_.next();
        if (lexer_.accept('+')) lexer_.next();
      } else if (what.is("inlined_at")) {
        if (!read_count(file, UINT32_MAX) || !read_count(line, UINT32_MAX) || !read_count(column))
          return false;
        // A function of another file, usually of a header of CUDA's: the line that calls it says
        // more.
        if (file != source_file_) {
          source_file_ = static_cast<uint32_t>(file);
          source_line_ = static_cast<uint32_t>(line);
        }
      } else {
        return fail(what, "a .loc does not have this");
      }
    }
    lexer_.accept(';');
    return true;
  }

  void begin(Instruction& instruction) const {
    instruction.line = lexer_.peek().line;
    instruction.source_file = source_file_;
    instruction.source_line = source_line_;
  }

  bool read_predicated() {
    Instruction instruction;
    begin(instruction);
    instruction.predicate_negated = lexer_.accept('!');
    if (!read_predicate(instruction, instruction.predicate)) return false;
    const Token opcode = lexer_.next();
    if (opcode.kind != Token::Kind::word) return fail(opcode, "an instruction is missing here");
    return read_instruction(opcode, std::move(instruction));
  }

  bool read_instruction(const Token& opcode, Instruction instruction) {
    instruction.text = opcode.text;
    instruction.line = opcode.line;
    const std::string sentence = split_opcode(instruction);
    if (!sentence.empty()) return fail(opcode, sentence);
    std::optional<Reference> reference;
    indexed_.reset();
    while (!lexer_.peek().is(';')) {
      if (!instruction.operands.empty() && !expect(',')) return false;
      if (instruction.opcode == Opcode::bra && lexer_.peek().kind == Token::Kind::word &&
          !is_register(lexer_.peek().text)) {
        const Token target = lexer_.next();
        instruction.operands.emplace_back().kind = Operand::Kind::label;
        reference = {target.text, target, false, 0,
                     static_cast<uint32_t>(instruction.operands.size() - 1)};
        continue;
      }
      Operand operand;
      const Token first = lexer_.peek();
      computed_ = false;
      if (!read_operand(instruction, operand)) return false;
      if (computed_ && instruction.operands.empty() && row_of(instruction.opcode).writes_first())
        return fail(first, "what is computed cannot be written to");
      instruction.operands.push_back(std::move(operand));
    }
    const Operand* const address = address_of(instruction);
    const Variable* const variable = address ? variable_of(*address) : nullptr;
    std::optional<Space> named = indexed_;
    if (variable) named = variable->space;
    if (address && instruction.opcode == Opcode::st && instruction.has(dot::param) &&
        function_.is_entry && !(address->base_is_symbol && address->index > 0))
      return fail(opcode, "a kernel's parameters cannot be written");
    const std::string wrong = complete_instruction(instruction, named, body_);
    if (!wrong.empty()) return fail(opcode, wrong);
    if (reference) {
      reference->owner = static_cast<uint32_t>(body_.instructions.size() - 1);
      labels_.back().references.push_back(*reference);
    }
    return expect(';');
  }

  std::vector<Labels> labels_;
  uint32_t source_file_ = 0, source_line_ = 0;
};

}  // namespace

bool read_body(const Module& module, const Function& function, Body& body, Diagnostic& diagnostic) {
  body = Body{};
  if (BodyParser(module, function, body, diagnostic).run()) return true;
  diagnostic.blame_version(module.version());
  return false;
}

}  // namespace cuvette::ptx
