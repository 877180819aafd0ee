// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/loader_search.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "sim/base/split.hpp"
#include "tools/cuvette/library.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// The loader's cache: for each name, the first 64-bit file.
const std::map<std::string, std::string>& loader_cache() {
  static const auto* const all = [] {
    auto* const files = new std::map<std::string, std::string>;
    FILE* const pipe = popen("{ ldconfig -p || /sbin/ldconfig -p; } 2> /dev/null", "r");
    char line[4096];
    // "	libc.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libc.so.6"
    while (pipe && fgets(line, sizeof line, pipe)) {
      const std::string text(line);
      const size_t name = text.find_first_not_of(" \t"), end = text.find(' ', name);
      const size_t arrow = text.find("=> ");
      if (arrow == text.npos || text.find("x86-64") == text.npos) continue;
      files->emplace(text.substr(name, end - name),
                     text.substr(arrow + 3, text.find_last_not_of('\n') - arrow - 2));
    }
    if (pipe) pclose(pipe);
    return files;
  }();
  return *all;
}

std::string find_in(const std::string& folder, const std::string& library) {
  const fs::path file = fs::path(folder.empty() ? "." : folder) / library;
  std::error_code failure;
  return fs::is_regular_file(file, failure) ? file.string() : "";
}

}  // namespace

std::string find_by_library_path(const std::string& library) {
  const char* const list = getenv("LD_LIBRARY_PATH");
  if (!list || !*list) return "";
  for (const std::string& folder : split(list, ':'))
    if (std::string file = find_in(folder, library); !file.empty()) return file;
  return "";
}

std::string find_in_system(const std::string& library) {
  if (const auto found = loader_cache().find(library); found != loader_cache().end())
    return found->second;
  for (const char* const folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
                                   "/usr/lib64", "/lib", "/usr/lib"})
    if (std::string file = find_in(folder, library); !file.empty()) return file;
  return "";
}

bool is_own_library(const std::string& file) {
  const auto folder = library_folder();
  std::error_code failure;
  return folder && fs::canonical(fs::path(file).parent_path(), failure) == *folder;
}

}  // namespace cuvette::tools
