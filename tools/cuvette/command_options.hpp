// SPDX-License-Identifier: Apache-2.0
// The options of every command except `run`. Each function adds a command; parsing it fills the
// struct that the function was given.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/cuvette/doctor.hpp"
#include "tools/cuvette/explore.hpp"
#include "tools/cuvette/info.hpp"
#include "tools/cuvette/support.hpp"

namespace cuvette::tools {

CLI::App* add_explore(CLI::App& app, ExploreOptions& options);
CLI::App* add_doctor(CLI::App& app, DoctorOptions& options);
CLI::App* add_info(CLI::App& app, InfoOptions& options, bool& profiles);
void add_support(CLI::App& app, SupportOptions& options);

}  // namespace cuvette::tools
