// SPDX-License-Identifier: Apache-2.0
// HelpPage: the --help text of a command in parts, from which manual pages and completions are
// made. The help that a command writes itself is parsed by its form: paragraphs between empty
// lines, "Usage:", "Examples:" and "Exit status:", and options in a left column.
//
// Threads: any.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cuvette::tools {

struct HelpPage {
  struct Option {
    std::vector<std::string> names;  // "-h", "--help"; other words than options as they are
    std::string value;               // "N"; empty: it has none
    std::string text;
  };
  struct Group {
    std::string title;  // empty: simply options
    std::vector<Option> options;
  };
  std::string name;   // "run"; empty: cuvette itself
  std::string about;  // one line
  std::string usage;
  std::vector<std::string> description;  // paragraphs
  std::vector<Group> groups;
  std::string examples;     // lines as they are
  std::string exit_status;  // a paragraph
  bool runs_program = false;
};

// The page of a command that CLI11 parses, and of one that writes its help itself.
HelpPage help_page(const CLI::App& command);
HelpPage help_page(const std::string& name, const std::string& about, const std::string& text);

}  // namespace cuvette::tools
