// SPDX-License-Identifier: Apache-2.0
#include "sim/os/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace cuvette::os {
namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

void write_to_stderr(std::string_view text) { write_all(STDERR_FILENO, text); }

void write_to_stdout(std::string_view text) { fwrite(text.data(), 1, text.size(), stdout); }

bool append_to_file(const std::string& path, std::string_view text) {
  // Opened each time: programs close descriptors that they did not open.
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd < 0) return false;
  const bool written = write_all(fd, text);
  return close(fd) == 0 && written;
}

int process_id() { return getpid(); }

bool stderr_is_a_terminal() { return isatty(STDERR_FILENO) == 1; }

std::string with_process_id(std::string name) {
  const std::string number = std::to_string(process_id());
  for (size_t at = 0; (at = name.find("%p", at)) != std::string::npos; at += number.size())
    name.replace(at, 2, number);
  return name;
}

}  // namespace cuvette::os
