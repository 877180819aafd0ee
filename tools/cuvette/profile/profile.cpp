// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/profile/profile.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <regex>

#include "tools/cuvette/from_folder.hpp"
#include "tools/cuvette/option_help.hpp"

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
  cuvette run --profile=counts -- ./my_program; cuvette profile --from=counts   run now, look later

Exit status: the program's own, and otherwise that of `cuvette run`; 125 if --from names no counts.)";

// A folder for the counts of one run, which ends with it.
class CountsFolder {
 public:
  CountsFolder() {
    std::error_code failure;
    const fs::path parent = fs::temp_directory_path(failure);
    std::string pattern = (failure ? fs::path("/tmp") : parent) / "cuvette-profile-XXXXXX";
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  ~CountsFolder() {
    std::error_code failure;
    if (!path_.empty()) fs::remove_all(path_, failure);
  }
  CountsFolder(const CountsFolder&) = delete;
  CountsFolder& operator=(const CountsFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void show(const ProfileOptions& options, const std::string& folder) {
  ProfileModel model = read_profile(folder);
  if (!options.kernels.empty()) {
    const std::regex wanted(options.kernels);
    std::erase_if(model.kernels, [&](const ProfiledKernel& one) {
      return !std::regex_search(one.name, wanted) && !std::regex_search(one.symbol, wanted);
    });
  }
  fflush(stdout);
  if (options.json)
    printf("%s\n", as_json(model, options.limit).c_str());
  else
    fputs(as_text(model, options.limit, stdout).c_str(), stdout);
}

}  // namespace

int profile(const ProfileOptions& options) {
  if (!options.from.empty()) {
    if (!can_read_from(options.from, "profile", variable)) return status_own_failure;
    show(options, options.from);
    return 0;
  }
  const CountsFolder folder;
  if (folder.path().empty()) {
    fprintf(stderr, "cuvette profile: cannot make a folder for temporary files: %s\n",
            strerror(errno));
    return status_own_failure;
  }
  RunOptions run_options = options.run;
  run_options.command = "profile";
  run_options.environment.emplace_back(variable, folder.path());
  run_options.is_quiet = true;
  const int status = run(run_options);
  if (status == status_own_failure) return status;
  show(options, folder.path());
  constexpr int by_signal = 128;  // and the signal's number, as a shell has it
  if (status > by_signal && status < by_signal + 32)
    fprintf(stderr,
            "cuvette profile: the program was ended by signal %d: launches just before that may "
            "not be counted\n",
            status - by_signal);
  return status;
}

CLI::App* add_profile(CLI::App& app, ProfileOptions& options) {
  CLI::App* const command =
      app.add_subcommand("profile", "Say which lines of its kernels waste memory accesses");
  command->footer(footer);
  command->add_flag("--json", options.json, "Print the counts as JSON");
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
      ->type_name("FOLDER");
  return command;
}

}  // namespace cuvette::tools
