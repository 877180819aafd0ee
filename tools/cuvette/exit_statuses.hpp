// SPDX-License-Identifier: Apache-2.0
// The exit statuses of the command that are not a program's own.
//
// Threads: constants.
#pragma once

namespace cuvette::tools {

// Exit statuses of `cuvette run` that are not the program's own (docs/reports.md); the last three
// are those of env(1) and timeout(1).
inline constexpr int status_nothing_used = 122;  // --require: no process used Cuvette
inline constexpr int status_not_written = 123;   // a report did not get to its file
inline constexpr int status_own_failure = 125;
inline constexpr int status_not_executable = 126;
inline constexpr int status_not_found = 127;

}  // namespace cuvette::tools
