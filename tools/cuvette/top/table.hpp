// SPDX-License-Identifier: Apache-2.0
// What `cuvette top` prints of a list of processes: a table, or JSON.
//
// Threads: any; the list alone decides, but for the words of command lines (TopProcess).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/processes/use.hpp"

namespace cuvette::tools {

struct TopProcess {
  processes::Process process;
  std::string user;
  std::string command;  // its words, without the folder of the first
  bool here;            // whether its number means something in this PID namespace
};

// "512 B", "1.5 GiB".
std::string human_bytes(uint64_t bytes);

// Returns the lines of the table, none longer than `width`; the last ones are left out where it is
// higher than `height`.
std::vector<std::string> top_table(const std::vector<TopProcess>& processes, size_t width,
                                   size_t height);

// Returns the same as JSON, in one line.
std::string top_json(const std::vector<TopProcess>& processes);

}  // namespace cuvette::tools
