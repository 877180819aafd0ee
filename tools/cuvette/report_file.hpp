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
  // `name`: empty if there is none; with %p in it, each process has its own, which is not looked
  // at.
  ReportFile(std::string name, ReportFormat format);

  const std::string& name() const { return name_; }

  // Makes the file, or the document, where there is none. `anew`: removes the reports of an earlier
  // run; a file that has something else is left as it is. Says so if reports cannot go there.
  void begin(bool anew);
  // Adds a report of this command; says so if that fails.
  void add(const check::Report& report);
  // Adds the line of a document; says so if that fails.
  void add_entry(const std::string& entry);
  // Whether a report was added by anybody since begin().
  bool has_grown() const;
  // Sees to it that a document is whole. Whether the file was writable all the time; says what is
  // wrong if that is known here alone.
  bool end();

 private:
  bool is_looked_at() const;
  // How much is reported there: a document has something to say before that.
  uintmax_t content() const;
  void complain(const char* why);

  std::string name_;
  ReportFormat format_;
  uintmax_t before_ = 0;
  bool is_good_ = true;
};

}  // namespace cuvette::tools
