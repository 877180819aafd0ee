// SPDX-License-Identifier: Apache-2.0
#include "sim/os/executable_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "sim/base/rounding.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::os {

Result<ExecutableMemory> ExecutableMemory::create(std::span<const uint8_t> code) {
  if (code.empty()) return Error::invalid_value;
  ExecutableMemory memory;
  const size_t page = page_size();
  const size_t size = round_up(code.size(), page);
  void* const begin =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED)
    return refuse(Error::out_of_memory, "There is no memory for %zu bytes of machine code.", size);
  memory.begin_ = static_cast<uint8_t*>(begin);
  memory.size_ = size;
  std::memcpy(begin, code.data(), code.size());
  // No page is ever writable and executable at the same time.
  if (mprotect(begin, size, PROT_READ | PROT_EXEC) != 0)
    return refuse(Error::operating_system, "The system does not allow executable pages: %s.",
                  std::strerror(errno));
  return memory;
}

ExecutableMemory::~ExecutableMemory() {
  if (begin_) munmap(begin_, size_);
}

}  // namespace cuvette::os
