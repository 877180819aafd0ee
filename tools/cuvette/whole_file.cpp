// SPDX-License-Identifier: Apache-2.0
// Reads with C's functions: the functions of C++ throw if the path is a folder.
#include "tools/cuvette/whole_file.hpp"

#include <cstdio>
#include <memory>

namespace cuvette::tools {

std::optional<std::string> whole_file(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path.c_str(), "rb"), fclose);
  if (!file) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  while (const size_t count = fread(buffer, 1, sizeof buffer, file.get()))
    text.append(buffer, count);
  if (ferror(file.get())) return std::nullopt;
  return text;
}

}  // namespace cuvette::tools
