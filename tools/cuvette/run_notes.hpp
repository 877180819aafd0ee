// SPDX-License-Identifier: Apache-2.0
// RunNotes: the notes that the processes of a `cuvette run` leave for it (sim/base/run_notes.hpp).
//
// Threads: for a process with one thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/check/report/report_summary.hpp"

namespace cuvette::tools {

class RunNotes {
 public:
  // Creates the file and names it in the environment. If that fails, nothing is noted.
  RunNotes();
  // Removes it.
  ~RunNotes();
  RunNotes(const RunNotes&) = delete;
  RunNotes& operator=(const RunNotes&) = delete;

  // Whether there is a file. Whether another `cuvette run` started this one and prints the results.
  bool are_made() const { return !file_.empty(); }
  bool is_inner() const { return !outer_.empty(); }

  // Reads the notes, and passes them on to the outer `cuvette run`, which the environment names
  // from now on. Reports that went to another file than `report_file` do not count.
  void read(const std::string& report_file);

  // A program that uses CUDA and does not run on Cuvette, and how many processes ran it.
  struct Missed {
    std::string reason;   // a word of run_notes.hpp
    std::string program;  // its file
    std::string library;  // the other driver
    auto operator<=>(const Missed&) const = default;
  };
  // Notes a program that has left no note in the file.
  void note(const Missed& missed) { ++missed_[missed], ++started_; }
  const std::map<Missed, size_t>& missed() const { return missed_; }

  // All reports, hints too.
  const std::vector<check::ReportSummary>& reports() const { return reports_; }
  bool any_reported() const { return reported_; }
  bool any_unwritten() const { return unwritten_; }  // a report did not get to the file
  bool wants_github() const { return github_; }      // an inner `cuvette run` asked for it

  size_t used() const { return used_; }        // processes that have called cuInit, and can use it
  size_t foreign() const { return foreign_; }  // processes of NVIDIA's runtime
  size_t started() const { return started_; }  // all that were seen; 0: none could be

 private:
  std::string file_;
  std::string outer_;
  std::map<Missed, size_t> missed_;
  std::vector<check::ReportSummary> reports_;
  bool reported_ = false, unwritten_ = false, github_ = false;
  size_t used_ = 0, foreign_ = 0, started_ = 0;
};

}  // namespace cuvette::tools
