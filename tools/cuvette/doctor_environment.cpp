// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <map>

#include "sim/base/split.hpp"
#include "tools/cuvette/doctor_findings.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/loader_search.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Finds each mistake in turn: a faulty variable is removed from the environment to find the next
// one.
void look_at_knobs(Findings& findings) {
  std::map<std::string, std::string> taken;
  for (std::string wrong; !(wrong = knobs_complaint()).empty();) {
    const std::string variable = wrong.substr(0, wrong.find(' '));
    const char* const value = getenv(variable.c_str());
    if (wrong.ends_with('.')) wrong.pop_back();
    findings.wrong("knobs", wrong, "unset " + variable);
    if (!value) break;
    taken[variable] = value;
    unsetenv(variable.c_str());
  }
  for (const auto& [variable, value] : taken) setenv(variable.c_str(), value.c_str(), 1);
  if (taken.empty()) findings.good("knobs", "all CUVETTE_ variables mean something");
}

bool is_of_cuda(const std::string& name) {
  for (const char* const begin :
       {"libcuda.so", "libcudart.so", "libnvJitLink.so", "libnvidia-ml.so"})
    if (name.starts_with(begin)) return true;
  return false;
}

void look_at_preloaded(Findings& findings) {
  const char* const list = getenv("LD_PRELOAD");
  if (!list || !*list) return;
  std::string text = list;
  for (char& c : text)
    if (c == ' ') c = ':';
  for (const std::string& entry : split(text, ':')) {
    if (entry.empty()) continue;
    std::error_code failure;
    const bool is_path = entry.find('/') != std::string::npos;
    if (is_path && !fs::exists(entry, failure))
      findings.limited("LD_PRELOAD", "it names '" + entry + "', which does not exist",
                       "unset LD_PRELOAD");
    else if (is_of_cuda(fs::path(entry).filename()) && is_path && !is_own_library(entry) &&
             !is_own_library(fs::path(entry).parent_path()))
      findings.wrong("LD_PRELOAD", "it names '" + entry + "', which comes before Cuvette's library",
                     "unset LD_PRELOAD");
  }
}

// Returns the version of NVIDIA's driver that a library belongs to: "libcuda.so.550.54.14" has it.
std::string driver_version(const std::string& library) {
  std::error_code failure;
  const std::string name = fs::canonical(library, failure).filename();
  const size_t at = name.find(".so.");
  return at == name.npos || name.find('.', at + 4) == name.npos ? "" : name.substr(at + 4);
}

// The driver that the loader would find without `cuvette run`.
void look_at_driver(Findings& findings) {
  constexpr char driver[] = "libcuda.so.1";
  const std::string by_path = find_by_library_path(driver);
  const std::string file = by_path.empty() ? find_in_system(driver) : by_path;
  if (file.empty())
    return findings.good("driver",
                         "no other libcuda.so.1: programs find Cuvette's by `cuvette run`");
  if (is_own_library(file))
    return findings.good("driver",
                         "LD_LIBRARY_PATH leads to Cuvette's, without `cuvette run`, too");
  const std::string version = driver_version(file);
  findings.limited(
      "driver",
      "a program that `cuvette run` has not started finds " + file +
          (by_path.empty() ? "" : " by LD_LIBRARY_PATH") +
          (version.empty() ? "" : ", NVIDIA's driver " + version),
      "start it by `cuvette run`; if it finds that library by an rpath, by `cuvette run "
      "--preload`");
}

}  // namespace

void look_at_environment(Findings& findings) {
  look_at_knobs(findings);
  look_at_preloaded(findings);
  look_at_driver(findings);
}

}  // namespace cuvette::tools
