// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/completion.hpp"
#include "tools/cuvette/completion_words.hpp"

namespace cuvette::tools {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    if (c != '`') result += c;
  }
  return result + "'";
}

// -l for --name, -s for -n, -o for -name.
std::string fish_name(const std::string& name) {
  if (name.starts_with("--")) return " -l " + name.substr(2);
  return (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
}

}  // namespace

std::string fish_completion(const std::vector<HelpPage>& pages) {
  std::string text =
      "# made by `cuvette help --completion=fish`\n"
      "complete -c cuvette -n __fish_use_subcommand -f -a help -d "
      "'Say how a command is used'\n";
  for (const HelpPage& page : pages) {
    if (page.name.empty()) continue;
    text += "complete -c cuvette -n __fish_use_subcommand -f -a " + fish_quoted(page.name) +
            " -d " + fish_quoted(page.about) + "\n";
    const std::string begin =
        "complete -c cuvette -n " + fish_quoted("__fish_seen_subcommand_from " + page.name);
    for_each_option(page, [&](const HelpPage::Option& option) {
      std::string line = begin;
      for (const std::string& name : option.names)
        if (name.size() > 1 && name != "--") line += fish_name(name);
      line += " -d " + fish_quoted(short_text(option));
      if (!option.value.empty()) {
        const KnobWords values = values_of(option);
        line += values.words.empty() ? " -r" : " -x -a " + fish_quoted(joined_words(values.words));
      }
      text += line + "\n";
    });
    if (page.runs_program) text += begin + " -x -a '(__fish_complete_subcommand --commandline)'\n";
  }
  return text;
}

}  // namespace cuvette::tools
