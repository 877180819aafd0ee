// SPDX-License-Identifier: Apache-2.0
// Reporter: where reports go. A report is written once for each place in the program that causes
// it, and only counted after that.
//
// Threads: any. A report may be made in the handler of a fault that the program's own instruction
// raised (access_guard.cpp says why that is possible).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/choices.hpp"
#include "sim/base/mutex.hpp"
#include "sim/check/report/report_document.hpp"
#include "sim/check/report/report_kinds.hpp"
#include "sim/check/report/report_text.hpp"
#include "sim/check/report/suppressions.hpp"

namespace cuvette::check {

class Reporter {
 public:
  // The values of the knobs in config.def; `file` may hold %p.
  struct Options {
    std::string suppress;
    std::string file;
    ReportFormat format = ReportFormat::json;
    std::string baseline = {};
    // Another file, for the test runner around the program: a line of JSON for each report.
    std::string runner_file = {};
  };
  explicit Reporter(const Options& options);

  // Makes the document that reports go to, if they go to one, so that it is there without any.
  void begin_document() EXCLUDES(mutex_);

  // Forgets earlier reports: a place is reported once more, and any() only covers later reports.
  void begin_again() EXCLUDES(mutex_);

  // Counts a report that `place` in the program causes. If true, make the report and write() it.
  bool admit(ReportId id, const void* place) EXCLUDES(mutex_);
  void write(const Report& report) EXCLUDES(mutex_);

  struct Count {
    uint64_t written = 0;
    uint64_t repeated = 0;  // from a place that was reported before
    uint64_t suppressed = 0;
    uint64_t known = 0;  // in the baseline
  };
  Count count(ReportId id) EXCLUDES(mutex_);
  // Whether anything but hints was written, which decides the exit status.
  bool any() EXCLUDES(mutex_);
  // Whether a test runner reads the reports.
  bool has_runner() const { return !runner_file_.empty(); }
  // Returns a line about reports that were counted but not shown; empty if there is nothing to say.
  std::string summary() EXCLUDES(mutex_);

 private:
  // Revokes the admission of the report, and counts it in the given total instead: its places,
  // which admit() does not see, are suppressed, or it is known.
  void withdraw(ReportId id, uint64_t Count::*instead) EXCLUDES(mutex_);
  // Writes to the file; without a report, an empty document.
  void write_to_file(const Report* report) EXCLUDES(mutex_, file_mutex_);
  // Returns the document that reports go to; a forked process gets another one.
  ReportDocument& document() REQUIRES(file_mutex_);

  const Suppressions suppressions_;
  const Baseline baseline_;
  const ReportFormat format_;
  std::string file_;  // absolute: the program may change its directory
  const std::string runner_file_;
  Mutex mutex_;
  std::array<Count, report_kinds.size()> counts_ GUARDED_BY(mutex_);
  std::set<std::pair<ReportId, const void*>> seen_ GUARDED_BY(mutex_);
  bool complained_ GUARDED_BY(mutex_) = false;
  Mutex file_mutex_;  // taken before no other
  std::unique_ptr<ReportDocument> document_ GUARDED_BY(file_mutex_);
  std::string document_file_ GUARDED_BY(file_mutex_);
};

// Returns the process's reporter, set up from the environment. It is never destroyed, because
// reports may come until the end.
Reporter& reporter();

}  // namespace cuvette::check
