// SPDX-License-Identifier: Apache-2.0
// `cuvette profile`: runs a program and says what its kernels count, per source line.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "tools/cuvette/profile/profile_model.hpp"
#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct ProfileOptions {
  RunOptions run;
  bool json = false;
  std::string kernels;  // a regular expression that names of kernels have to match; empty: all
  size_t limit = 10;    // lines of each kernel; 0: all
  std::string from;     // a folder of counts to show, instead of running a program
  std::string page;     // a page for a browser, of the run with its counts; empty: none
};

// Returns the program's exit status, or one of `cuvette run`; status_own_failure if a folder that
// was named has no counts, status_not_written if the page could not be written.
int profile(const ProfileOptions& options);

// Adds the command; parsing it fills `options`.
CLI::App* add_profile(CLI::App& app, ProfileOptions& options);

// The model for programs. `limit`: lines of each kernel; 0: all.
std::string as_json(const ProfileModel& model, size_t limit);

}  // namespace cuvette::tools
