// SPDX-License-Identifier: Apache-2.0
// Exit statuses that come from the command, not from the program that it runs.
//
// Threads: constants.
#pragma once

namespace cuvette::tools {

// docs/reports.md says when each is returned. env(1) and timeout(1) use the last three, too.
inline constexpr int status_nothing_used = 122;  // --require: no process used Cuvette
inline constexpr int status_not_written = 123;   // a report did not get to its file
inline constexpr int status_own_failure = 125;
inline constexpr int status_not_executable = 126;
inline constexpr int status_not_found = 127;

}  // namespace cuvette::tools
