// SPDX-License-Identifier: Apache-2.0
// `cuvette trace`: runs a program, and writes what it did on its devices for Perfetto's viewer, or
// as a page for a browser.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tools/cuvette/run.hpp"
#include "tools/cuvette/trace/trace.hpp"

namespace cuvette::tools {

struct TraceOptions {
  RunOptions run;
  std::string file;   // for Perfetto's viewer; empty: none if there is a page, else trace.pftrace
  std::string page;   // for a browser; empty: none
  std::string from;   // a folder with a record; empty: the program is run
  std::string limit;  // CUVETTE_RECORD_LIMIT; empty: its default
  TraceTime time = TraceTime::order;
  bool is_quiet = false;
};

// Adds the command; parsing it fills `options`.
CLI::App* add_trace(CLI::App& app, TraceOptions& options);

// Returns the program's exit status; status_not_written if that is 0 but the file could not be
// written, or another of exit_statuses.hpp.
int trace(TraceOptions options);

}  // namespace cuvette::tools
