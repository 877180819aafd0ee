// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/command_line.hpp"

#include <algorithm>
#include <cstdio>

#include "sim/base/config.hpp"

namespace cuvette::tools {
namespace {

// Returns how many of `words` come before the program if there is no "--": up to the first word
// that is neither an option nor the value of one. The first word is the name of `command`.
size_t words_before_program(const CLI::App& command, const std::vector<std::string>& words) {
  size_t i = 1;
  for (; i < words.size() && words[i].starts_with("-"); ++i) {
    if (words[i].find('=') != std::string::npos) continue;
    const CLI::Option* const option = command.get_option_no_throw(words[i]);
    if (option && option->get_items_expected_max() > 0)
      i += static_cast<size_t>(std::max(option->get_items_expected_min(), 1));
  }
  return std::min(i, words.size());
}

}  // namespace

std::vector<std::string> words_of(int argc, char** argv, const CLI::App* runs,
                                  std::vector<std::string>& program) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (runs) {
    const auto at =
        arguments.begin() + static_cast<std::ptrdiff_t>(words_before_program(*runs, arguments));
    const bool separated = at == arguments.end() || *at == "--" || at[-1] == "--";
    const auto separator = separated ? std::ranges::find(arguments, "--") : at;
    if (separator != arguments.end()) {
      program.assign(separator + (separated ? 1 : 0), arguments.end());
      arguments.erase(separator, arguments.end());
    }
  }
  // "--option=" gives the empty value, which CLI11 takes only as a separate word.
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("--") || arguments[i].find('=') != arguments[i].size() - 1)
      continue;
    arguments[i].pop_back();
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(++i), "");
  }
  std::ranges::reverse(arguments);  // as CLI11 wants them
  return arguments;
}

void propose_options(const CLI::App& app, const std::vector<std::string>& words) {
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    const std::vector<std::string_view> names(options.begin(), options.end());
    for (const std::string& argument : words) {
      const std::string name = argument.substr(0, argument.find('='));
      if (!name.starts_with("--") || std::ranges::find(options, name) != options.end()) continue;
      if (const std::string near = nearest(name, names); !near.empty())
        fprintf(stderr, "'%s': did you mean '%s'?\n", name.c_str(), near.c_str());
    }
  }
}

bool refuse_command(const CLI::App& app, std::string_view word) {
  if (word.empty() || word.starts_with("-")) return false;
  std::vector<std::string_view> names = {"help"};
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::find(names, word) != names.end()) return false;
  const std::string near = nearest(word, names);
  fprintf(stderr, "'%s' is not a command of cuvette%s\n", std::string(word).c_str(),
          near.empty() ? "; `cuvette help` lists them. To run a program: cuvette run -- PROGRAM"
                       : (": did you mean '" + near + "'?").c_str());
  return true;
}

}  // namespace cuvette::tools
