// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/external_memory.hpp"

#include <cstdio>

#include "sim/config.hpp"
#include "sim/interop/external/external_semaphore.hpp"
#include "sim/stream/machine.hpp"

namespace cuvette::interop {

Result<Ref<ExternalMemory>> ExternalMemory::import_fd(int fd, uint64_t size) {
  if (size == 0)
    return refuse(
        Error::invalid_value,
        "The size of the memory to import is 0: pass the size of the exporter's allocation.");
  auto segment = os::Segment::share(fd, size);
  if (segment.ok()) {
    if (const char* const semaphore = semaphore_in(*segment.value(), fd)) {
      fprintf(stderr, "cuvette: file descriptor %d cannot be imported as memory: %s.\n", fd,
              semaphore);
      return Error::unknown;
    }
    os::close_fd(fd);
  } else {
    // The driver closes what it does not recognise (measured).
    if (segment.error() == Error::unknown && follows_driver()) os::close_fd(fd);
    return segment.error();
  }
  return make_ref<ExternalMemory>(std::move(segment).value(), size);
}

Result<Ref<memory::Allocation>> ExternalMemory::map(const memory::Asker& asker, uint64_t offset,
                                                    uint64_t size) const {
  if (size == 0) return refuse(Error::invalid_value, "A mapped buffer of 0 bytes has no address.");
  if (offset > size_ || size > size_ - offset)
    return refuse(Error::invalid_value,
                  "Bytes %llu to %llu + %llu do not lie inside the %llu bytes that were imported.",
                  static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset),
                  static_cast<unsigned long long>(size), static_cast<unsigned long long>(size_));
  return device::Machine::get().memory().map_external(segment_, offset, size, asker);
}

}  // namespace cuvette::interop
