// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/linker.hpp"

#include <algorithm>
#include <charconv>

#include "sim/ptx/abi/device_runtime.hpp"
#include "sim/ptx/passes/check_bodies.hpp"
#include "sim/ptx/syntax/lexer.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

bool lies_in(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() < whole.data() + whole.size();
}

bool same_parameters(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Variable& x, const Variable& y) { return x.bytes() == y.bytes(); });
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// Iterates over the statements of a module's outermost level.
class Statements {
 public:
  explicit Statements(std::string_view text) : text_(text), lexer_(text) {}

  struct Statement {
    std::string_view text;
    std::string_view directive;  // ".entry", ".global", ...: after the linkage words
  };
  bool next(Statement& statement) {
    const Token first = lexer_.peek();
    if (first.kind == Token::Kind::end) return false;
    Token token = lexer_.next();
    while (token.is(".extern") || token.is(".visible") || token.is(".weak") || token.is(".common"))
      token = lexer_.next();
    statement.directive = token.text;
    if (token.is(".version") || token.is(".address_size")) {
      lexer_.next();
    } else if (token.is(".target")) {
      do lexer_.next();
      while (lexer_.accept(','));
    } else if (token.is(".file")) {
      lexer_.next();
      lexer_.next();
      while (lexer_.accept(',')) lexer_.next();
    } else {
      skip_to_end(token.is(".entry") || token.is(".func") || token.is(".section"));
    }
    const char* const end =
        lexer_.peek().kind == Token::Kind::end ? text_.data() + text_.size() : lexer_.position();
    statement.text = {first.text.data(), static_cast<size_t>(end - first.text.data())};
    return true;
  }

 private:
  // After a ';', or after the first braces where those are the end.
  void skip_to_end(bool braces_end) {
    while (lexer_.peek().kind != Token::Kind::end) {
      if (lexer_.accept(';')) return;
      if (!lexer_.accept('{')) {
        lexer_.next();
        continue;
      }
      std::string_view skipped;
      if (!lexer_.skip_braces(skipped) || braces_end) return;
    }
  }

  const std::string_view text_;
  Lexer lexer_;
};

}  // namespace

void Linker::collect(const Unit& unit, size_t number, Symbols& shown, Symbols& own) {
  const auto add = [&](std::string_view name, bool is_shown, const Symbol& symbol) {
    Symbols& symbols = is_shown ? shown : own;
    const auto [known, added] = symbols.try_emplace(name, symbol);
    if (!added && symbol.strength > known->second.strength) known->second = symbol;
  };
  for (const Variable& variable : unit.module->variables) {
    const Strength strength = variable.is_extern   ? Strength::declared
                              : variable.is_common ? Strength::common
                              : variable.is_weak   ? Strength::weak
                                                   : Strength::strong;
    // `extern .shared` memory comes from the launch; no module defines it.
    const bool is_shown = (variable.is_extern && variable.space != Space::shared) ||
                          variable.is_visible || variable.is_weak || variable.is_common;
    add(variable.name, is_shown, {number, strength, &variable, nullptr});
  }
  // A name may be declared as one thing and defined as another: `.func f;`, `.visible .func f {}`.
  std::unordered_set<std::string_view> names_shown;
  for (const Function& function : unit.module->functions)
    if (function.is_extern || function.is_visible || function.is_weak)
      names_shown.insert(function.name);
  for (const Function& function : unit.module->functions) {
    const Strength strength = function.body.empty() ? Strength::declared
                              : function.is_weak    ? Strength::weak
                                                    : Strength::strong;
    add(function.name, names_shown.contains(function.name), {number, strength, nullptr, &function});
  }
}

// Returns why two symbols of one name conflict; empty if they do not.
std::string Linker::complaint(std::string_view name, const Symbol& known, const Symbol& added,
                              const std::string& unit) const {
  const std::string where = quoted(name) + " in " + quoted(unit) + ", first ";
  const std::string& first = units_[known.unit].name;
  if (!known.variable != !added.variable ||
      (known.variable && known.variable->space != added.variable->space))
    return "Memory space doesn't match for " + where + "specified in " + quoted(first);
  if (known.variable) {
    const Variable &a = *known.variable, &b = *added.variable;
    const bool both_common =
        known.strength == Strength::common && added.strength == Strength::common;
    if (a.bytes() != b.bytes() && a.elements && b.elements && !both_common)
      return "Size doesn't match for " + where + "specified in " + quoted(first);
  } else if (!same_parameters(known.function->parameters, added.function->parameters) ||
             !same_parameters(known.function->results, added.function->results)) {
    return "Prototype doesn't match for " + where + "defined in " + quoted(first);
  }
  if (known.strength == Strength::strong && added.strength == Strength::strong)
    return "Multiple definition of " + where + "defined in " + quoted(first);
  return {};
}

Result<> Linker::add(std::string text, const std::string& name, std::string& log) {
  Unit unit{name, std::make_unique<Module>()};
  Diagnostic diagnostic;
  if (!read_module(std::move(text), newest_target_, *unit.module, diagnostic) ||
      check_bodies(*unit.module, true, diagnostic) == BodyState::wrong) {
    diagnostic.quote_from(unit.module->text);
    log += "error   : " + quoted(name) + ", " + diagnostic.sentence() + "\n";
    if (!diagnostic.quote.empty()) log += diagnostic.quote + "\n";
    return diagnostic.error;
  }
  Symbols shown, own;
  const size_t number = units_.size();
  collect(unit, number, shown, own);
  std::string complaints;
  for (const auto& [symbol, added] : shown) {
    const auto known = symbols_.find(symbol);
    if (known == symbols_.end()) continue;
    const std::string sentence = complaint(symbol, known->second, added, name);
    if (!sentence.empty()) complaints += "error   : " + sentence + "\n";
  }
  if (!complaints.empty()) {
    log += complaints;
    return Error::invalid_source;
  }
  for (const auto& [symbol, added] : shown) {
    Symbol& known = symbols_.try_emplace(symbol, added).first->second;
    const bool larger = known.strength == Strength::common && added.strength == Strength::common &&
                        added.variable->bytes() > known.variable->bytes();
    if (added.strength > known.strength || larger) known = added;
    ++uses_[symbol];
  }
  for (const auto& [symbol, added] : own) ++uses_[symbol];
  units_.push_back(std::move(unit));
  own_.push_back(std::move(own));
  return {};
}

// The first unit that uses a name no unit exports keeps it.
std::string Linker::own_name(std::string_view name, size_t unit) const {
  bool taken = symbols_.contains(name);
  for (size_t i = 0; i < unit && !taken; ++i) taken = own_[i].contains(name);
  if (!taken) return std::string(name);
  std::string other;
  size_t number = unit;
  do other = std::string(name) + "$" + std::to_string(number);
  while (uses_.contains(other) && (number += units_.size()));
  return other;
}

// Returns whether a unit's declaration or definition goes into the linked module.
bool Linker::kept(const Unit& unit, size_t number, std::string_view statement) const {
  bool any = false, wanted = false;
  const auto look = [&](std::string_view name, const void* thing, bool definition) {
    if (!lies_in(name, statement)) return;
    any = true;
    const auto known = symbols_.find(name);
    if (known == symbols_.end() || own_[number].contains(name)) {
      wanted = true;
      return;
    }
    const Symbol& symbol = known->second;
    const bool chosen =
        symbol.unit == number && (thing == symbol.variable || thing == symbol.function);
    // Declarations of functions stay: what calls them may stand before the definition.
    wanted |= chosen || (!definition && symbol.function);
  };
  for (const Variable& variable : unit.module->variables)
    look(variable.name, &variable, !variable.is_extern);
  for (const Function& function : unit.module->functions)
    look(function.name, &function, !function.body.empty());
  return wanted || !any;
}

// Writes statements with the names that they have in the linked module.
class Linker::Writer {
 public:
  Writer(const Linker& linker, std::string& text) : linker_(linker), text_(text) {}

  void begin(size_t unit) {
    unit_ = unit;
    names_.clear();
    for (const auto& [name, symbol] : linker_.own_[unit]) {
      std::string other = linker_.own_name(name, unit);
      if (other != name) names_.emplace(name, std::move(other));
    }
    uint64_t most = 0;
    for (const Module::File& file : linker_.units_[unit].module->files)
      most = std::max<uint64_t>(most, file.number);
    first_file_ = next_file_;
    next_file_ += most;
  }

  void write(const Statements::Statement& statement) {
    Lexer lexer(statement.text);
    const char* written = statement.text.data();
    bool number_is_file = false;
    // A declaration alone uses nothing.
    const bool uses = statement.text.find_first_of("{=") != std::string_view::npos;
    const auto replace = [&](const Token& token, std::string_view by) {
      text_.append(written, token.text.data());
      text_.append(by);
      written = token.text.data() + token.text.size();
    };
    while (lexer.peek().kind != Token::Kind::end) {
      const Token token = lexer.next();
      if (number_is_file && token.kind == Token::Kind::number && first_file_ > 0)
        replace(token, renumbered(token.text));
      number_is_file = token.is(".file") || token.is(".loc") || token.is("inlined_at");
      if (token.kind != Token::Kind::word) continue;
      if (const auto name = names_.find(token.text); name != names_.end())
        replace(token, name->second);
      if (uses) used_.insert(token.text);
    }
    text_.append(written, statement.text.data() + statement.text.size());
    text_ += '\n';
  }

  bool used(std::string_view name) const { return used_.contains(name); }

 private:
  std::string renumbered(std::string_view number) const {
    uint64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return std::to_string(value + first_file_);
  }

  const Linker& linker_;
  std::string& text_;
  size_t unit_ = 0;
  uint64_t first_file_ = 0, next_file_ = 0;
  std::unordered_map<std::string_view, std::string> names_;
  std::unordered_set<std::string_view> used_;  // the words of bodies and initialisers
};

uint32_t Linker::target() const {
  uint32_t target = 0;
  for (const Unit& unit : units_) target = std::max(target, unit.module->target_number);
  return target;
}

// Adds the device runtime if a unit declares a function of it and none defines it.
Result<> Linker::add_device_runtime(std::string& log) {
  const bool wanted = std::ranges::any_of(symbols_, [](const auto& one) {
    return one.second.strength == Strength::declared && in_device_runtime(one.first);
  });
  return wanted ? add(device_runtime(), "the device runtime", log) : Result<>();
}

Result<std::string> Linker::link(std::string& log) {
  TRY(add_device_runtime(log));
  std::string text;
  uint32_t version = 64, target = 0;
  std::string_view target_name = "sm_50";
  for (const Unit& unit : units_) {
    const Module& module = *unit.module;
    version = std::max(version, module.version_major * 10 + module.version_minor);
    const bool special =
        module.target_number == target && module.target.size() > target_name.size();
    if (module.target_number <= target && !special) continue;
    target = module.target_number;
    target_name = module.target;
  }
  text = ".version " + std::to_string(version / 10) + "." + std::to_string(version % 10) +
         "\n.target " + std::string(target_name) + "\n.address_size 64\n";
  Writer writer(*this, text);
  for (size_t i = 0; i < units_.size(); ++i) {
    writer.begin(i);
    Statements statements(units_[i].module->text);
    for (Statements::Statement statement; statements.next(statement);) {
      const std::string_view directive = statement.directive;
      // Debug information names what the compiler of the unit knew.
      if (directive == ".version" || directive == ".target" || directive == ".address_size" ||
          directive == ".section" || !kept(units_[i], i, statement.text))
        continue;
      writer.write(statement);
    }
  }
  std::vector<std::string> complaints;
  // A kernel that calls a function of the device runtime that is not implemented is refused when it
  // is asked for, and not with all others.
  for (const auto& [name, symbol] : symbols_)
    if (symbol.strength == Strength::declared && !is_system_call(name) && !is_of_runtime(name) &&
        writer.used(name))
      complaints.push_back("error   : Undefined reference to " + quoted(name) + " in " +
                           quoted(units_[symbol.unit].name) + "\n");
  std::sort(complaints.begin(), complaints.end());
  for (const std::string& complaint : complaints) log += complaint;
  if (!complaints.empty()) return Error::invalid_source;
  return text;
}

}  // namespace cuvette::ptx
