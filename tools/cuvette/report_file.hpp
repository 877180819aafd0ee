// SPDX-License-Identifier: Apache-2.0
// ReportFile: the file that the reports of a `cuvette run` go to.
//
// Threads: for a process with one thread.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/choices.hpp"
#include "sim/check/report/report_text.hpp"

namespace cuvette::tools {

class ReportFile {
 public:
  // `name`: empty for no file. If it contains %p, each process has its own file, and this class
  // does not look at those.
  ReportFile(std::string name, ReportFormat format);

  const std::string& name() const { return name_; }

  // Creates the file or the document if it does not exist. `anew`: removes the reports of an
  // earlier run; a file with other content is left as it is. Complains if reports cannot be written
  // there.
  void begin(bool anew);
  // Adds a report of this command; complains if that fails.
  void add(const check::Report& report);
  // Adds the line of a document; complains if that fails.
  void add_entry(const std::string& entry);
  // Whether any process has added a report since begin().
  bool has_grown() const;
  // Completes the document. Returns whether the file was writable all the time; complains about a
  // failure that only this class knows of.
  bool end();

 private:
  bool is_looked_at() const;
  // A measure of the reports in the file; it excludes the frame of a document.
  uintmax_t content() const;
  void complain(const char* why);

  std::string name_;
  ReportFormat format_;
  uintmax_t before_ = 0;
  bool is_good_ = true;
};

}  // namespace cuvette::tools
