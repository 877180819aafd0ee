// SPDX-License-Identifier: Apache-2.0
// The header of a file with memory, as Mesa's software drivers (lavapipe and llvmpipe) write and
// expect it. The content of the memory begins at `offset`, and the eight bytes before it are
// `offset` again.
//
// Source: files that Mesa 22.3.6 exports. Threads: any; plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuvette::interop {

struct LavapipeHeader {
  static constexpr uint64_t copy_bytes = 8;
  // The drivers take only files with their own build's mark. This is the mark of builds from a
  // release rather than from Mesa's repository, as in Debian and Ubuntu.
  static constexpr std::array<uint8_t, 16> released = {0x6c, 0xb9, 0xee, 0x07, 0x4a, 0x0b,
                                                       0xad, 0x7b, 0x01, 0x2e, 0x1b, 0xe9,
                                                       0x69, 0x7e, 0x53, 0x0f};

  uint64_t file_bytes;  // the size of the whole file
  uint64_t offset;      // a multiple of the page size
  std::array<uint8_t, 16> build;
};
static_assert(sizeof(LavapipeHeader) == 32);

}  // namespace cuvette::interop
