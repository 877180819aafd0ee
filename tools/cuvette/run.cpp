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
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/watch.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Puts `entry` in front of the list in `variable`.
void prepend(const char* variable, const std::string& entry) {
  const char* before = getenv(variable);
  const std::string value = before && *before ? entry + ":" + before : entry;
  setenv(variable, value.c_str(), 1);
}

// Appends `entry` to the list in `variable`.
void append(const char* variable, const std::string& entry) {
  const char* before = getenv(variable);
  const std::string value = before && *before ? before + (":" + entry) : entry;
  setenv(variable, value.c_str(), 1);
}

// Preloads one of our libraries that watch the program, after those that the user preloads: a
// sanitizer's runtime wants to be first, and others may look at calls, too.
void preload_watcher(const std::string& library) {
  append("LD_PRELOAD", library);
  // A program that is linked to AddressSanitizer's runtime would not start after a library that is
  // loaded earlier. Ours do not allocate, so the order does not matter.
  const char* options = getenv("ASAN_OPTIONS");
  if (!options || !strstr(options, "verify_asan_link_order"))
    append("ASAN_OPTIONS", "verify_asan_link_order=0");
}

bool can_be_preloaded(const std::string& library) {
  return library.find_first_of(" :") == std::string::npos;
}

// Preloads the library that watches the program's calls of OpenGL; it is harmless without any.
void watch_gl(const std::filesystem::path& folder) {
  const std::string library = folder / "libcuvette_gl.so";
  const char* why = !fs::exists(library) ? "is missing"
                    : !can_be_preloaded(library)
                        ? "cannot be named: LD_PRELOAD is split at ' ' and ':'"
                        : nullptr;
  if (why) {
    fprintf(stderr, "cuvette run: OpenGL is not watched: '%s' %s\n", library.c_str(), why);
    return;
  }
  preload_watcher(library);
}

// Has Vulkan's loader put the layer that shares semaphores over software drivers. It changes
// nothing for a program without Vulkan. The loader does not look at VK_ADD_LAYER_PATH beside
// VK_LAYER_PATH.
void share_vulkan_semaphores(const std::filesystem::path& folder) {
  const fs::path manifests = folder / "vulkan";
  if (!fs::exists(manifests / "VkLayer_cuvette.json")) return;
  const char* const own = getenv("VK_LAYER_PATH");
  prepend(own && *own ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH", manifests);
  append("VK_INSTANCE_LAYERS", "VK_LAYER_CUVETTE_interop");
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

// Preloads the library that counts the processes, and sees which of them will not find Cuvette.
void watch_processes(const std::filesystem::path& folder) {
  const std::string library = folder / "libcuvette_run.so";
  if (!fs::exists(library) || !can_be_preloaded(library)) return;  // the count is of those alone
  preload_watcher(library);
}

// Names the libraries of `folder` that --preload asks for. Runtimes come after the driver; a
// program with an rpath would otherwise find NVIDIA's. Returns whether that was possible.
bool preload(const fs::path& folder) {
  std::string libraries;
  for (const char* const name : {"libcuda.so.1", "libcudart.so.13", "libcudart.so.12"}) {
    const std::string library = folder / name;
    if (!can_be_preloaded(library)) {
      fprintf(stderr,
              "cuvette run: --preload cannot name '%s': LD_PRELOAD is split at ' ' and ':'\n",
              library.c_str());
      return false;
    }
    if (fs::exists(library)) libraries += (libraries.empty() ? "" : ":") + library;
  }
  prepend("LD_PRELOAD", libraries);
  return true;
}

}  // namespace

int check_program(const std::string& program, const char* command) {
  const int failure = why_not_started(program);
  return failure == 0 ? 0 : complain_of_start(command, program.c_str(), failure);
}

int run(const RunOptions& options) {
  const auto folder = library_folder();
  if (!folder) {
    fprintf(stderr,
            "cuvette run: there is no libcuda.so.1 where this command was built or installed\n");
    return status_own_failure;
  }
  for (const auto& [variable, value] : options.environment)
    setenv(variable.c_str(), value.c_str(), 1);
  if (const std::string wrong = knobs_complaint(); !wrong.empty()) {
    fprintf(stderr, "cuvette run: %s\n", wrong.c_str());
    return status_own_failure;
  }
  make_paths_absolute();
  prepend("LD_LIBRARY_PATH", folder->string());
  // Programs that ask nvidia-smi what there is get an answer about the devices that they see.
  if (fs::exists(*folder / "bin" / "nvidia-smi")) prepend("PATH", *folder / "bin");
  // Triton has machine code made by its own ptxas unless it is given another. It is not in PATH:
  // nvcc would find it there, and nvlink takes only what NVIDIA's makes.
  if (const fs::path ptxas = *folder / "compilers" / "ptxas"; fs::exists(ptxas)) {
    for (const char* const variable : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"})
      setenv(variable, ptxas.c_str(), 0);
    setenv("TRITON_LIBCUDA_PATH", folder->c_str(), 0);
  }
  if (options.preload && !preload(*folder)) return status_own_failure;
  if (options.watch_gl) watch_gl(*folder);
  const char* const vulkan = getenv("CUVETTE_VULKAN");  // an option may just have set it
  if (!vulkan || strcmp(vulkan, "0") != 0) share_vulkan_semaphores(*folder);
  if (options.becomes_program) return become(options.program);
  watch_processes(*folder);
  // A baseline that is made has the reports that are known, too.
  if (!options.write_baseline.empty()) setenv("CUVETTE_BASELINE", "", 1);
  WatchOptions watched;
  watched.error_status = static_cast<int>(config().error_exitcode);
  watched.requires_use = options.requires_use;
  watched.is_quiet = options.is_quiet;
  // A file that CUVETTE_REPORT names for several runs, such as the tests of a suite, is added to;
  // so is what an inner `cuvette run` shares with the outer one.
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
