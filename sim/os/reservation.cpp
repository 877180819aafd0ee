// SPDX-License-Identifier: Apache-2.0
#include "sim/os/reservation.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/base/rounding.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/held_pages.hpp"
#include "sim/os/output.hpp"

namespace cuvette::os {
namespace {

// Reservations begin where a huge page may.
constexpr size_t alignment = size_t{2} << 20;

// Calls mmap() past the interceptors of sanitizers: they would set up shadow memory for device
// windows, which takes time in proportion to the size, though no instrumented code touches them.
uint64_t map_raw(uint64_t address, size_t size, int protection, int flags, int fd,
                 uint64_t offset) {
  return static_cast<uint64_t>(
      syscall(SYS_mmap, address, size, protection, flags, fd, static_cast<off_t>(offset)));
}
constexpr uint64_t failed = ~uint64_t{0};

uint64_t map_nothing(uint64_t address, size_t size, int flags) {
  return map_raw(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
                 0);
}

// Reserves `size` bytes at a multiple of `alignment`; 0 on failure.
uint64_t reserve_aligned(size_t size) {
  const uint64_t begin = map_nothing(0, size + alignment, 0);
  if (begin == failed) return 0;
  const uint64_t aligned = round_up(begin, alignment);
  if (aligned > begin) syscall(SYS_munmap, begin, aligned - begin);
  if (begin + alignment > aligned) {
    syscall(SYS_munmap, aligned + size, begin + alignment - aligned);
  }
  return aligned;
}

void unmap_at(uint64_t address, size_t size) {
  if (map_nothing(address, size, MAP_FIXED) == failed) {
    say("%zu bytes of device memory at 0x%llx could not be unmapped: %s.", size,
        static_cast<unsigned long long>(address), strerror(errno));
  }
}

}  // namespace

Result<Reservation> Reservation::reserve(size_t wanted, size_t least) {
  size_t tried = 0;
  int failure = 0;
  for (size_t size = wanted; size >= least && size > 0; size /= 2) {
    const uint64_t begin = reserve_aligned(size);
    if (begin != 0) {
      // Addresses are scarce (`ulimit -v`), so the program gets at least as many as we do.
      if (size < wanted && size / 2 >= least && size / 2 % alignment == 0) {
        syscall(SYS_munmap, begin + size / 2, size - size / 2);
        size /= 2;
      }
      return Reservation(begin, size);
    }
    tried = size;
    failure = errno;
    // Programs that run in a simulated address space (valgrind) get EINVAL instead.
    if (failure != ENOMEM && failure != EINVAL) break;
  }
  return refuse(Error::out_of_memory,
                "%zu bytes of address space are not available (tried %zu, then half of that again "
                "and again, down to %zu): %s.",
                tried, wanted, least, strerror(failure));
}

Reservation::Reservation(Reservation&& other) noexcept
    : begin_(other.begin_), size_(std::exchange(other.size_, 0)) {}

Reservation::~Reservation() {
  if (size_ == 0) return;
  DeviceGate::Change gate(device_gate());
  gate.forget(begin_, size_);
  syscall(SYS_munmap, begin_, size_);
}

Result<> Reservation::map(uint64_t address, const Segment& segment, uint64_t offset, size_t size,
                          Rights rights) {
  if (!contains(address) || size > end() - address) return Error::invalid_value;
  const int protection = (rights.read ? PROT_READ : 0) | (rights.write ? PROT_WRITE : 0);
  DeviceGate::Change gate(device_gate());
  const int now = rights.host ? protection : gate.at_first(protection);
  if (map_raw(address, size, now, MAP_SHARED | MAP_FIXED, segment.fd(), offset) == failed) {
    return errno == ENOMEM ? Error::out_of_memory : Error::operating_system;
  }
  auto* const window = reinterpret_cast<void*>(address);
  // The key comes before the first touch: on populated pages it would take time in proportion to
  // them.
  if (!rights.host && has_device_key() &&
      pkey_mprotect(window, size, protection, detail::device_key) != 0) {
    const int failure = errno;
    unmap_at(address, size);
    return failure == ENOMEM ? Error::out_of_memory : Error::operating_system;
  }
  rights.host ? gate.forget(address, size) : gate.guard(address, size, protection);
  return {};
}

void Reservation::keep_out_of_dumps(uint64_t address, size_t size) {
  madvise(reinterpret_cast<void*>(address), size, MADV_DONTDUMP);
}

void Reservation::keep_from_children() const {
  madvise(reinterpret_cast<void*>(begin_), size_, MADV_DONTFORK);
}

void Reservation::unmap(uint64_t address, size_t size) {
  DeviceGate::Change gate(device_gate());
  gate.forget(address, size);
  unmap_at(address, size);
}

Result<uint64_t> map_host_pages(size_t size) {
  void* const pages =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return Error::out_of_memory;
  return reinterpret_cast<uint64_t>(pages);
}

void unmap_host_pages(uint64_t address, size_t size) {
  if (pages_held()) HeldPages::get().forget(address, address + size);
  munmap(reinterpret_cast<void*>(address), size);
}

void discard_host_pages(uint64_t address, size_t size) {
  if (pages_held()) HeldPages::get().forget(address, address + size);
  madvise(reinterpret_cast<void*>(address), size, MADV_DONTNEED);
}

}  // namespace cuvette::os
