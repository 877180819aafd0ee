// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/run_note.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/run_notes.hpp"
#include "sim/check/report/report_summary.hpp"
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

bool append(const std::string& lines) {
  const std::string& file = notes();
  return !file.empty() && os::append_to_file(file, lines);
}

std::string line(const char* word, const std::string& value) {
  return std::string(word) + " " + value + "\n";
}

}  // namespace

void note_for_run(const char* word) { note_for_run(word, std::to_string(os::process_id())); }

void note_for_run(const char* word, const std::string& value) { append(line(word, value)); }

bool is_first_to_note(const char* word) {
  const std::string begin = std::string(word) + " ";
  const std::string own = begin + std::to_string(os::process_id());
  if (!append(own + "\n")) return true;
  // Every line is appended by one write, so all processes see the same one first.
  std::ifstream in(notes());
  for (std::string text; std::getline(in, text);)
    if (text.starts_with(begin)) return text == own;
  return true;
}

bool note_report(const Report& report, const std::string& file) {
  if (notes().empty()) return false;
  return append((kind(report.id).is_hint ? "" : line(run_notes::reported, file)) +
                line(run_notes::report, as_json(summary_of(report))));
}

}  // namespace cuvette::check
