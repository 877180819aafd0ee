// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "api/driver/support_table.hpp"
#include "api/management/support_table.hpp"
#include "api/runtime/support_table.hpp"
#include "tools/cuvette/doctor_findings.hpp"
#include "tools/cuvette/library.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

constexpr char files_topic[] = "own files";
constexpr char install_again[] = "install Cuvette again, all of it from one build";

// The files that every installation has in its folder of libraries.
constexpr const char* installed_files[] = {"libcuda.so.1",
                                           "libcuvette-jit.so",
                                           "libcudart.so.13",
                                           "libcudart.so.12",
                                           "libcudart_static.a",
                                           "libnvJitLink.so.13",
                                           "libnvJitLink.so.12",
                                           "libnvidia-ml.so.1",
                                           "libcuvette_gl.so",
                                           "libcuvette_run.so",
                                           "preload/libnvJitLink.so.13",
                                           "preload/libnvJitLink.so.12",
                                           "bin/nvidia-smi",
                                           "compilers/ptxas"};

// Returns the name of the first function that the library lacks.
template <typename Names>
std::string missing_function(void* library, const Names& names) {
  for (const char* name : names)
    if (name && !dlsym(library, name)) return name;
  return "";
}

std::vector<const char*> driver_names() {
  std::vector<const char*> names;
  for (const auto& function : driver::functions) names.push_back(function.name);
  return names;
}

template <typename Lines>
std::vector<const char*> names_of(const Lines& lines) {
  std::vector<const char*> names;
  for (const auto& line : lines) names.push_back(line.name);
  return names;
}

// Loads a library as a program would. If it is of the same build as this command, it has exactly
// the functions in the command's tables.
bool loads(const fs::path& path, const std::vector<const char*>& names, Findings& findings) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const std::string reason = dlerror();
    const bool is_tbb = reason.starts_with("libtbb");
    findings.wrong(files_topic, "a library cannot be loaded: " + reason,
                   is_tbb ? "apt-get install libtbb12" : install_again);
    return false;
  }
  const std::string missing = missing_function(library, names);
  if (missing.empty()) return true;
  findings.wrong(files_topic,
                 path.string() + " is of another build than this command: it has no " + missing,
                 install_again);
  return false;
}

}  // namespace

void look_at_files(Findings& findings) {
  const auto folder = library_folder();
  if (!folder) {
    findings.wrong(
        files_topic,
        "there is no libcuda.so.1 where this command was built or installed: it was moved "
        "alone",
        "move the whole tree, or install Cuvette again");
    return;
  }
  std::string missing;
  for (const char* const file : installed_files)
    if (std::error_code failure; !fs::exists(*folder / file, failure))
      missing += (missing.empty() ? "" : ", ") + std::string(file);
  if (!missing.empty())
    return findings.wrong(files_topic, "missing in " + folder->string() + ": " + missing,
                          install_again);
  if (!header_folder())
    findings.limited(files_topic,
                     "Cuvette's headers are missing, so `cuvette c++` compiles nothing",
                     install_again);
  if (loads(*folder / "libcuda.so.1", driver_names(), findings) &&
      loads(*folder / "libcudart.so.13", names_of(runtime::lines), findings) &&
      loads(*folder / "libnvidia-ml.so.1", names_of(management::lines), findings) &&
      loads(*folder / "libcuvette-jit.so", {}, findings))
    findings.good(files_topic,
                  "Cuvette " CUVETTE_VERSION ", complete and of one build, in " + folder->string());
}

}  // namespace cuvette::tools
