// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "tools/cuvette/command_name.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/preload.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/watch.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Has Vulkan's loader put the layer that shares semaphores over software drivers. It changes
// nothing for a program without Vulkan. The loader does not look at VK_ADD_LAYER_PATH beside
// VK_LAYER_PATH.
void share_vulkan_semaphores(const std::filesystem::path& folder) {
  const fs::path manifests = folder / "vulkan";
  if (!fs::exists(manifests / "VkLayer_cuvette.json")) return;
  const char* const own = getenv("VK_LAYER_PATH");
  prepend_to_list(own && *own ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH", manifests);
  append_to_list("VK_INSTANCE_LAYERS", "VK_LAYER_CUVETTE_interop");
}

// Returns the error that execvp() would give, as far as that is known without starting the program;
// 0 if there is none.
int why_not_started(const std::string& program) {
  if (!path_of_program(program).empty()) return 0;
  std::error_code failure;
  return program.find('/') != std::string::npos && fs::exists(program, failure) ? EACCES : ENOENT;
}

// Whether an option, not the environment, names the file of reports.
bool names_report_file(const RunOptions& options) {
  return std::ranges::any_of(options.environment,
                             [](const auto& one) { return one.first == "CUVETTE_REPORT"; });
}

}  // namespace

int check_program(const std::string& program, const char* command) {
  const int failure = why_not_started(program);
  return failure == 0 ? 0 : complain_of_start(command, program.c_str(), failure);
}

int run(const RunOptions& options) {
  set_command_name(options.command);
  const auto folder = library_folder();
  if (!folder) {
    fprintf(stderr,
            "cuvette %s: there is no libcuda.so.1 where this command was built or installed\n",
            command_name());
    return status_own_failure;
  }
  for (const auto& [variable, value] : options.environment)
    setenv(variable.c_str(), value.c_str(), 1);
  if (const std::string wrong = knobs_complaint(); !wrong.empty()) {
    fprintf(stderr, "cuvette %s: %s\n", command_name(), wrong.c_str());
    return status_own_failure;
  }
  make_paths_absolute();
  prepend_to_list("LD_LIBRARY_PATH", folder->string());
  // Programs that ask nvidia-smi what there is get an answer about the devices that they see.
  if (fs::exists(*folder / "bin" / "nvidia-smi")) prepend_to_list("PATH", *folder / "bin");
  // Triton has machine code made by its own ptxas unless it is given another. It is not in PATH:
  // nvcc would find it there, and nvlink takes only what NVIDIA's makes.
  if (const fs::path ptxas = *folder / "compilers" / "ptxas"; fs::exists(ptxas)) {
    for (const char* const variable : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"})
      setenv(variable, ptxas.c_str(), 0);
    setenv("TRITON_LIBCUDA_PATH", folder->c_str(), 0);
  }
  if (options.preload && !preload_driver(*folder)) return status_own_failure;
  if (options.watch_gl) preload_gl_watch(*folder);
  preload_linkers(*folder);
  const char* const vulkan = getenv("CUVETTE_VULKAN");  // an option may just have set it
  if (!vulkan || strcmp(vulkan, "0") != 0) share_vulkan_semaphores(*folder);
  if (options.becomes_program) return become(options.program);
  preload_run_watch(*folder);
  // A new baseline contains the reports that are already known, too.
  if (!options.write_baseline.empty()) setenv("CUVETTE_BASELINE", "", 1);
  WatchOptions watched;
  watched.error_status = static_cast<int>(config().error_exitcode);
  watched.requires_use = options.requires_use;
  watched.is_quiet = options.is_quiet;
  // Several runs, such as the tests of a suite, add to the file that CUVETTE_REPORT names; an inner
  // `cuvette run` adds to the file of the outer one.
  watched.begins_anew =
      names_report_file(options) && !options.appends && !getenv(run_notes::variable);
  watched.for_github = options.for_github || config().report_format == ReportFormat::github;
  watched.gitlab = options.gitlab;
  watched.appends_gitlab = options.appends;
  watched.write_baseline = options.write_baseline;
  watched.library_folder = folder->string();
  return watch(options.program, watched);
}

}  // namespace cuvette::tools
