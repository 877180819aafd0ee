// SPDX-License-Identifier: Apache-2.0
#include "sim/os/sparse_memory.hpp"

#include <sys/mman.h>

namespace cuvette::os {

Result<SparseMemory> SparseMemory::create(size_t size) {
  void* const begin = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return Error::out_of_memory;
  // A huge page would be filled with zeros for a single byte.
  madvise(begin, size, MADV_NOHUGEPAGE);
  madvise(begin, size, MADV_DONTDUMP);
  SparseMemory memory;
  memory.begin_ = static_cast<uint8_t*>(begin);
  memory.size_ = size;
  return memory;
}

SparseMemory::~SparseMemory() {
  if (begin_) munmap(begin_, size_);
}

}  // namespace cuvette::os
