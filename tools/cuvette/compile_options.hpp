// SPDX-License-Identifier: Apache-2.0
// The command line of `cuvette c++`, which looks like a compiler's.
//
// Threads: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cuvette::tools {

struct CompileOptions {
  std::vector<std::string> cuda_sources;  // *.cu
  std::vector<std::string> host_sources;  // *.cpp, *.cc, *.cxx, *.C, *.c
  std::vector<std::string> objects;       // *.o, *.a, *.so
  std::string output;                     // empty: the default of what is made
  bool stop_at_objects = false;           // -c
  bool stop_at_ptx = false;               // --ptx
  bool verbose = false;                   // -v
  bool per_thread_stream = false;         // --default-stream per-thread
  bool static_runtime = false;            // --cudart static
  bool relocatable = false;               // -rdc=true
  bool help = false;
  std::vector<unsigned> capabilities;   // -arch=sm_90, -gencode ...; each once, at least one
  std::string clang;                    // --clang; empty: the first that is found
  std::string optimization;             // -O2, as it was given
  std::vector<std::string> compiling;   // options for each compilation: -I, -D, -W...
  std::vector<std::string> host_alone;  // those for the host's side alone: -Xcompiler
  std::vector<std::string> linking;     // -l, -L, -Wl,... in their order
  std::vector<std::string> any_step;    // what follows "--"
};

// Reads the words after "c++". If they are wrong, says so on stderr and returns nothing.
std::optional<CompileOptions> compile_options(const std::vector<std::string>& words);

// The text of `cuvette c++ --help`.
extern const char* const compile_help;

}  // namespace cuvette::tools
