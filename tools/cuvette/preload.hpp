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

// Preloads the library that watches the program's calls of OpenGL; it is harmless without any.
void preload_gl_watch(const std::filesystem::path& folder);

// Preloads a stand-in for each libnvJitLink (tools/linker_stand_in). Packages of Python look into
// site-packages before they ask the loader, but first of all take what is loaded under that name.
void preload_linkers(const std::filesystem::path& folder);

// Preloads what --preload asks for: the driver, and after it the runtimes, since a program with an
// rpath would otherwise find NVIDIA's. Returns whether that was possible, and says why not.
bool preload_driver(const std::filesystem::path& folder);

}  // namespace cuvette::tools
