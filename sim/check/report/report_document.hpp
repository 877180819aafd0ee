// SPDX-License-Identifier: Apache-2.0
// ReportDocument: a file of reports with a closing part (SARIF, JUnit, GitLab's Code Quality), to
// which several processes add.
//
// Invariant: the file is a whole document whenever it is not locked. An entry and the end that
// follows it are written at once; a process that is killed during that leaves a partial entry,
// which the next process to open the file cuts off.
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

  // Adds the report, unless there is an entry of its name. Null: only makes sure that the document
  // exists and is whole. `refused`: the file is not a document of this format.
  Result add(const Report* report);
  // The same with the line for a report; empty: no report.
  Result add_entry(const std::string& entry);

 private:
  // Reads the new part of the file; mends or writes its end. The file is locked.
  Result read(os::SharedFile& file);
  // Adds the entry, unless there is one of its name; false if that failed.
  bool append(os::SharedFile& file, const std::string& entry);
  // Notes the entries in `text`; nothing follows the last one.
  void take(std::string_view text);

  const ReportFormat format_;
  const std::string path_;
  uint64_t identity_ = 0;  // of the file that the rest is about
  uint64_t end_ = 0;       // where its last entry, or its head, ends
  size_t entries_ = 0;
  bool has_empty_ = false;             // the only entry is a placeholder
  std::unordered_set<uint64_t> keys_;  // digests of the names of its entries
};

}  // namespace cuvette::check
