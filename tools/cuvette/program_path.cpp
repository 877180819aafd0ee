// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/program_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

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

}  // namespace cuvette::tools
