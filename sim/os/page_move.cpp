// SPDX-License-Identifier: Apache-2.0
#include "sim/os/page_move.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "sim/base/mutex.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/output.hpp"
#include "sim/os/page.hpp"

namespace cuvette::os {
namespace {

constexpr uint64_t most_at_once = uint64_t{1} << 30;  // the system reads less than 2 GiB at a time

constinit std::atomic<bool> moving{false};
constinit std::atomic<uint32_t> moves{0};  // that have begun
// Of those, how many had begun when this thread waited last. initial-exec, as in fault.cpp.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t moves_seen = 0;

// A segment's bytes as this thread writes them: through a mapping, because a write to the file
// would be held against the limit of file sizes (`ulimit -f`), with a signal.
class View {
 public:
  View(SegmentPlace place, size_t size)
      : size_(size),
        begin_(syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, place.segment.fd(),
                       static_cast<off_t>(place.offset))) {}
  ~View() {
    if (mapped()) syscall(SYS_munmap, begin_, size_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  bool mapped() const { return begin_ != -1; }
  char* bytes() const { return reinterpret_cast<char*>(begin_); }

 private:
  const size_t size_;
  const long begin_;
};

// Copies what the file holds there, leaving holes out. False if pages for it are missing.
bool copy_bytes(SegmentPlace from, SegmentPlace to, size_t size) {
  const View view(to, size);
  if (!view.mapped()) return false;
  const uint64_t end = from.offset + size;
  for (uint64_t at = from.offset; at < end;) {
    const off_t data = lseek(from.segment.fd(), static_cast<off_t>(at), SEEK_DATA);
    if (data < 0) return errno == ENXIO;  // a hole up to the end of the file
    at = std::max(at, static_cast<uint64_t>(data));
    const off_t hole = lseek(from.segment.fd(), static_cast<off_t>(at), SEEK_HOLE);
    if (hole < 0) return false;
    const uint64_t stop = std::min(end, static_cast<uint64_t>(hole));
    while (at < stop) {
      const size_t bytes = std::min<uint64_t>(most_at_once, stop - at);
      if (!from.segment.read(at, view.bytes() + (at - from.offset), bytes)) return false;
      at += bytes;
    }
  }
  return true;
}

constexpr int device_rights = PROT_READ | PROT_WRITE;

class Moving {
 public:
  Moving() {
    moving.store(true);
    moves.fetch_add(1);
  }
  ~Moving() { moving.store(false, std::memory_order_release); }
};

}  // namespace

Result<> move_pages(Reservation& reservation, uint64_t address, size_t size, SegmentPlace from,
                    SegmentPlace to) {
  static constinit Mutex mutex;
  MutexLock lock(mutex);
  const DeviceAccess nothing_closes;
  // Nor is anything opened here while the pages are read-only.
  if (DeviceGate* const gate = device_gate()) gate->open_all(address, size);
  const Moving scope;
  if (!protect_pages(address, address + size, PROT_READ)) {
    const int failure = errno;
    protect_pages(address, address + size, device_rights);  // some of the pages may be protected
    return refuse(Error::out_of_memory,
                  "%zu bytes at 0x%llx cannot be made read-only while they are moved: %s.", size,
                  static_cast<unsigned long long>(address), strerror(failure));
  }
  // Nothing is written from here on.
  if (!copy_bytes(from, to, size)) {
    protect_pages(address, address + size, device_rights);
    to.segment.discard(to.offset, size);
    return refuse(Error::out_of_memory, "No pages are left for a copy of %zu bytes.", size);
  }
  if (const Result<> mapped = reservation.map(address, to.segment, to.offset, size); !mapped.ok()) {
    if (!reservation.map(address, from.segment, from.offset, size).ok())
      say("%zu bytes of device memory at 0x%llx are lost: they cannot be mapped again.", size,
          static_cast<unsigned long long>(address));
    to.segment.discard(to.offset, size);
    return mapped;
  }
  from.segment.discard(from.offset, size);
  return {};
}

bool detail::wait_for_move() {
  // A thread may get here after the move that stopped it has ended, so it tries again once for each
  // move, whether that still goes on or not.
  const uint32_t begun = moves.load();
  if (moves_seen == begun) return false;
  while (moving.load(std::memory_order_acquire)) syscall(SYS_sched_yield);
  moves_seen = begun;
  return true;
}

}  // namespace cuvette::os
