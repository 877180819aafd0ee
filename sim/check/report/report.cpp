// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/report/report_names.hpp"
#include "sim/check/report/report_places.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr const char* blank = " \t\r\n";
  const size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

// Whether a pattern without a place is that identifier.
bool is_kind(std::string_view identifier, std::string_view pattern) {
  if (pattern == identifier) return true;
  return pattern.ends_with('*') && identifier.starts_with(pattern.substr(0, pattern.size() - 1));
}

// The place of the report that the thread was last allowed to make.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* admitted_place = nullptr;

}  // namespace

// --- Suppressions --------------------------------------------------------------------------------

Suppressions::Suppressions(const std::string& knob) {
  if (knob.empty()) return;
  std::error_code failure;
  if (std::filesystem::is_regular_file(knob, failure)) {
    std::ifstream file(knob);
    for (std::string line; std::getline(file, line);) add(line.substr(0, line.find('#')));
    return;
  }
  if (knob.find('/') != std::string::npos) {
    missing_file_ = knob;
    return;
  }
  std::istringstream names(knob);
  for (std::string name; std::getline(names, name, ',');) add(name);
}

void Suppressions::add(std::string_view pattern) {
  pattern = trimmed(pattern);
  if (!pattern.empty()) patterns_.emplace_back(pattern);
}

bool Suppressions::match(std::string_view identifier) const {
  for (const std::string_view pattern : patterns_)
    if (pattern.find(':') == std::string_view::npos && is_kind(identifier, pattern)) return true;
  return false;
}

bool Suppressions::match(const Report& report) const {
  for (const std::string_view pattern : patterns_) {
    const size_t colon = pattern.find(':');
    if (colon == std::string_view::npos) continue;
    if (is_kind(kind(report.id).identifier, trimmed(pattern.substr(0, colon))) &&
        names_place(report, trimmed(pattern.substr(colon + 1))))
      return true;
  }
  return false;
}

std::string Suppressions::complaint() const {
  if (!missing_file_.empty()) return "'" + missing_file_ + "', which does not exist";
  for (const std::string& pattern : patterns_)
    if (const std::string wrong = pattern_complaint(pattern); !wrong.empty()) return wrong;
  return "";
}

// --- Reporter ------------------------------------------------------------------------------------

Reporter::Reporter(const Options& options)
    : suppressions_(options.suppress), format_(options.format), runner_file_(options.runner_file) {
  if (options.file.empty()) return;
  std::error_code failure;
  const auto absolute = std::filesystem::absolute(options.file, failure);
  file_ = failure ? options.file : absolute.string();
}

bool Reporter::admit(ReportId id, const void* place) {
  place = callsite::caller_of(place);
  const bool suppressed = suppressions_.match(kind(id).identifier);
  MutexLock lock(mutex_);
  Count& count = counts_[static_cast<size_t>(id)];
  if (suppressed) {
    ++count.suppressed;
    return false;
  }
  if (!seen_.emplace(id, place).second) {
    ++count.repeated;
    return false;
  }
  ++count.written;
  admitted_place = place;
  return true;
}

void Reporter::begin_again() {
  MutexLock lock(mutex_);
  seen_.clear();
  for (Count& count : counts_) count.written = 0;
}

void Reporter::withdraw(ReportId id) {
  MutexLock lock(mutex_);
  Count& count = counts_[static_cast<size_t>(id)];
  --count.written;
  ++count.suppressed;
  // The next report from there may be called from elsewhere, or have another partner.
  seen_.erase({id, admitted_place});
}

void Reporter::write(const Report& report) {
  if (suppressions_.match(report)) return withdraw(report.id);
  if (!kind(report.id).is_hint) note_for_run(run_notes::reported, file_);
  const std::string command = format_ == ReportFormat::github ? github_command(report) : "";
  // A command that the `cuvette run` around it prints would be one too many here.
  os::write_to_stderr(command.empty() || have_run_print(command) ? report.text() : command);
  // Readers of the file count mistakes.
  if (kind(report.id).is_hint) return;
  if (!file_.empty()) write_to_file(&report);
  // A child may outlive the runner, and with it the file.
  if (!runner_file_.empty()) std::ignore = os::append_to_file(runner_file_, report.json());
}

void Reporter::begin_document() {
  if (!file_.empty() && is_document(format_)) write_to_file(nullptr);
}

void Reporter::write_to_file(const Report* report) {
  const std::string file = os::with_process_id(file_);
  auto result = os::FileChange::failed;
  if (is_document(format_)) {
    result = os::change_file(
        file, [&](std::string_view content) { return with_report(format_, content, report); });
  } else if (os::append_to_file(file, appended_text(format_, *report))) {
    result = os::FileChange::done;
  }
  if (result == os::FileChange::done) return;
  MutexLock lock(mutex_);
  if (std::exchange(complained_, true)) return;
  os::write_to_stderr("cuvette: CUVETTE_REPORT names " + file +
                      (result == os::FileChange::refused
                           ? ", which is not a document that reports can be added to.\n"
                           : ", which cannot be written.\n"));
}

Reporter::Count Reporter::count(ReportId id) {
  MutexLock lock(mutex_);
  return counts_[static_cast<size_t>(id)];
}

bool Reporter::any() {
  MutexLock lock(mutex_);
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i].written && !report_kinds[i].is_hint) return true;
  return false;
}

std::string Reporter::summary() {
  std::string repeated, suppressed;
  const auto add = [](std::string& list, const char* identifier, uint64_t count) {
    if (count == 0) return;
    if (!list.empty()) list += ", ";
    list += std::string(identifier) + " " + std::to_string(count);
  };
  {
    MutexLock lock(mutex_);
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (!report_kinds[i].is_hint) add(repeated, report_kinds[i].identifier, counts_[i].repeated);
      add(suppressed, report_kinds[i].identifier, counts_[i].suppressed);
    }
  }
  std::string text;
  if (!repeated.empty())
    text += "cuvette: not shown again: " + repeated + " (from the same places).\n";
  if (!suppressed.empty()) text += "cuvette: suppressed: " + suppressed + ".\n";
  return text;
}

Reporter& reporter() {
  // Set by a test runner, as the package for Python is one; not a knob.
  const char* const runner_file = getenv("CUVETTE_TEST_REPORTS");
  static Reporter* const instance = new Reporter(
      {config().suppress, config().report, config().report_format, runner_file ? runner_file : ""});
  return *instance;
}

}  // namespace cuvette::check
