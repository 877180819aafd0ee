// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/completion.hpp"
#include "tools/cuvette/completion_words.hpp"

namespace cuvette::tools {
namespace {

// Returns a text for an argument of _arguments or _describe in single quotes.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == ':' || c == '[' || c == ']' || c == '\\')
      result += std::string("\\") + c;
    else if (c != '`')
      result += c;
  }
  return result;
}

std::string zsh_value(const HelpPage::Option& option) {
  const KnobWords values = values_of(option);
  const std::string name = ":" + zsh_text(option.value) + ":";
  if (values.words.empty()) return name + "_files";
  if (!values.several) return name + "(" + joined_words(values.words) + ")";
  return name + "_values -s , " + zsh_text(option.value) + " " + joined_words(values.words);
}

}  // namespace

std::string zsh_completion(const std::vector<HelpPage>& pages) {
  std::string commands, cases;
  for (const HelpPage& page : pages) {
    if (page.name.empty()) continue;
    commands += "    '" + zsh_text(page.name) + ":" + zsh_text(page.about) + "'\n";
    cases += "    " + page.name + ")\n      _arguments \\\n";
    for_each_option(page, [&](const HelpPage::Option& option) {
      for (const std::string& name : option.names) {
        const bool has_value = !option.value.empty();
        cases += "        '*" + zsh_text(name) + (has_value && name.starts_with("--") ? "=" : "") +
                 "[" + zsh_text(short_text(option)) + "]" + (has_value ? zsh_value(option) : "") +
                 "' \\\n";
      }
    });
    cases += page.runs_program
                 ? "        '(-)1:program:_command_names -e' '*::arguments:_normal' ;;\n"
                 : "        '*:file:_files' ;;\n";
  }
  return "#compdef cuvette\n# made by `cuvette help --completion=zsh`\n\n_cuvette() {\n"
         "  local -a commands=(\n    'help:Say how a command is used'\n" +
         commands +
         "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  if [[ $command == help ]]; then\n"
         "    _describe command commands\n    return\n  fi\n  shift words\n  ((--CURRENT))\n"
         "  case $command in\n" +
         cases + "  esac\n}\n\n_cuvette \"$@\"\n";
}

}  // namespace cuvette::tools
