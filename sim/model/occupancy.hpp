// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor of the device would hold at a time.
//
// Registers do not limit it: they are the vector units' here.
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/model/profile.hpp"

namespace cuvette::device {

// Shared memory is given out in units of so many bytes.
constexpr size_t shared_unit = 128;

// Of `threads` threads and `shared_bytes` bytes of shared memory, static and dynamic; 0 if there
// can be none.
uint32_t blocks_per_multiprocessor(const Profile& profile, uint64_t threads, size_t shared_bytes);

// The most dynamic shared memory with which `blocks` blocks fit, beside `static_bytes` of each.
size_t shared_for_blocks(const Profile& profile, uint32_t blocks, size_t static_bytes);

}  // namespace cuvette::device
