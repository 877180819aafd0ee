// SPDX-License-Identifier: Apache-2.0
#include "sim/os/growing_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace cuvette::os {
namespace {

// Beyond its limit for files a process gets a signal.
bool is_allowed(size_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

// Without room on the disk, a write to the mapped bytes would be a SIGBUS.
bool allocate(int fd, size_t size) {
  if (!is_allowed(size)) return false;
  int failure;
  do {
    failure = posix_fallocate(fd, 0, static_cast<off_t>(size));
  } while (failure == EINTR);
  return failure == 0;
}

}  // namespace

Result<std::unique_ptr<GrowingFile>> GrowingFile::create(const std::string& path, size_t first,
                                                         size_t most) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errno == EEXIST ? Error::already_mapped : Error::operating_system;
  struct stat status {};
  auto file = [&]() -> Result<std::unique_ptr<GrowingFile>> {
    if (fstat(fd, &status) != 0 || !allocate(fd, first)) return Error::operating_system;
    MappedView view = TRY(MappedView::map(fd, most, MappedView::Access::write));
    return std::unique_ptr<GrowingFile>(
        new GrowingFile(path, std::move(view), status.st_dev, status.st_ino));
  }();
  // A program may close all descriptors, and open others under their numbers, so none is kept.
  close(fd);
  if (!file.ok()) unlink(path.c_str());
  return file;
}

bool GrowingFile::grow(size_t size) {
  if (size > most()) return false;
  const int fd = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  struct stat status {};
  const bool grown = fstat(fd, &status) == 0 && status.st_dev == device_ &&
                     status.st_ino == inode_ && allocate(fd, size);
  close(fd);
  return grown;
}

void GrowingFile::remove() const { unlink(path_.c_str()); }

}  // namespace cuvette::os
