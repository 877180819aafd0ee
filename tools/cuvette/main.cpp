// SPDX-License-Identifier: Apache-2.0
// The `cuvette` command: its options, and nothing else.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "sim/base/config.hpp"
#include "tools/cuvette/compile.hpp"
#include "tools/cuvette/explore.hpp"
#include "tools/cuvette/info.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/ptxas.hpp"
#include "tools/cuvette/run.hpp"
#include "tools/cuvette/smi.hpp"
#include "tools/cuvette/support.hpp"

namespace cuvette::tools {
namespace {

constexpr const char* about =
    "Cuvette is a CUDA device made of software: a libcuda.so.1 that needs no GPU.\n";

constexpr const char* main_footer = R"(
Examples:
  cuvette run -- ./my_program --its-option     run it on a simulated H200
  cuvette run --memory=8G --devices=2 -- ctest
  cuvette run --error-exitcode=99 -- ./tests   fail if anything was reported
  cuvette explore -- ./tests                   look for a legal order in which they fail
  cuvette info                                 what the devices say of themselves
  cuvette smi -L                               the same as nvidia-smi says it
  cuvette support cuGraph --only=none          what is missing of graphs
  cuvette c++ app.cu -o app                    compile CUDA C++ without NVIDIA's toolkit

`cuvette run --help` lists the knobs. Each is an environment variable too, so that a program can also be
started without this command: LD_LIBRARY_PATH is all it needs.)";

constexpr const char* explore_footer = R"(
Runs the program in the order in which it submits its work, then in others that the rules allow too, and
explains the first in which it fails: by a report, its exit status, a signal, its output or by not ending.
Says how to repeat that run with as little held back as makes it fail. Orders that differ only by swapping
work that touches different memory are run once.

Examples:
  cuvette explore -- ./my_tests
  cuvette explore --differ -- ./my_program     it fails if its results differ
  cuvette explore --fail-output='WRONG|Error' --seeds=1000 -- ./my_program
  mpirun -np 4 cuvette explore -- ./my_tests   each rank runs a quarter of the orders

Exit status: 0 if the program fails in none, 1 if it fails in one, 2 if it failed but not when the same order
was repeated; 127 if it was not found, 126 if it could not be started, 125 if this command itself failed.)";

constexpr const char* run_footer = R"(
Examples:
  cuvette run -- ./my_program --its-option
  cuvette run --host-access=warn --report=reports.jsonl -- ./my_program
  cuvette run --suppress=host-access,graphics-* --error-exitcode=99 -- ctest -j8
  cuvette run --require --error-exitcode=99 --baseline=known.txt -- ctest   for CI
  cuvette run --preload -- python3 train.py    where an rpath or a real driver comes first

Exit status: the program's own; 128 + N if signal N ended it. If the program ended with 0: 122 with --require
if no process used Cuvette, the one of --error-exitcode if something was reported, 123 if a file of reports or
a baseline could not be written. 127 if it was not found, 126 if it could not be started, 125 if `cuvette run`
itself failed.)";

// `run` and `explore` take a program and its arguments, which CLI11 does not see.
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* command, std::string) const override {
    return "Usage: cuvette " + command->get_name() + " [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n\n";
  }
};

// Breaks a sentence into lines for the right column of the help.
std::string wrapped(const std::string& sentence) {
  constexpr size_t width = 64;
  std::string text;
  size_t column = 0;
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (column && column + 1 + word.size() > width) {
      text += '\n';
      column = 0;
    } else if (column) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

// "CUVETTE_HOST_ACCESS" -> "--host-access"
std::string option_of(const std::string& variable) {
  std::string option = "--";
  for (char letter : variable.substr(variable.find('_') + 1))
    option += letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
  return option;
}

// The values of the knobs' options, as variables of the environment.
using Values = std::map<std::string, std::string>;

// Adds an option for each row of sim/base/config.def. A switch that is on unless it is turned off
// gets one that turns it off.
void add_knobs(CLI::App& command, Values& values) {
  for (const Knob& knob : knobs()) {
    std::string sentence = knob.sentence;
    if (*knob.fallback) sentence += std::string(" [") + knob.fallback + "]";
    const std::string variable = knob.variable;
    const auto store = [&values, variable](const std::string& value) { values[variable] = value; };
    const bool is_on = std::string_view(knob.fallback) == "1";
    const std::string name = option_of(variable);
    CLI::Option* option =
        knob.is_switch ? command.add_flag_callback(
                             is_on ? "--no-" + name.substr(2) : name,
                             [store, is_on] { store(is_on ? "0" : "1"); }, wrapped(sentence))
                       : command.add_option_function<std::string>(name, store, wrapped(sentence));
    option->group("Knobs (each is also a variable of the environment)");
    if (knob.is_switch) continue;
    option->type_name(variable);
    option->check(CLI::Validator(
        [variable](std::string& value) { return knob_complaint(variable, value); }, ""));
  }
}

// Suggests existing options for those that do not exist.
void propose(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    const std::vector<std::string_view> names(options.begin(), options.end());
    for (const std::string& argument : arguments) {
      const std::string name = argument.substr(0, argument.find('='));
      if (!name.starts_with("--") || std::ranges::find(options, name) != options.end()) continue;
      if (const std::string near = nearest(name, names); !near.empty())
        fprintf(stderr, "'%s': did you mean '%s'?\n", name.c_str(), near.c_str());
    }
  }
}

// Says which command was meant by a word that is none; false if there is nothing to say.
bool refuse_command(const CLI::App& app, std::string_view word) {
  if (word.empty() || word.starts_with("-")) return false;
  std::vector<std::string_view> names = {"help"};
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::find(names, word) != names.end()) return false;
  const std::string near = nearest(word, names);
  fprintf(stderr, "'%s' is not a command of cuvette%s\n", std::string(word).c_str(),
          near.empty() ? "; `cuvette help` lists them. To run a program: cuvette run -- PROGRAM"
                       : (": did you mean '" + near + "'?").c_str());
  return true;
}

std::vector<std::pair<std::string, std::string>> settings(const Values& values) {
  return {values.begin(), values.end()};
}

// The options that `run` and `explore` share.
void add_program_options(CLI::App& command, RunOptions& options,
                         std::vector<std::string>& environment, Values& values) {
  command.formatter(std::make_shared<RunFormatter>());
  command.get_formatter()->column_width(38);
  command.add_flag("--preload", options.preload,
                   wrapped("Also name the driver and the runtimes in LD_PRELOAD: for programs with "
                           "their own rpath, or where a real driver would be found first."));
  command.add_flag_callback(
      "--no-watch-gl", [&options] { options.watch_gl = false; },
      wrapped("Do not check the program's OpenGL calls while CUDA has OpenGL resources mapped: "
              "leave libcuvette_gl.so out of LD_PRELOAD."));
  command
      .add_option("--env", environment,
                  wrapped("Set one more variable of the program's environment. May be repeated."))
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](std::string& text) {
            const size_t equals = text.find('=');
            return equals == 0 || equals == std::string::npos ? "not NAME=VALUE" : "";
          },
          ""));
  add_knobs(command, values);
}

// The options that only `run` has.
void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_flag("--require,!--no-require", options.requires_use,
                   wrapped("Fail if no process used Cuvette: a test that found another driver, or "
                           "none, and skipped itself is no success."));
  command.add_flag("--report-append", options.appends,
                   wrapped("Add to the files of --report and --gitlab, as several runs of a suite "
                           "want it."));
  command
      .add_option("--write-baseline", options.write_baseline,
                  wrapped("Write the reports that are made to this file, for --baseline."))
      ->type_name("FILE");
  command.add_flag("--github", options.for_github,
                   wrapped("At the end, print the ten worst mistakes as commands that GitHub shows "
                           "beside the source, and add all of them to the job's summary."));
  command
      .add_option("--gitlab", options.gitlab,
                  wrapped("At the end, write all mistakes to this file for GitLab's Code Quality, "
                          "beside the file of --report."))
      ->type_name("FILE");
  command.add_flag("--quiet", options.is_quiet,
                   wrapped("Do not say at the end how many processes used Cuvette."));
}

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
  command->add_flag(
      "--differ", options.compares,
      wrapped("A run also fails if the data copied to the host, the data that kernels leave "
              "in memory that they share with it, or the standard output differs "
              "from the order of submission."));
  command->add_flag_callback(
      "--no-fail-report", [&options] { options.fails_by_report = false; },
      wrapped("A report alone is not a failure."));
  command->add_flag("--json", options.json, wrapped("Print the answer as JSON."));
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

CLI::App* add_info(CLI::App& app, InfoOptions& options, bool& profiles) {
  CLI::App* command =
      app.add_subcommand("info", "Print the devices' properties, as a program sees them");
  command->footer("");
  command->add_flag("--json", options.json, "Print JSON, with every attribute");
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

// Returns how many of `words`, the first of which is the name of `command`, come before the program
// where no "--" does: up to the first word that is neither an option nor the value of one.
size_t words_before_program(const CLI::App& command, const std::vector<std::string>& words) {
  size_t i = 1;
  for (; i < words.size() && words[i].starts_with("-"); ++i) {
    if (words[i].find('=') != std::string::npos) continue;
    const CLI::Option* const option = command.get_option_no_throw(words[i]);
    if (option && option->get_items_expected_max() > 0) ++i;
  }
  return std::min(i, words.size());
}

// Returns the words of the command line as CLI11 wants them. For a command that runs a program,
// everything after the first "--" belongs to the program, even if it looks like an option.
std::vector<std::string> words_of(int argc, char** argv, const CLI::App* runs,
                                  std::vector<std::string>& program) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (runs) {
    const auto at =
        arguments.begin() + static_cast<std::ptrdiff_t>(words_before_program(*runs, arguments));
    const bool separated = at == arguments.end() || *at == "--" || at[-1] == "--";
    const auto separator = separated ? std::ranges::find(arguments, "--") : at;
    if (separator != arguments.end()) {
      program.assign(separator + (separated ? 1 : 0), arguments.end());
      arguments.erase(separator, arguments.end());
    }
  }
  // "--option=" gives the empty value, which CLI11 takes only as a separate word.
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("--") || arguments[i].find('=') != arguments[i].size() - 1)
      continue;
    arguments[i].pop_back();
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(++i), "");
  }
  std::ranges::reverse(arguments);  // as CLI11 wants them
  return arguments;
}

int run_command_line(int argc, char** argv) {
  CLI::App app(about, "cuvette");
  app.footer(main_footer);
  app.set_version_flag("--version", "cuvette " CUVETTE_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(38);

  Values values;
  RunOptions run_options;
  std::vector<std::string> extra_environment;
  CLI::App* const run_command = app.add_subcommand("run", "Run a program on Cuvette's devices");
  run_command->footer(run_footer);
  add_run_options(*run_command, run_options);
  add_program_options(*run_command, run_options, extra_environment, values);

  ExploreOptions explore_options;
  CLI::App* const explore_command = add_explore(app, explore_options);
  add_program_options(*explore_command, run_options, extra_environment, values);

  InfoOptions info_options;
  bool profiles = false;
  CLI::App* const info_command = add_info(app, info_options, profiles);
  add_knobs(*info_command, values);

  SupportOptions support_options;
  add_support(app, support_options);
  app.add_subcommand("smi", "Print the devices as nvidia-smi does (its options: smi --help)");

  // Their options are a compiler's, which CLI11 does not read: here for the list of commands only.
  app.add_subcommand("c++", "Compile CUDA C++ with clang, and link it with Cuvette's runtime");
  app.add_subcommand("ptxas", "Make an image of PTX, for compilers that call NVIDIA's assembler");

  // `cuvette help run` is `cuvette run --help`.
  std::string help = "--help";
  std::vector<char*> asked = {argv[0]};
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    if (argc > 2) asked.push_back(argv[2]);
    asked.push_back(help.data());
    argc = static_cast<int>(asked.size());
    argv = asked.data();
  }
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (refuse_command(app, first)) return status_own_failure;
  if (first == "c++") return compile({argv + 2, argv + argc});
  const CLI::App* const runs = first == "run"       ? run_command
                               : first == "explore" ? explore_command
                                                    : nullptr;
  const std::vector<std::string> arguments = words_of(argc, argv, runs, run_options.program);
  try {
    app.parse(std::vector<std::string>(arguments));
    if (runs && run_options.program.empty())
      throw CLI::ValidationError("PROGRAM",
                                 "there is none: cuvette run|explore [OPTIONS] [--] PROGRAM");
  } catch (const CLI::ExtrasError& error) {
    app.exit(error);
    propose(app, arguments);
    return status_own_failure;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : status_own_failure;
  }

  if (*run_command || *explore_command) {
    run_options.environment = settings(values);
    for (const std::string& text : extra_environment) {
      const size_t equals = text.find('=');
      run_options.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    if (*run_command) return run(run_options);
    explore_options.run = std::move(run_options);
    return explore(std::move(explore_options));
  }
  if (*info_command) {
    info_options.environment = settings(values);
    return profiles ? list_profiles(info_options.json) : info(info_options);
  }
  return support(support_options);
}

}  // namespace
}  // namespace cuvette::tools

int main(int argc, char** argv) {
  if (const auto status = cuvette::tools::smi_command_line(argc, argv)) return *status;
  if (const auto status = cuvette::tools::ptxas_command_line(argc, argv)) return *status;
  return cuvette::tools::run_command_line(argc, argv);
}
