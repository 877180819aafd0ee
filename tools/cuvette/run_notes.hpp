// SPDX-License-Identifier: Apache-2.0
// RunNotes: what the processes of a `cuvette run` told it (sim/base/run_notes.hpp).
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

class RunNotes {
 public:
  // Makes the file and names it in the environment. Where it cannot be made, nothing is noted.
  RunNotes();
  // Removes it.
  ~RunNotes();
  RunNotes(const RunNotes&) = delete;
  RunNotes& operator=(const RunNotes&) = delete;

  // Reads what was noted. Reports that went to another file than `report_file` do not count. An
  // outer `cuvette run` gets all of it, and does the printing.
  void read(const std::string& report_file);

  bool any_reported() const { return reported_; }
  // Prints GitHub's commands, and a sentence if a program was started and nothing ran on Cuvette.
  void print(bool started) const;

 private:
  std::string file_;
  std::string outer_;
  std::string commands_;
  bool reported_ = false;
  size_t used_ = 0, foreign_ = 0;  // processes
};

// Returns why the loader would drop LD_LIBRARY_PATH and LD_PRELOAD for the program (it is found as
// execvp() does), as the end of a sentence that begins with its name; empty if it would not.
std::string why_environment_is_dropped(const std::string& program);

}  // namespace cuvette::tools
