// SPDX-License-Identifier: Apache-2.0
// The outermost level of a module. Bodies are found and left alone: a file of many megabytes of
// which a program runs one kernel costs little more than finding its braces.
#include <charconv>

#include "sim/ptx/syntax/declarations.hpp"
#include "sim/ptx/syntax/names_in_bodies.hpp"
#include "sim/ptx/syntax/parser.hpp"
#include "sim/ptx/syntax/split_opcode.hpp"

namespace cuvette::ptx {
namespace {

// PTX of a newer version mostly has nothing new in it, so it is read. PTX will not reach this
// version for years.
constexpr uint32_t too_new_major = newest_version / 10 + 2, too_new_minor = 100;

struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
};

// .global and .const in a body, found without reading the rest of it.
class BodyVariables : Declarations {
 public:
  BodyVariables(Module& module, const Function& function, Diagnostic& diagnostic)
      : Declarations(module.text, function.body, function.body_line, diagnostic),
        module_(module),
        function_(function) {}

  bool run() {
    bool begins = true;
    while (lexer_.peek().kind != Token::Kind::end) {
      const Token token = lexer_.next();
      const auto space = begins ? space_named(token.text) : std::nullopt;
      if (space == Space::global || space == Space::constant) {
        if (!read(token, *space)) return false;
      } else {
        begins = token.is(';') || token.is(':') || token.is('{') || token.is('}');
      }
    }
    return true;
  }

 private:
  bool read(const Token& directive, Space space) {
    Variable pattern;
    pattern.space = space;
    std::vector<Variable> variables;
    if (!read_variables(pattern, variables, module_.made_names)) return false;
    for (Variable& variable : variables) {
      module_.made_names.push_back(std::make_shared<const std::string>(
          name_in_body(function_, directive.text.data(), variable.name)));
      variable.name = *module_.made_names.back();
      module_.add(std::move(variable));
    }
    return true;
  }

  Module& module_;
  const Function& function_;
};

class ModuleParser : Declarations {
 public:
  ModuleParser(Module& module, uint32_t newest_target, Diagnostic& diagnostic)
      : Declarations(module.text, module.text, 1, diagnostic),
        module_(module),
        newest_target_(newest_target) {}

  bool run() {
    if (!read_version() || !read_target()) return false;
    while (lexer_.peek().kind != Token::Kind::end)
      if (!read_directive()) return false;
    return true;
  }

 private:
  bool read_version() {
    const Token directive = lexer_.next();
    if (!directive.is(".version")) return fail(directive, "a module must begin with .version");
    const Token number = lexer_.next();
    const size_t dot = number.text.find('.');
    if (number.kind != Token::Kind::number || dot == std::string_view::npos)
      return fail(number, "a version must be written like 8.0");
    const char* const text = number.text.data();
    const char* const end = text + number.text.size();
    if (std::from_chars(text, text + dot, module_.version_major).ptr != text + dot ||
        std::from_chars(text + dot + 1, end, module_.version_minor).ptr != end)
      return fail(number, "a version must be written like 8.0");
    if (module_.version_major >= too_new_major || module_.version_minor >= too_new_minor)
      return fail(number, "this version of PTX is newer than 9.4, the newest that is known here",
                  Error::unsupported_ptx_version);
    return true;
  }

  bool read_target() {
    const Token directive = lexer_.next();
    if (!directive.is(".target")) return fail(directive, ".target is missing here");
    do {
      const Token name = lexer_.next();
      if (name.kind != Token::Kind::word) return fail(name, "a target is missing here");
      if (!name.text.starts_with("sm_")) continue;  // debug, texmode_unified, ...
      module_.target = name.text;
      const char* const digits = name.text.data() + 3;
      const char* const end = name.text.data() + name.text.size();
      const auto [rest, error] = std::from_chars(digits, end, module_.target_number);
      const std::string_view suffix(rest, static_cast<size_t>(end - rest));
      if (error != std::errc{} || !(suffix.empty() || suffix == "a" || suffix == "f") ||
          module_.target_number > 129)
        return fail(name, "there is no such target");
      if (module_.target_number > newest_target_)
        return fail(name, "this is for a newer device than this one", Error::invalid_ptx);
    } while (lexer_.accept(','));
    if (module_.target.empty()) return fail(directive, "it names no sm_ target");
    return true;
  }

  bool read_directive() {
    Linkage linkage;
    for (;;) {
      const Token token = lexer_.next();
      if (token.is(".extern")) {
        linkage.is_extern = true;
      } else if (token.is(".visible")) {
        linkage.is_visible = true;
      } else if (token.is(".weak")) {
        linkage.is_weak = true;
      } else if (token.is(".common")) {
        linkage.is_common = true;
      } else {
        return read_directive(token, linkage);
      }
    }
  }

  bool read_directive(const Token& token, const Linkage& linkage) {
    if (token.is(".entry") || token.is(".func")) return read_function(token, linkage);
    if (token.is(".address_size")) {
      uint64_t size;
      if (!read_count(size)) return false;
      if (size != 64) return fail(token, "addresses must have 64 bits");
      return true;
    }
    if (token.is(".file")) return read_file();
    if (token.is(".section")) return read_section();
    if (token.is(".pragma") || token.is(".alias") || token.is(".loc")) return skip_statement(token);
    if (const auto space = space_named(token.text)) return read_variables(*space, linkage);
    return fail(token, "this is not a directive of a module");
  }

  bool skip_statement(const Token& begin) {
    for (;;) {
      const Token token = lexer_.next();
      if (token.is(';')) return true;
      if (token.kind == Token::Kind::unterminated) return fail(token, "");
      if (token.kind == Token::Kind::end) return fail(begin, "a ';' is missing after this");
    }
  }

  bool read_file() {
    uint64_t number;
    if (!read_count(number, UINT32_MAX)) return false;
    const Token name = lexer_.next();
    if (name.kind != Token::Kind::string) return fail(name, "a file's name is missing here");
    module_.files.push_back({static_cast<uint32_t>(number), name.text});
    while (lexer_.accept(','))
      if (!read_count(number)) return false;
    return true;
  }

  bool read_section() {
    lexer_.next();  // its name
    const Token brace = lexer_.peek();
    std::string_view contents;
    if (!expect('{')) return false;
    if (!lexer_.skip_braces(contents)) return fail(brace, "this brace is never closed");
    return true;
  }

  bool read_variables(Space space, const Linkage& linkage) {
    if (space == Space::local || space == Space::reg || space == Space::param)
      return fail(lexer_.peek(), "such a variable belongs in a function");
    Variable pattern;
    pattern.space = space;
    pattern.is_extern = linkage.is_extern;
    pattern.is_visible = linkage.is_visible;
    pattern.is_weak = linkage.is_weak;
    pattern.is_common = linkage.is_common;
    if (kind_is_reference()) return read_reference(pattern);
    std::vector<Variable> variables;
    if (!Declarations::read_variables(pattern, variables, module_.made_names)) return false;
    for (Variable& variable : variables) {
      // Measured with ptxas: an array of a known size is memory like any other, and of several
      // modules that are linked the same.
      if (space == Space::shared && variable.is_extern && variable.elements > 0) {
        variable.is_extern = false;
        variable.is_common = true;
      }
      module_.add(std::move(variable));
    }
    return true;
  }

  // .texref and .surfref may have initialisers that are not numbers.
  bool kind_is_reference() const {
    const Token& token = lexer_.peek();
    return token.is(".texref") || token.is(".samplerref") || token.is(".surfref");
  }
  bool read_reference(Variable& variable) {
    const Token type = lexer_.next(), name = lexer_.next();
    if (name.kind != Token::Kind::word) return fail(name, "a name is missing here");
    variable.type = *type_named(type.text.substr(1));
    variable.name = name.text;
    variable.line = name.line;
    module_.add(variable);
    return skip_statement(name);
  }

  bool read_function(const Token& directive, const Linkage& linkage) {
    Function function;
    function.is_entry = directive.is(".entry");
    function.is_extern = linkage.is_extern;
    function.is_visible = linkage.is_visible;
    function.is_weak = linkage.is_weak;
    function.line = directive.line;
    if (lexer_.peek().is(".attribute")) {
      lexer_.next();
      while (!lexer_.peek().is(')') && lexer_.peek().kind != Token::Kind::end) lexer_.next();
      if (!expect(')')) return false;
    }
    if (!function.is_entry && lexer_.peek().is('(') && !read_parameters(function.results))
      return false;
    const Token name = lexer_.next();
    if (name.kind != Token::Kind::word) return fail(name, "a function's name is missing here");
    function.name = name.text;
    if (lexer_.peek().is('(') && !read_parameters(function.parameters)) return false;
    if (!read_tuning(function)) return false;
    const Token brace = lexer_.peek();
    bool declares = false;
    if (lexer_.accept('{')) {
      function.body_line = brace.line;
      if (!lexer_.skip_braces(function.body, &declares))
        return fail(brace, "this brace is never closed");
    } else if (!expect(';')) {
      return false;
    }
    const Function* const other = module_.function(function.name);
    if (!function.body.empty() && other && !other->body.empty())
      return fail(name, "there are two functions of this name");
    module_.add(std::move(function));
    return !declares || BodyVariables(module_, module_.functions.back(), diagnostic_).run();
  }

  bool read_tuning(Function& function) {
    while (lexer_.peek().kind == Token::Kind::directive) {
      const Token token = lexer_.next();
      if (token.is(".noreturn")) {
        function.noreturn = true;
      } else if (token.is(".explicitcluster")) {
        function.explicit_cluster = true;
      } else if (token.is(".maxntid")) {
        if (!read_triple(function.maxntid)) return false;
      } else if (token.is(".reqntid")) {
        if (!read_triple(function.reqntid)) return false;
      } else if (token.is(".reqnctapercluster")) {
        if (!read_triple(function.reqnctapercluster)) return false;
      } else if (token.is(".minnctapersm") || token.is(".maxnctapersm") || token.is(".maxnreg") ||
                 token.is(".maxclusterrank")) {
        uint64_t value;
        if (!read_count(value, UINT32_MAX)) return false;
        if (token.is(".minnctapersm")) function.minnctapersm = static_cast<uint32_t>(value);
        if (token.is(".maxnreg")) function.maxnreg = static_cast<uint32_t>(value);
      } else if (token.is(".pragma")) {
        if (!skip_statement(token)) return false;
      } else if (token.is(".unique") || token.is(".abi_preserve") ||
                 token.is(".abi_preserve_control") || token.is(".blocksareclusters")) {
        uint64_t ignored;
        if (lexer_.peek().kind == Token::Kind::number && !read_count(ignored)) return false;
      } else {
        return fail(token, "this is not a directive of a function");
      }
    }
    return true;
  }

  bool read_triple(uint32_t (&triple)[3]) {
    triple[0] = triple[1] = triple[2] = 1;
    for (int i = 0; i < 3; ++i) {
      uint64_t value;
      if (i > 0 && !lexer_.accept(',')) return true;
      const Token token = lexer_.peek();
      if (!read_count(value, UINT32_MAX)) return false;
      if (value == 0) return fail(token, "there is at least one");
      triple[i] = static_cast<uint32_t>(value);
    }
    return true;
  }

  Module& module_;
  const uint32_t newest_target_;
};

}  // namespace

std::string name_in_body(const Function& function, const char* directive, std::string_view name) {
  return std::string(name) + "$" + std::string(function.name) + "$" +
         std::to_string(directive - function.body.data());
}

bool read_module(std::string text, uint32_t newest_target, Module& module, Diagnostic& diagnostic) {
  module = Module{};
  module.text = std::move(text);
  if (ModuleParser(module, newest_target, diagnostic).run()) return true;
  diagnostic.blame_version(module.version());
  return false;
}

// The first word of each statement is an opcode; everything else is left alone.
bool check_opcodes(const Module& module, const Function& function, Diagnostic& diagnostic) {
  Lexer lexer(function.body, function.body_line);
  bool begins = true;
  while (lexer.peek().kind != Token::Kind::end) {
    const Token token = lexer.next();
    if (token.is('{') || token.is('}')) {
      continue;  // of a scope between statements, of a vector inside one
    } else if (token.is(';') || token.is(':')) {
      begins = true;
    } else if (begins && token.is('@')) {
      lexer.accept('!');
      lexer.next();
    } else if (begins) {
      begins = false;
      if (token.kind != Token::Kind::word || lexer.peek().is(':')) continue;
      const std::string sentence = check_opcode(token.text);
      if (sentence.empty()) continue;
      diagnostic = {Error::invalid_ptx, token.line, std::string(token.text), sentence};
      diagnostic.blame_version(module.version());
      return false;
    }
  }
  return true;
}

}  // namespace cuvette::ptx
