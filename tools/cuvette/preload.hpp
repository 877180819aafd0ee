// SPDX-License-Identifier: Apache-2.0
// Lists in the environment that the loader reads, and the libraries that `cuvette run` puts into
// LD_PRELOAD.
//
// Threads: for a process with one thread.
#pragma once

#include <filesystem>
#include <string>

namespace cuvette::tools {

// Puts `entry` in front of the list in `variable`, or at its end.
void prepend_to_list(const char* variable, const std::string& entry);
void append_to_list(const char* variable, const std::string& entry);

// Preloads the library that watches the program's OpenGL calls; it does nothing in other programs.
void preload_gl_watch(const std::filesystem::path& folder);

// Preloads a stand-in for each libnvJitLink (tools/linker_stand_in). Python packages look in
// site-packages before they ask the loader, but a library that is already loaded under that name
// comes first.
void preload_linkers(const std::filesystem::path& folder);

// Preloads the library that counts the processes, and sees which of them will not find Cuvette.
void preload_run_watch(const std::filesystem::path& folder);

// Preloads what --preload asks for: the driver, and after it the runtimes, since a program with an
// rpath would otherwise find NVIDIA's. Returns whether that was possible; says why if not.
bool preload_driver(const std::filesystem::path& folder);

}  // namespace cuvette::tools
