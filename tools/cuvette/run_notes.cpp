// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/run_notes.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/base/run_notes.hpp"
#include "tools/cuvette/program_path.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Returns what follows `word` and a blank in the line; empty if it begins with another.
std::string after(const std::string& line, const char* word) {
  const std::string begin = std::string(word) + " ";
  return line.starts_with(begin) ? line.substr(begin.size()) : "";
}

}  // namespace

RunNotes::RunNotes() {
  if (const char* const outer = getenv(run_notes::variable)) outer_ = outer;
  std::error_code failure;
  file_ = (fs::temp_directory_path(failure) / "cuvette-notes-").string();
  file_.append(6, 'X');  // mkstemp() puts its own name in their place
  const int file = failure ? -1 : mkstemp(file_.data());
  if (file < 0) {
    file_.clear();
    return;
  }
  close(file);
  setenv(run_notes::variable, file_.c_str(), 1);
}

RunNotes::~RunNotes() {
  if (!file_.empty()) unlink(file_.c_str());
}

void RunNotes::read(const std::string& report_file) {
  std::ifstream in(file_);
  std::string all;
  std::set<std::string> used, foreign;
  for (std::string line; std::getline(in, line);) {
    all += line + "\n";
    if (line.starts_with("::")) commands_ += line + "\n";
    if (after(line, run_notes::reported) == report_file) reported_ = true;
    if (const std::string process = after(line, run_notes::used); !process.empty())
      used.insert(process);
    if (const std::string process = after(line, run_notes::foreign); !process.empty())
      foreign.insert(process);
  }
  for (const std::string& process : foreign) used.erase(process);
  used_ = used.size();
  foreign_ = foreign.size();
  if (!outer_.empty() && fs::exists(outer_)) std::ofstream(outer_, std::ios::app) << all;
}

void RunNotes::print(bool started) const {
  if (file_.empty()) return;
  if (outer_.empty()) fputs(commands_.c_str(), stderr);
  if (used_ != 0 || !started) return;
  if (foreign_ != 0) {
    fprintf(stderr,
            "cuvette run: nothing ran on Cuvette: NVIDIA's CUDA runtime, which only works with "
            "NVIDIA's driver, was used in all processes that use CUDA (%zu). Link them with "
            "-cudart=shared or with Cuvette's library folder.\n",
            foreign_);
    return;
  }
  fputs(
      "cuvette run: nothing ran on Cuvette: no process called cuInit of its libcuda.so.1. If the "
      "program uses CUDA, it found another library (try --preload), changed LD_LIBRARY_PATH, is a "
      "set-user-ID program, or did not get as far.\n",
      stderr);
}

std::string why_environment_is_dropped(const std::string& program) {
  const std::string file = path_of_program(program);
  struct stat status;
  if (file.empty() || stat(file.c_str(), &status) != 0) return "";
  const char* const consequence =
      ": the loader ignores LD_LIBRARY_PATH and LD_PRELOAD for it, so it does not run on Cuvette. "
      "Run a copy without that right.";
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
    return std::string("is a set-user-ID program") + consequence;
  if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid())
    return std::string("is a set-group-ID program") + consequence;
  if (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0)
    return std::string("has capabilities of its file") + consequence;
  return "";
}

}  // namespace cuvette::tools
