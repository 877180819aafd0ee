// SPDX-License-Identifier: Apache-2.0
// Notes from the processes of a `cuvette run`: lines that they append to a file. Its name is in a
// variable of the environment that is not a knob: only the command sets it.
//
// Threads: constants.
#pragma once

namespace cuvette::run_notes {

inline constexpr char variable[] = "CUVETTE_RUN_NOTES";

// The words that lines begin with; a blank follows.
inline constexpr char started[] = "started";  // PROCESS: a program has begun in it
inline constexpr char used[] = "used";        // PROCESS: it has called cuInit
inline constexpr char foreign[] = "foreign";  // PROCESS: its CUDA runtime is NVIDIA's: calls fail
inline constexpr char unguarded[] =
    "unguarded";  // PROCESS: it would say that accesses of host threads are not caught
inline constexpr char reported[] = "reported";    // FILE: a report that is no hint went there
inline constexpr char report[] = "report";        // JSON: the summary of a report
inline constexpr char unwritten[] = "unwritten";  // FILE: a report did not get there
// REASON PROCESS FILE: a program that uses CUDA, and does not run on Cuvette (tools/run_watch).
inline constexpr char missed[] = "missed";
inline constexpr char command[] = "command";  // PROCESS: it is a `cuvette run` itself
inline constexpr char github[] =
    "github";  // PROCESS: an inner `cuvette run` wants GitHub's commands

// The reasons.
inline constexpr char set_user_id[] = "set-user-id";  // it has the rights of another user
inline constexpr char statically[] = "static";        // it is linked statically
inline constexpr char environment[] = "environment";  // it was started without the environment
inline constexpr char driver[] =
    "driver";  // it has another libcuda.so.1: a tab and its name follow

}  // namespace cuvette::run_notes
