// SPDX-License-Identifier: Apache-2.0
// Runs a program as `cuvette run` does, and records it.
//
// Threads: for a process with one thread.
#pragma once

#include "tools/cuvette/record/record.hpp"
#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct RecordedRun {
  int status = 0;  // of run()
  Record record;
};

struct RecordOptions {
  const char* command = "run";  // the command of cuvette, for what it says
  bool touches = false;         // also the bytes that kernels touch
  std::string keep;             // a folder for the files, which stay there; empty: none
};

// Runs `run.program`; its processes are recorded until it ends.
RecordedRun record_run(RunOptions run, const RecordOptions& options = {});

}  // namespace cuvette::tools
