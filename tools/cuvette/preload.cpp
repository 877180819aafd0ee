// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/preload.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/cuvette/command_name.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

bool can_be_preloaded(const std::string& library) {
  return library.find_first_of(" :") == std::string::npos;
}

// Appends a library of ours. It comes after the libraries that the user preloads: a sanitizer's
// runtime must be first, and other libraries may also intercept calls.
void append_library(const std::string& library) {
  append_to_list("LD_PRELOAD", library);
  // A program that is linked to AddressSanitizer's runtime would not start after a library that is
  // loaded earlier. Our libraries do not allocate, so the order does not matter.
  const char* const options = getenv("ASAN_OPTIONS");
  if (!options || !strstr(options, "verify_asan_link_order"))
    append_to_list("ASAN_OPTIONS", "verify_asan_link_order=0");
}

}  // namespace

void prepend_to_list(const char* variable, const std::string& entry) {
  const char* const before = getenv(variable);
  const std::string value = before && *before ? entry + ":" + before : entry;
  setenv(variable, value.c_str(), 1);
}

void append_to_list(const char* variable, const std::string& entry) {
  const char* const before = getenv(variable);
  const std::string value = before && *before ? before + (":" + entry) : entry;
  setenv(variable, value.c_str(), 1);
}

void preload_gl_watch(const fs::path& folder) {
  const std::string library = folder / "libcuvette_gl.so";
  const char* const why = !fs::exists(library) ? "is missing"
                          : !can_be_preloaded(library)
                              ? "cannot be named: LD_PRELOAD is split at ' ' and ':'"
                              : nullptr;
  if (!why) return append_library(library);
  fprintf(stderr, "cuvette %s: OpenGL is not watched: '%s' %s\n", command_name(), library.c_str(),
          why);
}

void preload_linkers(const fs::path& folder) {
  for (const char* const name : {"libnvJitLink.so.13", "libnvJitLink.so.12"}) {
    const std::string library = folder / "preload" / name;
    // preload_gl_watch() has already complained about a folder that LD_PRELOAD cannot name.
    if (fs::exists(library) && can_be_preloaded(library)) append_library(library);
  }
}

void preload_run_watch(const fs::path& folder) {
  const std::string library = folder / "libcuvette_run.so";
  if (!fs::exists(library) || !can_be_preloaded(library)) return;  // processes that use CUDA count
  append_library(library);
}

bool preload_driver(const fs::path& folder) {
  std::string libraries;
  for (const char* const name : {"libcuda.so.1", "libcudart.so.13", "libcudart.so.12"}) {
    const std::string library = folder / name;
    if (!can_be_preloaded(library)) {
      fprintf(stderr,
              "cuvette %s: --preload cannot name '%s': LD_PRELOAD is split at ' ' and ':'\n",
              command_name(), library.c_str());
      return false;
    }
    if (fs::exists(library)) libraries += (libraries.empty() ? "" : ":") + library;
  }
  prepend_to_list("LD_PRELOAD", libraries);
  return true;
}

}  // namespace cuvette::tools
