// SPDX-License-Identifier: Apache-2.0
#include "sim/os/named_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/interprocess/permissions.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cuvette::os {
namespace ipc = boost::interprocess;
namespace {

constexpr unsigned rights_of_others = S_IRWXG | S_IRWXO;

struct flock lock_of(short type, uint64_t at) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(at);
  lock.l_len = 1;
  return lock;
}

// Whether a file may have so many bytes. Beyond `ulimit -f` the system would send SIGXFSZ, which
// ends the program.
bool is_allowed(uint64_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

// Returns what is wrong with an open file as memory of this user alone; empty if nothing is.
std::string complaint(int fd, const std::string& path) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return path + " cannot be examined: " + strerror(errno) + ".";
  if (!S_ISREG(status.st_mode)) return path + " is no shared memory.";
  if (status.st_uid != geteuid())
    return path + " belongs to user " + std::to_string(status.st_uid) + ", not to user " +
           std::to_string(geteuid()) + "; its owner has to remove it.";
  if (status.st_mode & rights_of_others)
    return path + " may be used by other users, too; remove it, or run `chmod 600 " + path + "`.";
  return "";
}

// Returns an own descriptor of what Boost.Interprocess has opened, a high number; negative if there
// is none.
int descriptor_of(const ipc::shared_memory_object& object) {
  const int high = fcntl(object.get_mapping_handle().handle, F_DUPFD_CLOEXEC, lowest_own_fd);
  return high >= 0 ? high : fcntl(object.get_mapping_handle().handle, F_DUPFD_CLOEXEC, 0);
}

int open_object(const std::string& name, bool create, std::string& trouble) {
  try {
    if (!create)
      return descriptor_of(
          ipc::shared_memory_object(ipc::open_only, name.c_str(), ipc::read_write));
    return descriptor_of(ipc::shared_memory_object(ipc::open_or_create, name.c_str(),
                                                   ipc::read_write, ipc::permissions(0600)));
  } catch (const ipc::interprocess_exception& exception) {
    if (create || exception.get_error_code() != ipc::not_found_error)
      trouble = NamedMemory::path_of(name) + " cannot be opened: " + exception.what() + ".";
    return -1;
  }
}

}  // namespace

std::string NamedMemory::path_of(const std::string& name) { return "/dev/shm/" + name; }

std::unique_ptr<NamedMemory> NamedMemory::open(const std::string& name, size_t size, bool create,
                                               std::string& trouble) {
  const int fd = open_object(name, create, trouble);
  if (fd < 0) return nullptr;
  std::unique_ptr<NamedMemory> memory(new NamedMemory(fd));
  trouble = complaint(fd, path_of(name));
  if (!trouble.empty()) return nullptr;
  struct stat status {};
  if (fstat(fd, &status) != 0 || static_cast<size_t>(status.st_size) >= size) return memory;
  const bool allowed = is_allowed(size);
  if (!allowed || ftruncate(fd, static_cast<off_t>(size)) != 0) {
    trouble = path_of(name) + " cannot have " + std::to_string(size) +
              " bytes: " + (allowed ? strerror(errno) : "`ulimit -f` is smaller") + ".";
    return nullptr;
  }
  return memory;
}

void NamedMemory::remove(const std::string& name) {
  ipc::shared_memory_object::remove(name.c_str());
}

NamedMemory::~NamedMemory() { close(fd_); }

bool NamedMemory::read(uint64_t offset, void* to, size_t size) const {
  ssize_t count;
  do {
    count = pread(fd_, to, size, static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(size);
}

bool NamedMemory::write(uint64_t offset, const void* from, size_t size) const {
  if (!is_allowed(offset + size)) return false;
  ssize_t count;
  do {
    count = pwrite(fd_, from, size, static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(size);
}

bool NamedMemory::reserve(uint64_t offset, size_t size) const {
  return is_allowed(offset + size) &&
         fallocate(fd_, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0;
}

void NamedMemory::discard(uint64_t offset, size_t size) const {
  static_cast<void>(fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(offset), static_cast<off_t>(size)));
}

bool NamedMemory::try_lock(uint64_t at) const {
  struct flock lock = lock_of(F_WRLCK, at);
  return fcntl(fd_, F_OFD_SETLK, &lock) == 0;
}

void NamedMemory::unlock(uint64_t at) const {
  struct flock lock = lock_of(F_UNLCK, at);
  static_cast<void>(fcntl(fd_, F_OFD_SETLK, &lock));
}

bool NamedMemory::is_locked(uint64_t at) const {
  struct flock lock = lock_of(F_WRLCK, at);
  // If the system does not say, it counts as locked: no process is declared dead.
  return fcntl(fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

Segment::Identity NamedMemory::identity() const {
  struct stat status {};
  if (fstat(fd_, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

std::unique_ptr<MappedView> NamedMemory::map(size_t size) const {
  Result<MappedView> view = MappedView::map(fd_, size, MappedView::Access::write);
  if (!view.ok()) return nullptr;
  madvise(view.value().data(), view.value().size(), MADV_DONTFORK);
  return std::make_unique<MappedView>(std::move(view).value());
}

}  // namespace cuvette::os
