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
namespace {

// Opens the file and locks it, making one if there is none; -1 if that failed. The previous holder
// of the lock may have put another file in its place.
int open_locked(const std::string& path) {
  for (;;) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0) return -1;
    struct stat locked, named;
    if (fstat(fd, &locked) == 0 && S_ISREG(locked.st_mode)) {
      while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
      }
      if (stat(path.c_str(), &named) == 0 && named.st_dev == locked.st_dev &&
          named.st_ino == locked.st_ino)
        return fd;
      close(fd);
      continue;
    }
    close(fd);
    return -1;
  }
}

bool read_all(int fd, std::string& content) {
  char part[16 << 10];
  for (;;) {
    const ssize_t count = read(fd, part, sizeof part);
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) content.append(part, static_cast<size_t>(count));
  }
}

}  // namespace

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
  const bool written = write_all(fd, text);
  return close(fd) == 0 && written;
}

FileChange change_file(
    const std::string& path,
    const std::function<std::optional<std::string>(std::string_view content)>& change) {
  const int locked = open_locked(path);
  if (locked < 0) return FileChange::failed;
  std::string content;
  FileChange result = FileChange::failed;
  if (read_all(locked, content)) {
    const std::optional<std::string> changed = change(content);
    if (!changed) {
      result = FileChange::refused;
    } else {
      const std::string part = path + ".part";
      const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
      const bool written = fd >= 0 && write_all(fd, *changed);
      if (fd >= 0 && close(fd) == 0 && written && rename(part.c_str(), path.c_str()) == 0)
        result = FileChange::done;
      if (fd >= 0 && result != FileChange::done) unlink(part.c_str());
    }
  }
  close(locked);
  return result;
}

int process_id() { return getpid(); }

std::string program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, length > 0 ? static_cast<size_t>(length) : 0);
}

std::string with_process_id(std::string name) {
  const std::string number = std::to_string(process_id());
  for (size_t at = 0; (at = name.find("%p", at)) != std::string::npos; at += number.size())
    name.replace(at, 2, number);
  return name;
}

}  // namespace cuvette::os
