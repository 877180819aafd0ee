// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/run_note.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/run_notes.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

// The file; empty if no command waits. A process may outlive the command, which removes the file:
// it must not come back.
const std::string& notes() {
  static const std::string* const name = [] {
    const char* const given = std::getenv(run_notes::variable);
    return new std::string(given ? given : "");
  }();
  static const std::string none;
  std::error_code failure;
  return !name->empty() && std::filesystem::exists(*name, failure) ? *name : none;
}

}  // namespace

void note_for_run(const char* word) { note_for_run(word, std::to_string(os::process_id())); }

void note_for_run(const char* word, const std::string& value) {
  have_run_print(std::string(word) + " " + value + "\n");
}

bool is_first_to_note(const char* word) {
  const std::string& file = notes();
  const std::string begin = std::string(word) + " ";
  const std::string own = begin + std::to_string(os::process_id());
  if (file.empty() || !os::append_to_file(file, own + "\n")) return true;
  // Every line is appended by one write, so all processes see the same one first.
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(begin)) return line == own;
  return true;
}

bool have_run_print(std::string_view line) {
  const std::string& file = notes();
  return !file.empty() && os::append_to_file(file, line);
}

}  // namespace cuvette::check
