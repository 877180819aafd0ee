// SPDX-License-Identifier: Apache-2.0
#include "sim/os/page_move.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "sim/mutex.hpp"

namespace cuvette::os {
namespace {

constinit std::atomic<bool> moving{false};
constinit std::atomic<uint32_t> moves{0};  // that have begun
// Of those, how many had begun when this thread waited last. initial-exec, as in fault.cpp.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t moves_seen = 0;

// Copies what the file holds there, leaving holes out.
bool copy_bytes(SegmentPlace from, SegmentPlace to, size_t size) {
  std::vector<char> piece(std::min<size_t>(size, size_t{1} << 20));
  const uint64_t end = from.offset + size;
  for (uint64_t at = from.offset; at < end;) {
    const off_t data = lseek(from.segment.fd(), static_cast<off_t>(at), SEEK_DATA);
    if (data < 0) return errno == ENXIO;  // a hole up to the end of the file
    at = std::max(at, static_cast<uint64_t>(data));
    const off_t hole = lseek(from.segment.fd(), static_cast<off_t>(at), SEEK_HOLE);
    if (hole < 0) return false;
    const uint64_t stop = std::min(end, static_cast<uint64_t>(hole));
    while (at < stop) {
      const size_t bytes = std::min<uint64_t>(piece.size(), stop - at);
      if (!from.segment.read(at, piece.data(), bytes) ||
          !to.segment.write(to.offset + (at - from.offset), piece.data(), bytes))
        return false;
      at += bytes;
    }
  }
  return true;
}

// Past the interceptors of sanitizers, as in reservation.cpp. The protection key stays.
bool protect(uint64_t address, size_t size, int protection) {
  return syscall(SYS_mprotect, address, size, protection) == 0;
}

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
  const Moving scope;
  if (!protect(address, size, PROT_READ))
    return refuse(Error::out_of_memory, "%zu bytes at 0x%llx cannot be held still: %s.", size,
                  static_cast<unsigned long long>(address), strerror(errno));
  // Nobody writes from here on.
  if (!copy_bytes(from, to, size)) {
    const int failure = errno;
    protect(address, size, PROT_READ | PROT_WRITE);
    to.segment.discard(to.offset, size);
    return refuse(Error::out_of_memory, "%zu bytes of device memory cannot be copied: %s.", size,
                  strerror(failure));
  }
  if (const Result<> mapped = reservation.map(address, to.segment, to.offset, size); !mapped.ok()) {
    TRY(reservation.map(address, from.segment, from.offset, size));
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
