// SPDX-License-Identifier: Apache-2.0
#include "sim/os/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>

#include "sim/os/file.hpp"

namespace cuvette::os {

void write_to_stderr(std::string_view text) { write_all(STDERR_FILENO, text); }

void say(const char* format, ...) {
  constexpr std::string_view prefix = "cuvette: ";
  char line[prefix.size() + 1024];
  char* const sentence = std::copy(prefix.begin(), prefix.end(), line);
  const size_t room = sizeof line - prefix.size();
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(sentence, room, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  const auto size = static_cast<size_t>(length);
  if (size < room) {
    sentence[size] = '\n';  // in place of the terminator
    return write_to_stderr({line, prefix.size() + size + 1});
  }
  std::string text(prefix.size() + size + 1, '\n');
  std::copy(prefix.begin(), prefix.end(), text.begin());
  va_start(arguments, format);
  vsnprintf(text.data() + prefix.size(), size + 1, format, arguments);
  va_end(arguments);
  text.back() = '\n';
  write_to_stderr(text);
}

void write_to_stdout(std::string_view text) { fwrite(text.data(), 1, text.size(), stdout); }

bool append_to_file(const std::string& path, std::string_view text) {
  // Opened each time: programs close descriptors that they did not open.
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd < 0) return false;
  struct stat before;
  const bool is_file = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  if (is_file) {
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    fstat(fd, &before);
  }
  bool written = write_all(fd, text);
  // The beginning of a line would spoil the next one.
  if (!written && is_file && ftruncate(fd, before.st_size) != 0) written = false;
  return close(fd) == 0 && written;
}

int process_id() { return getpid(); }

std::string program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, length > 0 ? static_cast<size_t>(length) : 0);
}

std::string command_line() {
  char words[4096];
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t length = read(fd, words, sizeof words);
  close(fd);
  std::string line(words, length > 0 ? static_cast<size_t>(length) : 0);
  while (line.ends_with('\0')) line.pop_back();
  for (char& one : line)
    if (one == '\0') one = ' ';
  return line;
}

std::string with_process_id(std::string name) {
  const std::string number = std::to_string(process_id());
  for (size_t at = 0; (at = name.find("%p", at)) != std::string::npos; at += number.size())
    name.replace(at, 2, number);
  return name;
}

}  // namespace cuvette::os
