// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/cost.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/cuvette/cost/result.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/from_folder.hpp"
#include "tools/cuvette/option_help.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/record/record_run.hpp"
#include "tools/cuvette/shell_word.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

constexpr const char* footer = R"(
Runs the program, and says for each function and place: how often it was called, how long that took here, and
how long by a table that was measured on a real GPU. First come calls that could be fewer.

Examples:
  cuvette cost -- ./my_program
  cuvette cost --json -- ./my_program > before.json
  cuvette cost --compare before.json after.json
  cuvette cost --from=FOLDER          a record that CUVETTE_RECORD=FOLDER has kept

docs/cost.md says how the table was measured, and how near the estimates are.

Exit status: the program's own, as of `cuvette run`, also if it made no CUDA call; 123 if --calls cannot be
written, 125 if this command itself failed, or was given a file or folder that it cannot read.)";

CostTable table_of(const CostOptions& options) {
  return read_cost_table(options.table.empty() ? standard_cost_table() : options.table);
}

CostResult saved_result(const std::string& path) {
  const auto text = whole_file(path);
  if (!text) throw CostFileError(path + " cannot be read: " + std::strerror(errno));
  try {
    return cost_from_json(*text, path);
  } catch (const CostFileError& error) {
    throw CostFileError(std::string(error.what()) +
                        "; --compare reads files that `cuvette cost --json -- PROGRAM > FILE` has "
                        "made");
  }
}

int compare(const CostOptions& options) {
  const CostResult before = saved_result(options.compare.at(0));
  const CostResult after = saved_result(options.compare.at(1));
  const std::string text = options.json ? compared_as_json(before, after)
                                        : compared_as_text(before, after, options.limit);
  std::fputs(text.c_str(), stdout);
  return 0;
}

// Returns whether the file was written.
bool write_calls(const std::string& path, const std::string& text) {
  FILE* const file = std::fopen(path.c_str(), "w");
  bool is_good = file && std::fputs(text.c_str(), file) >= 0;
  if (file && std::fclose(file) != 0) is_good = false;
  if (!is_good)
    std::fprintf(stderr, "cuvette cost: %s cannot be written: %s\n", path.c_str(),
                 std::strerror(errno));
  return is_good;
}

// Whether the status may mean that the program did not run: then that has been said.
bool is_of_failed_start(int status) {
  return status == status_own_failure || status == status_not_executable ||
         status == status_not_found;
}

// Prints the costs of the record, and writes the calls. Returns `status`, or another if that is 0
// and a file could not be written.
int show(const CostOptions& options, const Record& record, const CostTable& table, int status) {
  const CostResult result = cost_of(record, table);
  if (options.json)
    std::fputs(cost_as_json(result).c_str(), stdout);
  else if (result.calls != 0)
    std::fputs(cost_as_text(result, options.limit).c_str(), stdout);
  if (!options.calls.empty() && !write_calls(options.calls, calls_as_csv(record, table)))
    return status ? status : status_not_written;
  return status;
}

int estimate_program(const CostOptions& options, const CostTable& table) {
  const RecordedRun run = record_run(options.run, {"cost", false, ""});
  if (run.record.calls.empty()) {
    if (is_of_failed_start(run.status)) return run.status;
    std::fprintf(stderr,
                 "cuvette cost: the program made no CUDA call, so there is nothing to estimate; "
                 "`cuvette doctor -- %s` says why, if it should have made some\n",
                 shell_word(options.run.program.front()).c_str());
  }
  return show(options, run.record, table, run.status);
}

int estimate_folder(const CostOptions& options, const CostTable& table) {
  if (!can_read_from(options.from, "cost", "CUVETTE_RECORD")) return status_own_failure;
  const Record record = read_record(options.from);
  if (record.calls.empty()) {
    std::fprintf(stderr,
                 "cuvette cost: --from=%s: there is no call in this folder; CUVETTE_RECORD=FOLDER "
                 "in the environment of a program records its calls\n",
                 shell_word(options.from).c_str());
    return status_own_failure;
  }
  return show(options, record, table, 0);
}

}  // namespace

CLI::App* add_cost(CLI::App& app, CostOptions& options) {
  CLI::App* command = app.add_subcommand("cost", "Say what a program's calls would cost on a GPU");
  command->footer(footer);
  command->add_flag("--json", options.json, wrapped("Print the answer as JSON."));
  command
      ->add_option("--compare", options.compare,
                   wrapped("Compare two answers of --json, instead of running a program."))
      ->type_name("BEFORE AFTER")
      ->expected(2);
  command
      ->add_option("--from", options.from,
                   wrapped("Read a record that was kept by CUVETTE_RECORD, instead of running a "
                           "program."))
      ->type_name("FOLDER");
  command
      ->add_option("--table", options.table,
                   wrapped("The table of costs [the one of an NVIDIA H200]."))
      ->type_name("FILE");
  command
      ->add_option("--calls", options.calls,
                   wrapped("Also write one line for each call to this file, as CSV."))
      ->type_name("FILE");
  command->add_option("--limit", options.limit, wrapped("How many lines to print; 0: all [20]."))
      ->type_name("N");
  return command;
}

int cost(const CostOptions& options) {
  try {
    if (!options.compare.empty()) return compare(options);
    const CostTable table = table_of(options);  // before the program runs
    return options.from.empty() ? estimate_program(options, table)
                                : estimate_folder(options, table);
  } catch (const CostFileError& error) {
    std::fprintf(stderr, "cuvette cost: %s\n", error.what());
    return status_own_failure;
  }
}

}  // namespace cuvette::tools
