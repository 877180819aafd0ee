// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor of the device would hold at a time.
//
// Registers do not limit it: kernels use the processor's registers here.
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/device/model/profile.hpp"

namespace cuvette::device {

// The unit in which shared memory is allocated, in bytes.
constexpr size_t shared_unit = 128;

// Returns how many blocks with `threads` threads and `shared_bytes` bytes of shared memory each,
// static and dynamic, fit; 0 if not even one does.
uint32_t blocks_per_multiprocessor(const Profile& profile, uint64_t threads, size_t shared_bytes);

// The most blocks that each resource of a multiprocessor allows; `registers`: of a thread, as a GPU
// counts them, 0 if they are unknown. UINT32_MAX: any number.
struct BlockLimits {
  uint32_t by_warps = 0, by_shared = 0, by_slots = 0, by_registers = UINT32_MAX;
};
BlockLimits block_limits(const Profile& profile, uint64_t threads, size_t shared_bytes,
                         uint32_t registers);

// Returns how many blocks with `shared_bytes` each fit if `carveout` per cent of the cache are to
// be shared memory, which comes in the sizes that the device has; with a negative carveout, the
// largest. There is always room for one; UINT32_MAX if a block takes no shared memory.
uint32_t blocks_in_carveout(const Profile& profile, int carveout, size_t shared_bytes);

// Returns the most dynamic shared memory per block with which `blocks` blocks fit, if each also has
// `static_bytes`.
size_t shared_for_blocks(const Profile& profile, uint32_t blocks, size_t static_bytes);

}  // namespace cuvette::device
