// SPDX-License-Identifier: Apache-2.0
// The `cuvette` command: its options, and nothing else.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "sim/base/config.hpp"
#include "tools/cuvette/command_line.hpp"
#include "tools/cuvette/command_options.hpp"
#include "tools/cuvette/compile.hpp"
#include "tools/cuvette/cost/cost.hpp"
#include "tools/cuvette/course/course_options.hpp"
#include "tools/cuvette/help.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/option_help.hpp"
#include "tools/cuvette/profile/profile.hpp"
#include "tools/cuvette/ptxas.hpp"
#include "tools/cuvette/run.hpp"
#include "tools/cuvette/smi.hpp"
#include "tools/cuvette/step/step.hpp"
#include "tools/cuvette/top/top.hpp"
#include "tools/cuvette/trace/trace_command.hpp"
#include "tools/cuvette/welcome.hpp"

namespace cuvette::tools {
namespace {

constexpr const char* about =
    "Cuvette is a CUDA device made of software: a libcuda.so.1 that needs no GPU.\n";

constexpr const char* main_footer = R"(
Examples:
  cuvette doctor                               is everything in its place here?
  cuvette run -- ./my_program --its-option     run it on a simulated H200
  cuvette run --memory=8G --devices=2 -- ctest
  cuvette run --error-exitcode=99 -- ./tests   fail if anything was reported
  cuvette explore -- ./tests                   look for a legal order in which they fail
  cuvette step -- ./my_program                 go through it command by command
  cuvette trace -- ./my_program                a picture of what it did, for Perfetto's viewer
  cuvette profile -- ./my_program              which lines waste memory accesses
  cuvette cost -- ./my_program                 what its calls would cost on a GPU
  cuvette info                                 what the devices say of themselves
  cuvette smi -L                               the same as nvidia-smi says it
  cuvette learn                                lessons and exercises, graded in every legal order
  cuvette top                                  which processes use the devices now
  cuvette support cuGraph --only=none          what is missing of graphs
  cuvette c++ app.cu -o app                    compile CUDA C++ without NVIDIA's toolkit

`cuvette run --help` lists the knobs. Each is an environment variable too, so that a program can also be
started without this command: LD_LIBRARY_PATH is all it needs.)";

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
    option->take_last();
    option->group("Knobs (each is also a variable of the environment)");
    if (knob.is_switch) continue;
    option->type_name(variable);
    option->check(CLI::Validator(
        [variable](std::string& value) { return knob_complaint(variable, value); }, ""));
  }
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

// The options of the commands that run a program.
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

// All commands, and the values of their options.
class Commands {
 public:
  Commands();
  // Executes the command line, and returns the exit status.
  int run_line(int argc, char** argv);

 private:
  int help(const std::vector<std::string>& words, char* called);
  // Adds what `cuvette run` and the commands beside it know of the program and its environment.
  CLI::App* take_program(CLI::App* command);
  int run_program();
  int run_command();

  CLI::App app_{about, "cuvette"};
  Values values_;
  std::vector<std::string> extra_environment_;
  RunOptions run_options_;
  ExploreOptions explore_options_;
  StepOptions step_options_;
  TraceOptions trace_options_;
  ProfileOptions profile_options_;
  CostOptions cost_options_;
  DoctorOptions doctor_options_;
  InfoOptions info_options_;
  SupportOptions support_options_;
  TopOptions top_options_;
  GradeOptions grade_options_;
  LearnOptions learn_options_;
  bool profiles_ = false;
  std::vector<const CLI::App*>
      with_program_;  // commands that run the program as `cuvette run` does
  CLI::App *run_ = nullptr, *trace_ = nullptr, *profile_ = nullptr, *cost_ = nullptr,
           *step_ = nullptr, *doctor_ = nullptr, *info_ = nullptr, *top_ = nullptr,
           *grade_ = nullptr, *learn_ = nullptr;
};

CLI::App* Commands::take_program(CLI::App* command) {
  add_program_options(*command, run_options_, extra_environment_, values_);
  with_program_.push_back(command);
  return command;
}

Commands::Commands() {
  app_.footer(main_footer);
  app_.set_version_flag("--version", "cuvette " CUVETTE_VERSION, "Print the version and exit");
  app_.require_subcommand(1);
  app_.get_formatter()->column_width(38);

  run_ = app_.add_subcommand("run", "Run a program on Cuvette's devices");
  run_->footer(run_footer);
  add_run_options(*run_, run_options_);
  take_program(run_);
  take_program(add_explore(app_, explore_options_));
  step_ = take_program(add_step(app_, step_options_));
  trace_ = take_program(add_trace(app_, trace_options_));
  profile_ = take_program(add_profile(app_, profile_options_));
  cost_ = take_program(add_cost(app_, cost_options_));
  doctor_ = add_doctor(app_, doctor_options_);
  info_ = add_info(app_, info_options_, profiles_);
  add_knobs(*info_, values_);
  add_support(app_, support_options_);
  top_ = add_top(app_, top_options_);
  grade_ = add_grade(app_, grade_options_);
  learn_ = add_learn(app_, learn_options_);
  // CLI11 does not parse the options of these commands; it only lists the commands.
  app_.add_subcommand("smi", "Print the devices as nvidia-smi does (its options: smi --help)");
  app_.add_subcommand("c++", "Compile CUDA C++ with clang, and link it with Cuvette's runtime");
  app_.add_subcommand("ptxas", "Make an image of PTX, for compilers that call NVIDIA's assembler");
}

// `cuvette help run` is `cuvette run --help`.
int Commands::help(const std::vector<std::string>& words, char* called) {
  if (const auto status = make_help(app_, words)) return *status;
  std::string command = words.empty() ? "" : words.front(), option = "--help";
  std::vector<char*> asked = {called};
  if (!words.empty()) asked.push_back(command.data());
  asked.push_back(option.data());
  return run_line(static_cast<int>(asked.size()), asked.data());
}

int Commands::run_line(int argc, char** argv) {
  if (const auto status = smi_command_line(argc, argv)) return *status;
  if (const auto status = ptxas_command_line(argc, argv)) return *status;
  if (argc < 2) {
    print_welcome();
    return status_own_failure;
  }
  const std::string_view first = argv[1];
  if (first == "help") return help({argv + 2, argv + argc}, argv[0]);
  if (refuse_command(app_, first)) return status_own_failure;
  if (first == "c++") return compile({argv + 2, argv + argc});
  const auto named = std::find_if(with_program_.begin(), with_program_.end(),
                                  [&](const auto* one) { return one->get_name() == first; });
  const CLI::App* const runs = named != with_program_.end() ? *named
                               : first == "doctor"          ? doctor_
                                                            : nullptr;
  const std::vector<std::string> words = words_of(argc, argv, runs, run_options_.program);
  try {
    app_.parse(std::vector<std::string>(words));
    const bool has_record = !trace_options_.from.empty() || !profile_options_.from.empty() ||
                            !cost_options_.needs_program();
    if (named != with_program_.end() && run_options_.program.empty() && !has_record)
      throw CLI::ValidationError(
          "PROGRAM", "there is none: cuvette " + std::string(first) + " [OPTIONS] [--] PROGRAM");
  } catch (const CLI::ExtrasError& error) {
    app_.exit(error);
    propose_options(app_, words);
    return status_own_failure;
  } catch (const CLI::ParseError& error) {
    return app_.exit(error) == 0 ? 0 : status_own_failure;
  }
  return run_command();
}

int Commands::run_program() {
  run_options_.environment.assign(values_.begin(), values_.end());
  for (const std::string& text : extra_environment_) {
    const size_t equals = text.find('=');
    run_options_.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (*run_) return run(run_options_);
  if (*step_) {
    step_options_.run = std::move(run_options_);
    return step(std::move(step_options_));
  }
  if (*trace_) {
    trace_options_.run = std::move(run_options_);
    return trace(std::move(trace_options_));
  }
  if (*profile_) {
    profile_options_.run = std::move(run_options_);
    return profile(profile_options_);
  }
  if (*cost_) {
    cost_options_.run = std::move(run_options_);
    return cost(cost_options_);
  }
  explore_options_.run = std::move(run_options_);
  return explore(std::move(explore_options_));
}

int Commands::run_command() {
  for (const CLI::App* command : with_program_)
    if (*command) return run_program();
  if (*doctor_) {
    doctor_options_.program = std::move(run_options_.program);
    return doctor(doctor_options_);
  }
  if (*info_) {
    info_options_.environment.assign(values_.begin(), values_.end());
    return profiles_ ? list_profiles(info_options_.json) : info(info_options_);
  }
  if (*top_) return top(top_options_);
  if (*grade_) return grade(grade_options_);
  if (*learn_) return learn(learn_options_);
  return support(support_options_);
}

}  // namespace
}  // namespace cuvette::tools

int main(int argc, char** argv) { return cuvette::tools::Commands().run_line(argc, argv); }
