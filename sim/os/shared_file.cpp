// SPDX-License-Identifier: Apache-2.0
#include "sim/os/shared_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace cuvette::os {

SharedFile::SharedFile(const std::string& path) {
  for (;;) {
    // A pipe that nothing reads would otherwise be waited for.
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0) return;
    struct stat locked, named;
    if (fstat(fd, &locked) != 0 || !S_ISREG(locked.st_mode)) {
      close(fd);
      return;
    }
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    // The previous holder of the lock may have put another file in its place, or removed it.
    if (stat(path.c_str(), &named) != 0 || named.st_dev != locked.st_dev ||
        named.st_ino != locked.st_ino) {
      close(fd);
      continue;
    }
    descriptor_ = fd;
    size_ = static_cast<uint64_t>(named.st_size);
    identity_ = static_cast<uint64_t>(named.st_dev) * 0x9e3779b97f4a7c15 + named.st_ino;
    return;
  }
}

SharedFile::~SharedFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool SharedFile::read(uint64_t begin, std::string& content) const {
  const size_t before = content.size();
  content.resize(before + (size_ > begin ? size_ - begin : 0));
  for (size_t at = before; at < content.size();) {
    const ssize_t count = pread(descriptor_, content.data() + at, content.size() - at,
                                static_cast<off_t>(begin + (at - before)));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += static_cast<size_t>(count);
  }
  return true;
}

bool SharedFile::write_at(uint64_t begin, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
    begin += static_cast<uint64_t>(count);
  }
  return true;
}

bool SharedFile::replace_end(uint64_t begin, std::string_view text) {
  std::string before;
  if (!read(begin, before)) return false;
  const uint64_t end = begin + text.size();
  if (write_at(begin, text) &&
      (end >= size_ || ftruncate(descriptor_, static_cast<off_t>(end)) == 0)) {
    size_ = end;
    return true;
  }
  // What was there fits again.
  write_at(begin, before);
  [[maybe_unused]] const int cut = ftruncate(descriptor_, static_cast<off_t>(size_));
  return false;
}

bool SharedFile::overwrite(uint64_t begin, std::string_view text) {
  return begin + text.size() <= size_ && write_at(begin, text);
}

}  // namespace cuvette::os
