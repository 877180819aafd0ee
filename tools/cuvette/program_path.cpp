// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/program_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "tools/run_watch/program_file.hpp"

namespace cuvette::tools {

namespace fs = std::filesystem;

std::string path_of_program(const std::string& program) {
  const auto is_program = [](const fs::path& file) {
    std::error_code failure;
    return access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, failure);
  };
  if (program.find('/') != std::string::npos) return is_program(program) ? program : "";
  const char* const path = getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder.empty() ? "." : folder) / program; is_program(file))
      return file;
  return "";
}

std::string why_environment_is_dropped(const std::string& program) {
  const std::string file = path_of_program(program);
  const char* const rights = file.empty() ? nullptr : run_watch::other_rights(file.c_str());
  if (!rights) return "";
  return rights + std::string(
                      ": the loader ignores LD_LIBRARY_PATH and LD_PRELOAD for it, so it "
                      "does not run on Cuvette. Run a copy without that right.");
}

}  // namespace cuvette::tools
