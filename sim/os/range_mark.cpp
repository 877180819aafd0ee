// SPDX-License-Identifier: Apache-2.0
#include "sim/os/range_mark.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace cuvette::os {
namespace {

// Offsets of files are below this, and so are those of the locks of Segment::lend().
constexpr uint64_t beyond_files = uint64_t{1} << 62;

struct flock lock_of(short type, uint64_t offset, uint64_t size) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(beyond_files + offset);
  lock.l_len = static_cast<off_t>(size);
  return lock;
}

}  // namespace

void set_range_mark(int fd, uint64_t offset, uint64_t size) {
  struct flock lock = lock_of(F_RDLCK, offset, size);
  static_cast<void>(fcntl(fd, F_OFD_SETLK, &lock));
}

void clear_range_mark(int fd, uint64_t offset, uint64_t size) {
  struct flock lock = lock_of(F_UNLCK, offset, size);
  static_cast<void>(fcntl(fd, F_OFD_SETLK, &lock));
}

bool has_range_mark(int fd, uint64_t offset, uint64_t size) {
  struct flock lock = lock_of(F_WRLCK, offset, size);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace cuvette::os
