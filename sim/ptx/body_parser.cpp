// SPDX-License-Identifier: Apache-2.0
// A function's body: statements, with names resolved in the scopes that braces make.
#include <unordered_map>
#include <unordered_set>

#include "sim/ptx/check_operands.hpp"
#include "sim/ptx/declarations.hpp"
#include "sim/ptx/opcodes.hpp"
#include "sim/ptx/parser.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t most_registers = 1u << 22;

class BodyParser : Declarations {
 public:
  BodyParser(const Module& module, const Function& function, Body& body, Diagnostic& diagnostic)
      : Declarations(function.body, function.body_line, diagnostic),
        module_(module),
        function_(function),
        body_(body) {}

  bool run() {
    if (!expect('{')) return false;
    enter();
    for (const auto* list : {&function_.results, &function_.parameters})
      for (const Variable& parameter : *list)
        if (parameter.space == Space::reg) declare_register(parameter.name, parameter.type);
    while (!scopes_.empty())
      if (!read_statement()) return false;
    if (lexer_.peek().kind != Token::Kind::end)
      return fail(lexer_.peek(), "this stands behind the function's end");
    return true;
  }

 private:
  struct Range {
    uint32_t first, count;
  };
  struct Reference {  // to a label that may come later
    std::string_view name;
    Token token;
    // Operand of an instruction, or entry of a table.
    bool in_table;
    uint32_t owner, position;
  };
  struct Scope {
    std::unordered_map<std::string_view, uint32_t> registers;
    std::unordered_map<std::string_view, Range> ranges;  // "%r" of "%r<10>"
    std::unordered_map<std::string_view, uint32_t> labels, variables;
    std::vector<Reference> references;
  };

  void enter() { scopes_.emplace_back(); }

  bool leave() {
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (Reference& reference : scope.references) {
      const auto found = scope.labels.find(reference.name);
      if (found != scope.labels.end()) {
        resolve(reference, found->second);
      } else if (!scopes_.empty()) {
        scopes_.back().references.push_back(std::move(reference));
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

  void declare_register(std::string_view name, Type type) {
    scopes_.back().registers[name] = static_cast<uint32_t>(body_.registers.size());
    body_.registers.push_back({type});
  }

  bool read_statement() {
    const Token token = lexer_.next();
    if (token.is('{')) {
      if (scopes_.size() > 64) return fail(token, "these braces are too deep");
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
    return read_instruction(token, {}, false);
  }

  bool read_label(const Token& name) {
    const Token& next = lexer_.peek();
    if (next.is(".branchtargets") || next.is(".calltargets")) {
      const bool labels = lexer_.next().is(".branchtargets");
      const uint32_t number = static_cast<uint32_t>(body_.tables.size());
      body_.tables.emplace_back().name = name.text;
      do {
        const Token target = lexer_.next();
        if (target.kind != Token::Kind::word) return fail(target, "a name is missing here");
        if (labels) {
          const auto position = static_cast<uint32_t>(body_.tables[number].labels.size());
          body_.tables[number].labels.push_back(0);
          scopes_.back().references.push_back({target.text, target, true, number, position});
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
      if (lexer_.peek().is('(') && !read_parameters(prototype.results)) return false;
      lexer_.next();  // the place of the name: _
      if (lexer_.peek().is('(') && !read_parameters(prototype.parameters)) return false;
      while (lexer_.peek().kind == Token::Kind::directive) {  // .noreturn, .abi_preserve 3
        lexer_.next();
        if (lexer_.peek().kind == Token::Kind::number) lexer_.next();
      }
      return expect(';');
    }
    if (!scopes_.back()
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
    if (space != Space::local && space != Space::shared && space != Space::param)
      return fail(token, "this is no directive of a body");
    Variable pattern;
    pattern.space = *space;
    const size_t before = body_.variables.size();
    if (!Declarations::read_variables(pattern, body_.variables)) return false;
    for (size_t i = before; i < body_.variables.size(); ++i)
      scopes_.back().variables[body_.variables[i].name] = static_cast<uint32_t>(i);
    return true;
  }

  bool read_registers() {
    Variable typed;
    if (!read_type(typed)) return false;
    if (typed.vector != 1)
      return fail(lexer_.peek(), "registers that are vectors are not known here");
    do {
      const Token name = lexer_.next();
      if (name.kind != Token::Kind::word) return fail(name, "a register's name is missing here");
      if (!lexer_.accept('<')) {
        declare_register(name.text, typed.type);
        continue;
      }
      uint64_t count;
      if (!read_count(count) || !expect('>')) return false;
      if (count > most_registers || body_.registers.size() + count > most_registers)
        return fail(name, "these are too many registers");
      scopes_.back().ranges[name.text] = {static_cast<uint32_t>(body_.registers.size()),
                                          static_cast<uint32_t>(count)};
      body_.registers.resize(body_.registers.size() + count, {typed.type});
    } while (lexer_.accept(','));
    return expect(';');
  }

  // .loc 1 12 5 [, function_name $L__info_string0, inlined_at 1 20 3]
  bool read_location() {
    uint64_t file, line, column;
    if (!read_count(file) || !read_count(line) || !read_count(column)) return false;
    source_file_ = static_cast<uint32_t>(file);
    source_line_ = static_cast<uint32_t>(line);
    while (lexer_.accept(',')) {
      const Token what = lexer_.next();
      if (what.is("function_name")) {
        lexer_.next();
        if (lexer_.accept('+')) lexer_.next();
      } else if (what.is("inlined_at")) {
        if (!read_count(file) || !read_count(line) || !read_count(column)) return false;
      } else {
        return fail(what, "this is not known of a .loc");
      }
    }
    lexer_.accept(';');
    return true;
  }

  bool read_predicated() {
    const bool negated = lexer_.accept('!');
    const Token name = lexer_.next();
    const auto predicate = find_register(name.text);
    if (!predicate || body_.registers[*predicate].type != Type::pred)
      return fail(name, "a predicate is missing here");
    const Token opcode = lexer_.next();
    if (opcode.kind != Token::Kind::word) return fail(opcode, "an instruction is missing here");
    return read_instruction(opcode, predicate, negated);
  }

  bool read_instruction(const Token& opcode, std::optional<uint32_t> predicate, bool negated) {
    const auto number = static_cast<uint32_t>(body_.instructions.size());
    Instruction& instruction = body_.instructions.emplace_back();
    instruction.text = opcode.text;
    instruction.line = opcode.line;
    instruction.source_file = source_file_;
    instruction.source_line = source_line_;
    instruction.predicate = predicate;
    instruction.predicate_negated = negated;
    const std::string sentence = split_opcode(instruction);
    if (!sentence.empty()) return fail(opcode, sentence);
    const bool branches = instruction.opcode == "bra" || instruction.opcode == "brx";
    while (!lexer_.peek().is(';')) {
      if (!instruction.operands.empty() && !expect(',')) return false;
      if (branches && lexer_.peek().kind == Token::Kind::word && !is_register(lexer_.peek().text) &&
          instruction.opcode == "bra") {
        const Token target = lexer_.next();
        Operand& operand = instruction.operands.emplace_back();
        operand.kind = Operand::Kind::label;
        scopes_.back().references.push_back(
            {target.text, target, false, number,
             static_cast<uint32_t>(instruction.operands.size() - 1)});
        continue;
      }
      if (!read_operand(instruction.operands.emplace_back(), 0)) return false;
    }
    const std::string wrong = check_operands(instruction, body_);
    if (!wrong.empty()) return fail(opcode, wrong);
    return expect(';');
  }

  bool read_operand(Operand& operand, int depth) {
    if (depth > 4) return fail(lexer_.peek(), "these operands are too deep");
    if (!read_one(operand, depth)) return false;
    if (!lexer_.accept('|')) return true;
    // d|p: both are written.
    Operand pair;
    pair.kind = Operand::Kind::vector;
    pair.elements.resize(2);
    pair.elements[0] = std::move(operand);
    if (!read_one(pair.elements[1], depth)) return false;
    operand = std::move(pair);
    return true;
  }

  bool read_one(Operand& operand, int depth) {
    const Token& token = lexer_.peek();
    if (token.is('!')) {
      lexer_.next();
      operand.negated = true;
      const Token name = lexer_.next();
      const auto found = find_register(name.text);
      if (!found) return fail(name, "there is no such register");
      operand.kind = Operand::Kind::reg;
      operand.index = *found;
      return true;
    }
    if (token.is('{') || token.is('(')) {
      const char end = lexer_.next().is('{') ? '}' : ')';
      operand.kind = Operand::Kind::vector;
      while (!lexer_.accept(end)) {
        if (!operand.elements.empty() && !expect(',')) return false;
        if (operand.elements.size() > 1024)
          return fail(lexer_.peek(), "these are too many operands");
        if (!read_operand(operand.elements.emplace_back(), depth + 1)) return false;
      }
      return true;
    }
    if (token.is('[')) return read_address(operand, depth);
    if (token.kind == Token::Kind::number || token.is('-') || token.is('+'))
      return read_number(operand);
    if (token.kind != Token::Kind::word) return fail(token, "an operand is missing here");
    const Token name = lexer_.next();
    if (name.is("_")) return true;
    if (read_register(name.text, operand)) return true;
    if (const auto special = special_named(name.text)) {
      operand.kind = Operand::Kind::special;
      operand.special = *special;
      return true;
    }
    if (!name_symbol(name, operand)) return false;
    operand.kind = Operand::Kind::symbol;
    return lexer_.peek().is('+') || lexer_.peek().is('-') ? read_offset(operand) : true;
  }

  bool read_offset(Operand& operand) {
    bool negative = lexer_.next().is('-');
    if (lexer_.accept('-')) negative = !negative;
    uint64_t offset;
    if (!read_count(offset)) return false;
    operand.bits = negative ? 0 - offset : offset;
    return true;
  }

  bool read_address(Operand& operand, int depth) {
    lexer_.next();
    operand.kind = Operand::Kind::address;
    const Token& token = lexer_.peek();
    if (token.kind == Token::Kind::number || token.is('-')) {
      Operand number;
      if (!read_number(number)) return false;
      operand.bits = number.bits;
    } else {
      const Token name = lexer_.next();
      if (name.kind != Token::Kind::word) return fail(name, "an address is missing here");
      operand.has_base = true;
      if (const auto found = find_register(name.text)) {
        operand.index = *found;
      } else {
        operand.base_is_symbol = true;
        if (!name_symbol(name, operand)) return false;
      }
      if ((lexer_.peek().is('+') || lexer_.peek().is('-')) && !read_offset(operand)) return false;
    }
    while (lexer_.accept(','))  // a texture's coordinates, a tensor's
      if (!read_operand(operand.elements.emplace_back(), depth + 1)) return false;
    return expect(']');
  }

  // A variable, a function, a prototype, or a name that the machine gives.
  bool name_symbol(const Token& name, Operand& operand) {
    operand.symbol = name.text;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->variables.find(name.text);
      if (found == scope->variables.end()) continue;
      operand.index = 1 + found->second;
      return true;
    }
    for (const auto* list : {&function_.parameters, &function_.results})
      for (const Variable& parameter : *list)
        if (parameter.name == name.text) return true;
    for (const Body::Prototype& prototype : body_.prototypes)
      if (prototype.name == name.text) return true;
    for (const Body::Table& table : body_.tables)
      if (table.name == name.text) return true;
    if (known_.contains(name.text)) return true;
    if (module_.variable(name.text) || module_.function(name.text)) {
      known_.insert(name.text);
      return true;
    }
    return fail(name, "nothing of this name is declared");
  }

  // "%r1", and "%r1.h0" of a video instruction.
  bool read_register(std::string_view name, Operand& operand) const {
    auto found = find_register(name);
    const bool has_parts = body_.instructions.back().opcode.starts_with('v');
    if (const size_t dot = name.rfind('.');
        !found && has_parts && dot != name.npos && dot + 1 < name.size()) {
      operand.part = name.substr(dot + 1);
      found = find_register(name.substr(0, dot));
    }
    if (!found) {
      operand.part = {};
      return false;
    }
    operand.kind = Operand::Kind::reg;
    operand.index = *found;
    return true;
  }

  bool is_register(std::string_view name) const { return find_register(name).has_value(); }

  std::optional<uint32_t> find_register(std::string_view name) const {
    // "%r12" is number 12 of "%r<20>".
    size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    uint64_t number = 0;
    const bool numbered = digits < name.size() && name.size() - digits < 9 &&
                          (name[digits] != '0' || name.size() - digits == 1);
    if (numbered)
      for (size_t i = digits; i < name.size(); ++i)
        number = number * 10 + static_cast<uint64_t>(name[i] - '0');
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (numbered) {
        const auto range = scope->ranges.find(name.substr(0, digits));
        if (range != scope->ranges.end() && number < range->second.count)
          return range->second.first + static_cast<uint32_t>(number);
      }
      const auto found = scope->registers.find(name);
      if (found != scope->registers.end()) return found->second;
    }
    return {};
  }

  const Module& module_;
  const Function& function_;
  Body& body_;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string_view> known_;
  uint32_t source_file_ = 0, source_line_ = 0;
};

}  // namespace

bool read_body(const Module& module, const Function& function, Body& body, Diagnostic& diagnostic) {
  body = Body{};
  return BodyParser(module, function, body, diagnostic).run();
}

}  // namespace cuvette::ptx
