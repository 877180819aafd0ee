// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/detached_pages.hpp"

#include <cstdio>
#include <utility>

#include "sim/os/output.hpp"
#include "sim/os/page_move.hpp"

namespace cuvette::memory {
namespace {

// Creates a file that is open once. The kernel does not count the opening that creates a memfd, so
// os::open_elsewhere() would be wrong about it.
Result<Ref<os::Segment>> create_file(size_t size) {
  const Ref<os::Segment> created = TRY(os::Segment::create("cuvette-pages", size));
  return os::Segment::adopt(TRY(os::reopen_fd(created->fd())), size);
}

}  // namespace

Result<int> DetachedPages::descriptor_of(DevicePtr address, size_t size) {
  MutexLock lock(mutex_);
  for (const Range& range : ranges_)
    if (range.address == address && range.size == size) return os::reopen_fd(range.file->fd());
  TRY(attach_locked(address, size));
  Ref<os::Segment> file = TRY(create_file(size));
  const int fd = TRY(os::reopen_fd(file->fd()));
  const Result<> moved =
      os::move_pages(reservation_, address, size, {*segment_, address - begin_}, {*file, 0});
  if (!moved.ok()) {
    os::close_fd(fd);
    return moved.error();
  }
  reservation_.keep_out_of_dumps(address, size);
  budget_.add(file);
  ranges_.push_back({address, size, std::move(file)});
  count_.store(ranges_.size(), std::memory_order_relaxed);
  return fd;
}

Result<> DetachedPages::attach(DevicePtr address, size_t size) {
  MutexLock lock(mutex_);
  return attach_locked(address, size);
}

Result<> DetachedPages::attach_locked(DevicePtr address, size_t size) {
  for (size_t i = ranges_.size(); i-- > 0;) {
    const Range& range = ranges_[i];
    if (range.end() <= address || range.address >= address + size) continue;
    if (os::open_elsewhere(range.file->fd()))
      return refuse(Error::not_supported,
                    "The %zu bytes at 0x%llx overlap %zu bytes at 0x%llx, whose file descriptor is "
                    "still open: without dma-bufs, memory can be in one file only.",
                    size, static_cast<unsigned long long>(address), range.size,
                    static_cast<unsigned long long>(range.address));
    TRY(os::move_pages(reservation_, range.address, range.size, {*range.file, 0},
                       {*segment_, range.address - begin_}));
    reservation_.keep_out_of_dumps(range.address, range.size);
    erase(i);
  }
  return {};
}

void DetachedPages::leave_some(DevicePtr address, size_t size) {
  MutexLock lock(mutex_);
  for (size_t i = ranges_.size(); i-- > 0;) {
    const Range& range = ranges_[i];
    if (range.end() <= address || range.address >= address + size) continue;
    if (!reservation_.map(range.address, *segment_, range.address - begin_, range.size).ok()) {
      os::say(
          "%zu freed bytes at 0x%llx stay in the file that cuMemGetHandleForAddressRange has "
          "given out: they cannot be mapped anew.",
          range.size, static_cast<unsigned long long>(range.address));
      continue;
    }
    reservation_.keep_out_of_dumps(range.address, range.size);
    erase(i);
  }
}

void DetachedPages::erase(size_t index) {
  budget_.remove(*ranges_[index].file);
  ranges_.erase(ranges_.begin() + static_cast<ptrdiff_t>(index));
  count_.store(ranges_.size(), std::memory_order_relaxed);
}

}  // namespace cuvette::memory
