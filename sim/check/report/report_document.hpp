// SPDX-License-Identifier: Apache-2.0
// ReportDocument: a file of reports that has an end (SARIF, JUnit, GitLab's Code Quality), to which
// several processes add.
//
// Invariant: the file is a whole document whenever it is not locked. An entry and the end that
// follows it are written at once; a process that is killed in the middle of that leaves a
// beginning, which the next one to open the file cuts off.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "sim/base/choices.hpp"
#include "sim/check/report/report_text.hpp"
#include "sim/os/shared_file.hpp"

namespace cuvette::check {

class ReportDocument {
 public:
  enum class Result : uint8_t { done, refused, failed };

  ReportDocument(ReportFormat format, std::string path) : format_(format), path_(std::move(path)) {}

  // Adds the report, unless an entry of its name is there; without one, sees to it that the
  // document is there and whole. `refused`: the file is another kind of document, or none.
  Result add(const Report* report);
  // The same with the line for a report; empty: without one.
  Result add_entry(const std::string& entry);

 private:
  // Reads what is new in the file; mends or makes its end. The file is locked.
  Result read(os::SharedFile& file);
  // Adds the entry, unless one of its name is there; false if that failed.
  bool append(os::SharedFile& file, const std::string& entry);
  // Notes the entries in `text`, of which the last is not followed by anything.
  void take(std::string_view text);

  const ReportFormat format_;
  const std::string path_;
  uint64_t identity_ = 0;  // of the file that the rest is about
  uint64_t end_ = 0;       // where its last entry, or its head, ends
  size_t entries_ = 0;
  bool has_empty_ = false;             // the only entry is the one of a document without reports
  std::unordered_set<uint64_t> keys_;  // digests of the names of its entries
};

}  // namespace cuvette::check
