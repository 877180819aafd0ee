// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/command_options.hpp"

#include <map>
#include <memory>
#include <regex>

#include "tools/cuvette/duration.hpp"
#include "tools/cuvette/option_help.hpp"

namespace cuvette::tools {
namespace {

constexpr const char* explore_footer = R"(
Runs the program in the order in which it submits its work, then in others that the rules allow too, and
explains the first in which it fails: by a report, its exit status, a signal, its output or by not ending.
Says how to repeat that run with as little held back as makes it fail. Orders that differ only by swapping
work that touches different memory are run once.

Examples:
  cuvette explore -- ./my_tests
  cuvette explore --differ -- ./my_program     it fails if its results differ
  cuvette explore --fail-output='WRONG|Error' --seeds=1000 -- ./my_program
  cuvette explore --time=10m -- ./my_tests
  cuvette explore --html -- ./my_tests         explore.html: the order that fails, beside one that passes
  mpirun -np 4 cuvette explore -- ./my_tests   each rank runs a quarter of the orders

What was found so far is said, too, if a signal (Ctrl-C) or --time stops it.

Exit status: 0 if the program fails in none that was run, 1 if it fails in one, 2 if it failed but not when the
same order was repeated; 128 + N if signal N stopped it before it found a failure; 127 if it was not found,
126 if it could not be started, 125 if this command itself failed, 123 if the page of --html could not be written.)";

constexpr const char* doctor_footer = R"(
Looks at Cuvette's own files, the environment, the program if one is named, and the machine, and compiles and
runs a kernel. Each finding comes with a line that mends it.

Examples:
  cuvette doctor
  cuvette doctor -- ./my_program
  cuvette doctor --json -- python3 train.py

Exit status: 0 if programs can run, 1 if something is wrong, 125 if this command itself failed.)";

}  // namespace

CLI::App* add_explore(CLI::App& app, ExploreOptions& options) {
  CLI::App* command =
      app.add_subcommand("explore", "Look for a legal order of its work in which a program fails");
  command->footer(explore_footer);
  command
      ->add_option("--seeds", options.limits.seeds,
                   wrapped("How many orders to leave to chance [64]."))
      ->type_name("N");
  command
      ->add_option("--switches", options.limits.switches,
                   wrapped("How many orders to try that hold back one stream and then another "
                           "[128]."))
      ->type_name("N");
  command
      ->add_option("--jobs", options.jobs,
                   wrapped("How many runs at a time [the number of cores]."))
      ->type_name("N");
  command
      ->add_option("--timeout", options.timeout,
                   wrapped("A run that takes longer fails [ten times the first, and 5 s]."))
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  command
      ->add_option_function<std::string>(
          "--time", [&options](const std::string& text) { options.time = *seconds_of(text); },
          wrapped(
              "Stop looking after so long, and say what was found by then; 90, 90s, 10m, 2h [no "
              "limit]."))
      ->type_name("DURATION")
      ->check(CLI::Validator(
          [](std::string& text) {
            return seconds_of(text) ? "" : "not a duration, such as 90s, 10m or 2h";
          },
          ""));
  command->add_flag(
      "--differ", options.compares,
      wrapped("A run also fails if the data copied to the host, the data that kernels leave "
              "in memory that they share with it, or the standard output differs "
              "from the order of submission."));
  command->add_flag_callback(
      "--outputs", [&options] { options.collects = options.json = true; },
      wrapped("Print, as JSON, each of the outputs that the program has in some order, and whether "
              "they are all; no run fails."));
  command->add_flag_callback(
      "--no-fail-report", [&options] { options.fails_by_report = false; },
      wrapped("A report alone is not a failure."));
  command->add_flag("--json", options.json, wrapped("Print the answer as JSON."));
  command->add_flag("--html{explore.html}", options.page,
                    wrapped("Write a page for a browser if an order fails, beside one that passes: "
                            "--html for explore.html, or --html=FILE."));
  command
      ->add_option("--fail-output", options.fails_by_output,
                   wrapped("A run also fails if this matches its output."))
      ->type_name("REGEX")
      ->check(CLI::Validator(
          [](std::string& text) -> std::string {
            try {
              const std::regex regex(text);
              return "";
            } catch (const std::regex_error&) {
              return "not a regular expression";
            }
          },
          ""));
  return command;
}

CLI::App* add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* command =
      app.add_subcommand("doctor", "Say what is in the way of running programs here");
  command->formatter(std::make_shared<RunFormatter>());
  command->get_formatter()->column_width(38);
  command->footer(doctor_footer);
  command->add_flag("--json", options.json, "Print the findings as JSON");
  return command;
}

CLI::App* add_info(CLI::App& app, InfoOptions& options, bool& profiles) {
  CLI::App* command =
      app.add_subcommand("info", "Print the devices' properties, as a program sees them");
  command->footer("");
  command->add_flag("--json", options.json, "Print JSON, with every attribute");
  command->add_flag("--ctest-resources", options.ctest_resources,
                    "Print what `ctest --resource-spec-file` reads, for `ctest -j`");
  command->add_flag("--profiles", profiles, "List the GPUs that --device can name instead");
  return command;
}

void add_support(CLI::App& app, SupportOptions& options) {
  static const std::map<std::string, driver::Support> levels = {
      {"full", driver::Support::full},
      {"partial", driver::Support::partial},
      {"none", driver::Support::none}};
  CLI::App* command =
      app.add_subcommand("support", "List the libraries' functions and how far each works");
  command->footer("");
  command->add_option("NAMES", options.names, "Only functions whose names contain one of these");
  command
      ->add_option_function<std::string>(
          "--only", [&options](const std::string& level) { options.only = levels.at(level); },
          "Only functions of this level")
      ->type_name("full|partial|none")
      ->check(CLI::Validator(
          [](std::string& level) {
            return levels.contains(level) ? "" : "not full, partial or none";
          },
          ""));
  command->add_flag_callback(
      "--markdown", [&options] { options.format = SupportFormat::markdown; }, "Print Markdown");
  command->add_flag_callback(
      "--json", [&options] { options.format = SupportFormat::json; },
      "Print JSON, with the twins for the per-thread default stream");
}

}  // namespace cuvette::tools
