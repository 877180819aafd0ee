// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/profile/profile.hpp"

#include <cstdio>
#include <filesystem>
#include <regex>
#include <system_error>
#include <utility>

#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/from_folder.hpp"
#include "tools/cuvette/option_help.hpp"
#include "tools/cuvette/page/page.hpp"
#include "tools/cuvette/page/page_file.hpp"
#include "tools/cuvette/profile/profile_page.hpp"
#include "tools/cuvette/profile/profile_text.hpp"
#include "tools/cuvette/record/record_run.hpp"
#include "tools/cuvette/temporary_folder.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "CUVETTE_PROFILE";

constexpr const char* footer = R"(
Counts what each kernel executes and accesses, as a GPU's profiler would, and shows the worst lines first: compile
with -lineinfo (nvcc) or -gline-tables-only (clang). Counts are no times.

Examples:
  cuvette profile -- ./my_program
  cuvette profile --kernel='transpose|reduce' --limit=3 -- ./my_program
  cuvette profile --json -- python3 train.py > counts.json
  cuvette profile --html -- ./my_program         profile.html: the counts beside what the streams did
  cuvette run --profile=counts -- ./my_program; cuvette profile --from=counts   run now, look later

Exit status: the program's own, and otherwise that of `cuvette run`; 125 if --from names no counts, 123 if the page of
--html cannot be written and the program does not fail.)";

ProfileModel wanted_counts(const ProfileOptions& options, const std::string& folder) {
  ProfileModel model = read_profile(folder);
  if (!options.kernels.empty()) {
    const std::regex wanted(options.kernels);
    std::erase_if(model.kernels, [&](const ProfiledKernel& one) {
      return !std::regex_search(one.name, wanted) && !std::regex_search(one.symbol, wanted);
    });
  }
  return model;
}

void show(const ProfileOptions& options, const ProfileModel& model) {
  fflush(stdout);
  if (options.json)
    printf("%s\n", as_json(model, options.limit).c_str());
  else
    fputs(as_text(model, options.limit, stdout).c_str(), stdout);
}

// Returns whether the page is written.
bool write_page(const ProfileOptions& options, const Record& record, const ProfileModel& model) {
  if (record.processes.empty()) {
    fprintf(stderr, "cuvette profile: %s was not written: no process used a device\n",
            options.page.c_str());
    return true;
  }
  const std::string& program = record.processes.front().program;
  const std::string title = program.substr(program.rfind('/') + 1);
  const PageView view{&record, title, tables_of(model, options.limit)};
  if (!write_page_file("profile", options.page, page_of({view}, title))) return false;
  fprintf(stderr, "cuvette profile: to look at %s, open it in a browser; it needs no network\n",
          options.page.c_str());
  return true;
}

}  // namespace

int profile(const ProfileOptions& options) {
  if (!options.page.empty() && !can_write_page("profile", options.page)) return status_not_written;
  if (!options.from.empty()) {
    if (!can_read_from(options.from, "profile", variable)) return status_own_failure;
    show(options, wanted_counts(options, options.from));
    return 0;
  }
  const TemporaryFolder folder("cuvette-profile-XXXXXX");
  if (folder.path().empty()) {
    fprintf(stderr, "cuvette profile: there is no folder for temporary files: TMPDIR, or /tmp\n");
    return status_own_failure;
  }
  RunOptions run_options = options.run;
  run_options.command = "profile";
  run_options.environment.emplace_back(variable, folder.path());
  run_options.is_quiet = true;
  RecordedRun recorded;
  if (options.page.empty())
    recorded.status = run(run_options);
  else
    recorded = record_run(run_options, {.command = "profile", .touches = true, .keep = {}});
  const int status = recorded.status;
  if (status == status_own_failure) return status;
  const ProfileModel model = wanted_counts(options, folder.path());
  show(options, model);
  const bool is_written = options.page.empty() || write_page(options, recorded.record, model);
  constexpr int by_signal = 128;  // and the signal's number, as a shell has it
  if (status > by_signal && status < by_signal + 32)
    fprintf(stderr,
            "cuvette profile: the program was ended by signal %d: launches just before that may "
            "not be counted\n",
            status - by_signal);
  return status == 0 && !is_written ? status_not_written : status;
}

CLI::App* add_profile(CLI::App& app, ProfileOptions& options) {
  CLI::App* const command =
      app.add_subcommand("profile", "Say which lines of its kernels waste memory accesses");
  command->footer(footer);
  command->add_flag("--json", options.json, "Print the counts as JSON");
  CLI::Option* const page = command->add_flag(
      "--html{profile.html}", options.page,
      wrapped(
          "Also write a page for a browser, with what the streams did: --html for profile.html, "
          "or --html=FILE."));
  command
      ->add_option("--kernel", options.kernels, wrapped("Only kernels with this in their names."))
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
  command
      ->add_option("--limit", options.limit,
                   wrapped("How many lines of each kernel to show; 0: all [10]."))
      ->type_name("N");
  command
      ->add_option("--from", options.from,
                   wrapped("Show the counts in this folder, which CUVETTE_PROFILE named, and run "
                           "nothing."))
      ->type_name("FOLDER")
      ->excludes(page);
  return command;
}

}  // namespace cuvette::tools
