// SPDX-License-Identifier: Apache-2.0
// The reports of `cuvette smi` about devices, each in its form.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/management.hpp"
#include "tools/cuvette/smi_fields.hpp"

namespace cuvette::tools {

// A table with a row for each device, and the processes that use them.
void print_smi_table(const Management& library, const std::vector<Gpu>& gpus);

// One line for each device.
void print_smi_list(const std::vector<Gpu>& gpus);

// The facts about each device, one line each.
void print_smi_details(const Management& library, const std::vector<Gpu>& gpus);

struct CsvFormat {
  bool header = true;
  bool units = true;
};

// What the first line of --query-compute-apps says of a process's memory.
inline constexpr const char* process_memory_title = "used_gpu_memory [MiB]";

// The values that the titles name, a line for each process.
void print_smi_processes(const std::vector<std::string>& titles, const std::vector<Gpu>& gpus,
                         CsvFormat format);

// The values of `fields`, a line for each device.
void print_smi_csv(const std::vector<const SmiField*>& fields, const std::vector<Gpu>& gpus,
                   CsvFormat format);

}  // namespace cuvette::tools
