// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/run_notes.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/base/run_notes.hpp"
#include "sim/os/output.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Returns what follows `word` and a blank in the line; empty if it begins with another.
std::string after(const std::string& line, const char* word) {
  const std::string begin = std::string(word) + " ";
  return line.starts_with(begin) ? line.substr(begin.size()) : "";
}

// Returns the process and the program of "REASON PROCESS FILE".
std::pair<std::string, RunNotes::Missed> missed_of(const std::string& text) {
  std::istringstream words(text);
  std::string process;
  RunNotes::Missed missed;
  words >> missed.reason >> process;
  words.get();
  std::getline(words, missed.program);
  if (const size_t tab = missed.program.find('\t'); tab != std::string::npos) {
    missed.library = missed.program.substr(tab + 1);
    missed.program.resize(tab);
  }
  return {process, missed};
}

// Parses a line that as_json() wrote; returns nothing if the line was cut off. The program may have
// written to the file, too: a member of another type counts as missing.
std::optional<check::ReportSummary> summary_in(const std::string& text) {
  using Json = nlohmann::json;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto text_of = [&](const char* name) {
    const auto member = json.find(name);
    return member != json.end() && member->is_string() ? member->get<std::string>() : "";
  };
  const auto line = json.find("line"), hint = json.find("hint");
  return check::ReportSummary{
      text_of("report"),
      text_of("sentence"),
      text_of("text"),
      text_of("test"),
      text_of("file"),
      line != json.end() && line->is_number_unsigned() ? line->get<uint64_t>() : 0,
      text_of("fingerprint"),
      text_of("to suppress"),
      hint != json.end() && *hint == true};
}

}  // namespace

RunNotes::RunNotes() {
  if (const char* const outer = getenv(run_notes::variable)) outer_ = outer;
  std::error_code failure;
  file_ = (fs::temp_directory_path(failure) / "cuvette-notes-").string();
  file_.append(6, 'X');  // mkstemp() puts its own name in their place
  const int file = failure ? -1 : mkstemp(file_.data());
  if (file < 0) {
    file_.clear();
    return;
  }
  close(file);
  setenv(run_notes::variable, file_.c_str(), 1);
}

RunNotes::~RunNotes() {
  if (!file_.empty()) unlink(file_.c_str());
}

void RunNotes::read(const std::string& report_file) {
  std::ifstream in(file_);
  std::string passed_on;
  std::set<std::string> started, used, foreign, commands;
  std::map<std::string, Missed> missed;  // by their processes
  for (std::string line; std::getline(in, line);) {
    if (const std::string text = after(line, run_notes::missed); !text.empty()) {
      // This command reports it, and passes the report on.
      if (auto [process, one] = missed_of(text); !process.empty()) missed[process] = one;
      continue;
    }
    passed_on += line + "\n";
    if (after(line, run_notes::reported) == report_file && line.starts_with(run_notes::reported))
      reported_ = true;
    if (!report_file.empty() && after(line, run_notes::unwritten) == report_file) unwritten_ = true;
    if (!after(line, run_notes::github).empty()) github_ = true;
    if (const std::string text = after(line, run_notes::report); !text.empty())
      if (auto summary = summary_in(text)) reports_.push_back(*std::move(summary));
    for (const auto& [word, set] :
         {std::pair{run_notes::started, &started}, std::pair{run_notes::used, &used},
          std::pair{run_notes::foreign, &foreign}, std::pair{run_notes::command, &commands}})
      if (std::string process = after(line, word); !process.empty())
        set->insert(std::move(process));
  }
  for (const auto& [process, one] : missed)
    if (!used.contains(process) || foreign.contains(process)) ++missed_[one];
  // A static program, or one that was started without the environment, does not note its start.
  for (const auto& [process, one] : missed) started.insert(process);
  for (const std::string& process : used) started.insert(process);
  for (const std::string& process : foreign) used.erase(process);
  for (const std::string& process : commands) started.erase(process);
  used_ = used.size();
  foreign_ = foreign.size();
  started_ += started.size();
  if (outer_.empty()) {
    unsetenv(run_notes::variable);
    return;
  }
  setenv(run_notes::variable, outer_.c_str(), 1);
  if (!fs::exists(outer_)) return;
  os::append_to_file(outer_, passed_on);
}

}  // namespace cuvette::tools
