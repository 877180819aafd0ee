// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/page_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace cuvette::tools {
namespace {

void complain(const char* command, const std::string& file) {
  fprintf(stderr, "cuvette %s: %s cannot be written: %s. --html=FILE writes the page elsewhere.\n",
          command, file.c_str(), strerror(errno));
}

}  // namespace

bool can_write_page(const char* command, const std::string& file) {
  std::error_code failure;
  const bool is_new = !std::filesystem::exists(file, failure);
  const bool can = std::ofstream(file, std::ios::binary | std::ios::app).is_open();
  if (!can) complain(command, file);
  if (can && is_new) std::filesystem::remove(file, failure);
  return can;
}

bool write_page_file(const char* command, const std::string& file, const std::string& page) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(page.data(), static_cast<std::streamsize>(page.size()));
  if (out.flush()) return true;
  complain(command, file);
  return false;
}

}  // namespace cuvette::tools
