// SPDX-License-Identifier: Apache-2.0
#include "sim/os/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace cuvette::os {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  const int fd_;
};

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_private(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Result<std::string> read_whole(const std::string& path, size_t most, int flags, bool only_private) {
  // O_NONBLOCK, so that a pipe without a writer does not block the caller.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0)
    return refuse(Error::file_not_found, "%s cannot be opened.", path.c_str());
  if (S_ISDIR(status.st_mode))
    return refuse(Error::file_not_found, "%s is a directory.", path.c_str());
  if (only_private && (!S_ISREG(status.st_mode) || !is_private(status)))
    return refuse(Error::file_not_found,
                  "%s is not a regular file that only this user may write to.", path.c_str());
  std::string contents;
  contents.reserve(std::min(most, static_cast<size_t>(std::max<off_t>(status.st_size, 0))));
  char buffer[4096];  // the calling thread may have a small stack
  for (;;) {
    const ssize_t bytes = read(file.get(), buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return refuse(Error::file_not_found, "%s cannot be read.", path.c_str());
    if (bytes == 0) return contents;
    if (contents.size() + static_cast<size_t>(bytes) > most)
      return refuse(Error::invalid_value, "%s has more than %zu bytes.", path.c_str(), most);
    contents.append(buffer, static_cast<size_t>(bytes));
  }
}

}  // namespace

Result<std::string> read_file(const std::string& path, size_t most) {
  return read_whole(path, most, 0, false);
}

Result<std::string> read_private_file(const std::string& path, size_t most) {
  return read_whole(path, most, O_NOFOLLOW, true);
}

bool write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool replace_file(const std::string& path, std::string_view contents) {
  static std::atomic<unsigned> number{0};
  const std::string temporary =
      path + "." + std::to_string(getpid()) + "." + std::to_string(number.fetch_add(1)) + ".new";
  {
    const Descriptor file(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return false;
    if (!write_all(file.get(), contents)) {
      unlink(temporary.c_str());
      return false;
    }
  }
  if (rename(temporary.c_str(), path.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

bool make_directories(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && slash == std::string::npos)
      return false;
    if (slash == std::string::npos) return access(path.c_str(), W_OK | X_OK) == 0;
  }
}

bool is_private(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && is_private(status);
}

std::vector<DirectoryEntry> list_directory(const std::string& path) {
  std::vector<DirectoryEntry> entries;
  DIR* const directory = opendir(path.c_str());
  if (!directory) return entries;
  while (const dirent* const entry = readdir(directory)) {
    struct stat status {};
    if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    entries.push_back(
        {entry->d_name, static_cast<uint64_t>(status.st_size), nanoseconds(status.st_mtim)});
  }
  closedir(directory);
  return entries;
}

void mark_used(const std::string& path) {
  utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

void remove_file(const std::string& path) { unlink(path.c_str()); }

}  // namespace cuvette::os
