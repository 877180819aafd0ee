// SPDX-License-Identifier: Apache-2.0
// What the processes of a `cuvette run` tell it, as lines that they append to a file. Its name is
// in a variable of the environment, which is no knob: only the command sets it.
//
// Threads: constants.
#pragma once

namespace cuvette::run_notes {

inline constexpr char variable[] = "CUVETTE_RUN_NOTES";

// The words that lines begin with; a blank follows. A line that begins with "::" is a command of
// GitHub's workflows, to be printed as it is.
inline constexpr char used[] = "used";  // PROCESS: it has called cuInit
inline constexpr char foreign[] =
    "foreign";  // PROCESS: it uses a CUDA runtime whose calls all fail
inline constexpr char unguarded[] =
    "unguarded";  // PROCESS: it would say that accesses of host threads are not caught
inline constexpr char reported[] = "reported";  // FILE: a report that is no hint went there

}  // namespace cuvette::run_notes
