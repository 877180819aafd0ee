// SPDX-License-Identifier: Apache-2.0
#include "sim/os/segment.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/os/output.hpp"
#include "sim/os/page.hpp"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace cuvette::os {
namespace {

int duplicate_high(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, lowest_own_fd);
  // EINVAL: the limit of open files is lower; EMFILE: the numbers above it are taken.
  return high >= 0 ? high : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int create_memfd(const char* name) {
  const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  // Linux before 6.3 does not know MFD_NOEXEC_SEAL, later ones may insist on it.
  return fd >= 0 || errno != EINVAL ? fd : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

// Sets a file's size; returns 0 or an errno. ftruncate() beyond RLIMIT_FSIZE fails and sends
// SIGXFSZ, though nothing is written to any disk, so the soft limit is raised meanwhile, as far as
// allowed.
int set_size(int fd, size_t size) {
  static Mutex* const mutex = new Mutex;
  MutexLock lock(*mutex);
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return errno;
  const bool raise = limit.rlim_cur < size;
  if (raise) {
    if (limit.rlim_max < size) return EFBIG;
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_FSIZE, &raised) != 0) return errno;
  }
  const int failure = ftruncate(fd, static_cast<off_t>(size)) == 0 ? 0 : errno;
  if (raise) setrlimit(RLIMIT_FSIZE, &limit);
  return failure;
}

Error refuse_fd(int fd, const char* why) {
  const std::string name = name_of_fd(fd);
  say("file descriptor %d (%s) cannot be used as shared memory: %s.", fd,
      name.empty() ? "not open" : name.c_str(), why);
  return Error::unknown;
}

bool write_protected(int seals) { return (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0; }

Segment::Identity identity_of(const struct stat& file) { return {file.st_dev, file.st_ino}; }

}  // namespace

Result<Ref<Segment>> Segment::create(const char* name, size_t size) {
  const int low = create_memfd(name);
  if (low < 0) return errno == ENOMEM ? Error::out_of_memory : Error::operating_system;
  const int fd = duplicate_high(low);
  close(low);
  if (fd < 0) return Error::operating_system;
  struct stat file;
  if (const int failure = set_size(fd, size); failure != 0 || fstat(fd, &file) != 0) {
    close(fd);
    return refuse(Error::out_of_memory, "A segment of %zu bytes cannot be made: %s.", size,
                  strerror(failure));
  }
  const bool sealed = fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  return Ref<Segment>::adopt(new Segment(fd, size, {sealed, sealed}, identity_of(file)));
}

Result<Ref<Segment>> Segment::adopt(int fd, size_t least) {
  auto segment = share(fd, least);
  if (segment.ok()) close(fd);
  return segment;
}

Result<Ref<Segment>> Segment::share(int fd, size_t least) {
  struct stat file;
  if (fstat(fd, &file) != 0) return refuse_fd(fd, "it is not open");
  if (!S_ISREG(file.st_mode)) return refuse_fd(fd, "it is not a regular file");
  if (file.st_size == 0) return refuse_fd(fd, "it is empty");
  if (const auto size = static_cast<size_t>(file.st_size); size < least) {
    return refuse(Error::invalid_value,
                  "File descriptor %d holds %zu bytes of memory, not the %zu that were requested.",
                  fd, size, least);
  }
  const int mode = fcntl(fd, F_GETFL);
  if (mode < 0 || (mode & O_PATH) || (mode & O_ACCMODE) != O_RDWR) {
    return refuse_fd(fd, "it is not open for reading and writing");
  }
  // Only files in memory have seals; at least the one that forbids further ones.
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0) return refuse_fd(fd, "it is not a file in memory (memfd or tmpfs)");
  if (write_protected(seals)) {
    return refuse_fd(fd, "it is sealed against writing");
  }
  // A block as large as a huge page means hugetlbfs, or tmpfs with transparent huge pages.
  struct statfs system;
  if (static_cast<size_t>(file.st_blksize) != page_size() &&
      (fstatfs(fd, &system) != 0 || system.f_type == HUGETLBFS_MAGIC)) {
    return refuse_fd(fd, "it is in hugetlbfs, whose pages cannot be mapped one by one");
  }
  const int own = duplicate_high(fd);
  if (own < 0) return refuse_fd(fd, "no file descriptor is left for it");
  if (!(seals & (F_SEAL_SHRINK | F_SEAL_SEAL)) && fcntl(own, F_ADD_SEALS, F_SEAL_SHRINK) == 0) {
    seals |= F_SEAL_SHRINK;
    // It may have shrunk before the seal was on.
    if (fstat(own, &file) != 0 || file.st_size == 0 || static_cast<size_t>(file.st_size) < least) {
      close(own);
      return refuse_fd(fd, "it shrank before it could be sealed");
    }
  }
  return Ref<Segment>::adopt(new Segment(own, static_cast<size_t>(file.st_size),
                                         {(seals & F_SEAL_SHRINK) != 0, (seals & F_SEAL_GROW) != 0},
                                         identity_of(file)));
}

Segment::~Segment() { close(fd_); }

bool Segment::write(uint64_t offset, const void* from, size_t size) {
  return pwrite(fd_, from, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

bool Segment::read(uint64_t offset, void* to, size_t size) const {
  return pread(fd_, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

void Segment::discard(uint64_t offset, size_t size) {
  const uint64_t page = page_size();
  const uint64_t begin = round_up(offset, page);
  const uint64_t end = round_down(offset + size, page);
  if (begin >= end) return;
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
            static_cast<off_t>(end - begin));
}

namespace {

// Locks belong to what open() has made, and not to a process, so they travel with a descriptor.
struct flock lock_of(short type, uint64_t offset, uint64_t size) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(offset);
  lock.l_len = static_cast<off_t>(size);
  return lock;
}

}  // namespace

Result<int> Segment::lend(uint64_t offset, uint64_t size) const {
  const int fd = TRY(reopen_fd(fd_));
  struct flock lock = lock_of(F_RDLCK, offset, size);
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return fd;
  const int failure = errno;
  close(fd);
  return refuse(Error::operating_system, "%zu bytes of memory cannot be lent: %s.",
                static_cast<size_t>(size), strerror(failure));
}

bool Segment::is_lent(uint64_t offset, uint64_t size) const {
  struct flock lock = lock_of(F_WRLCK, offset, size);
  return fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

size_t Segment::current_size() const {
  struct stat file;
  return fstat(fd_, &file) == 0 ? static_cast<size_t>(file.st_size) : 0;
}

size_t Segment::resident() const {
  struct stat file;
  return fstat(fd_, &file) == 0 ? static_cast<size_t>(file.st_blocks) * 512 : 0;
}

std::string name_of_fd(int fd) {
  char path[32], name[128];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(path, name, sizeof name);
  return {name, length > 0 ? static_cast<size_t>(length) : 0};
}

Segment::Identity identity_of_fd(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 ? identity_of(file) : Segment::Identity{};
}

Result<int> duplicate_fd(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0)
    return refuse(Error::operating_system, "File descriptor %d cannot be duplicated: %s.", fd,
                  strerror(errno));
  return copy;
}

Result<int> reopen_fd(int fd) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const int again = open(path, O_RDWR | O_CLOEXEC);
  if (again < 0)
    return refuse(Error::operating_system, "File descriptor %d cannot be reopened: %s.", fd,
                  strerror(errno));
  return again;
}

bool open_elsewhere(int fd) {
  // The kernel grants a lease for writing only to a process that alone has the file open.
  if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return true;
  fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

void close_fd(int fd) { close(fd); }

}  // namespace cuvette::os
