// SPDX-License-Identifier: Apache-2.0
#include "sim/os/shared_block.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace cuvette::os {
namespace {

struct flock lock_of(uint32_t seat) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(seat);
  lock.l_len = 1;
  return lock;
}

}  // namespace

Result<std::unique_ptr<SharedBlock>> SharedBlock::map(Ref<Segment> segment) {
  MappedView view = TRY(MappedView::map(segment->fd(), segment->size(), MappedView::Access::write));
  madvise(view.data(), view.size(), MADV_DONTFORK);
  return std::unique_ptr<SharedBlock>(new SharedBlock(std::move(segment), std::move(view)));
}

SharedBlock::SharedBlock(Ref<Segment> segment, MappedView view)
    : segment_(std::move(segment)), view_(std::move(view)) {}

Result<std::unique_ptr<SharedBlock>> SharedBlock::create(const char* name, size_t size) {
  return map(TRY(Segment::create(name, size)));
}

Result<std::unique_ptr<SharedBlock>> SharedBlock::adopt(int fd, size_t size) {
  auto segment = Segment::adopt(fd, size);
  if (!segment.ok()) {
    close_fd(fd);
    return segment.error();
  }
  if (segment.value()->size() != size || !segment.value()->shrink_sealed())
    return refuse(Error::unknown, "The descriptor refers to another file than was expected.");
  return map(std::move(segment).value());
}

SharedBlock::~SharedBlock() = default;

Result<> SharedBlock::take_seat(uint32_t seat) {
  struct flock lock = lock_of(seat);
  if (fcntl(segment_->fd(), F_SETLK, &lock) != 0)
    return refuse(Error::operating_system,
                  "Slot %u of the memory that processes share is not free: %s.", seat,
                  strerror(errno));
  return {};
}

bool SharedBlock::taken_elsewhere(uint32_t seat) const {
  struct flock lock = lock_of(seat);
  // If the system does not report it, the seat counts as taken: no process is declared dead.
  return fcntl(segment_->fd(), F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace cuvette::os
