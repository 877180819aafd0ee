// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report.hpp"

#include <cstdlib>
#include <filesystem>
#include <tuple>
#include <utility>

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/report/recorded_report.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/report/report_summary.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

// The place of the report that the thread was last allowed to make.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* admitted_place = nullptr;

}  // namespace

Reporter::Reporter(const Options& options)
    : suppressions_(options.suppress),
      baseline_(options.baseline),
      format_(options.format),
      runner_file_(options.runner_file) {
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

void Reporter::withdraw(ReportId id, uint64_t Count::*instead) {
  MutexLock lock(mutex_);
  Count& count = counts_[static_cast<size_t>(id)];
  --count.written;
  ++(count.*instead);
  // The next report from there may be called from elsewhere, or have another partner.
  seen_.erase({id, admitted_place});
}

void Reporter::write(const Report& report) {
  if (suppressions_.match(report)) return withdraw(report.id, &Count::suppressed);
  if (baseline_.has(report)) return withdraw(report.id, &Count::known);
  record_report(report);
  const bool is_noted = note_report(report, file_);
  // If a `cuvette run` started the process, it prints GitHub's command.
  os::write_to_stderr(format_ == ReportFormat::github && !is_noted
                          ? github_command(summary_of(report))
                          : report.text());
  // Readers of the file count mistakes.
  if (kind(report.id).is_hint) return;
  if (!file_.empty()) write_to_file(&report);
  // A child may outlive the runner, and with it the file.
  if (!runner_file_.empty()) std::ignore = os::append_to_file(runner_file_, report.json());
}

void Reporter::begin_document() {
  if (!file_.empty() && is_document(format_)) write_to_file(nullptr);
}

ReportDocument& Reporter::document() {
  std::string file = os::with_process_id(file_);
  if (!document_ || file != document_file_) {
    document_ = std::make_unique<ReportDocument>(format_, file);
    document_file_ = std::move(file);
  }
  return *document_;
}

void Reporter::write_to_file(const Report* report) {
  auto result = ReportDocument::Result::done;
  if (is_document(format_)) {
    MutexLock lock(file_mutex_);
    result = document().add(report);
  } else if (!os::append_to_file(os::with_process_id(file_), appended_text(format_, *report))) {
    result = ReportDocument::Result::failed;
  }
  if (result == ReportDocument::Result::done) return;
  note_for_run(run_notes::unwritten, file_);
  MutexLock lock(mutex_);
  if (std::exchange(complained_, true)) return;
  os::say("CUVETTE_REPORT names %s, which %s.", os::with_process_id(file_).c_str(),
          result == ReportDocument::Result::refused
              ? "is not a document that reports can be added to"
              : "cannot be written");
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
  std::string repeated, suppressed, known;
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
      add(known, report_kinds[i].identifier, counts_[i].known);
    }
  }
  std::string text;
  if (!repeated.empty())
    text += "cuvette: not shown again: " + repeated + " (from the same places).\n";
  if (!suppressed.empty()) text += "cuvette: suppressed: " + suppressed + ".\n";
  if (!known.empty()) text += "cuvette: known by the baseline: " + known + ".\n";
  return text;
}

Reporter& reporter() {
  // Set by a test runner, such as the package for Python; not a knob.
  const char* const runner_file = getenv("CUVETTE_TEST_REPORTS");
  static Reporter* const instance =
      new Reporter({config().suppress, config().report, config().report_format, config().baseline,
                    runner_file ? runner_file : ""});
  return *instance;
}

}  // namespace cuvette::check
