// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/occupancy.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

constexpr uint32_t warp_size = 32;

// Documented: the sizes of shared memory that a multiprocessor's cache can set aside, in KiB. An
// architecture has those up to its largest, but Turing has none below 32.
constexpr size_t shared_sizes[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
constexpr uint32_t turing = 75;
size_t smallest_shared(const Profile& profile) {
  return (profile.compute_capability() == turing ? 32 : shared_sizes[0]) * 1024;
}

// The part of a multiprocessor's shared memory that a block takes.
size_t taken(const Profile& profile, size_t shared_bytes) {
  return (shared_bytes + profile.amount(Attribute::RESERVED_SHARED_MEMORY_PER_BLOCK) + shared_unit -
          1) /
         shared_unit * shared_unit;
}

}  // namespace

// Registers are allocated for a warp in units of 256, in one of the four parts of a multiprocessor;
// an H200 gives each thread 16 at least (measured).
BlockLimits block_limits(const Profile& profile, uint64_t threads, size_t shared_bytes,
                         uint32_t registers) {
  constexpr size_t unit = 256, parts = 4, least = 16;
  BlockLimits limits;
  const size_t warps = std::max<size_t>((threads + warp_size - 1) / warp_size, 1);
  limits.by_warps = static_cast<uint32_t>(
      profile.amount(Attribute::MAX_THREADS_PER_MULTIPROCESSOR) / warp_size / warps);
  const size_t each = taken(profile, shared_bytes);
  limits.by_shared =
      each == 0 ? UINT32_MAX
                : static_cast<uint32_t>(
                      profile.amount(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / each);
  limits.by_slots = static_cast<uint32_t>(profile.amount(Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR));
  if (registers > 0) {
    const size_t of_warp =
        (std::max<size_t>(registers, least) * warp_size + unit - 1) / unit * unit;
    const size_t of_part = profile.amount(Attribute::MAX_REGISTERS_PER_MULTIPROCESSOR) / parts;
    limits.by_registers = static_cast<uint32_t>(of_part / of_warp * parts / warps);
  }
  return limits;
}

uint32_t blocks_per_multiprocessor(const Profile& profile, uint64_t threads, size_t shared_bytes) {
  if (threads == 0 || threads > profile.amount(Attribute::MAX_THREADS_PER_BLOCK)) return 0;
  if (shared_bytes > profile.amount(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)) return 0;
  const size_t warps = (threads + warp_size - 1) / warp_size;
  const size_t by_warps =
      profile.amount(Attribute::MAX_THREADS_PER_MULTIPROCESSOR) / warp_size / warps;
  const size_t each = taken(profile, shared_bytes);
  const size_t by_shared =
      each == 0 ? SIZE_MAX : profile.amount(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / each;
  return static_cast<uint32_t>(
      std::min({by_warps, by_shared, profile.amount(Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR)}));
}

uint32_t blocks_in_carveout(const Profile& profile, int carveout, size_t shared_bytes) {
  const size_t most = profile.amount(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  const size_t each = taken(profile, shared_bytes);
  if (each == 0) return UINT32_MAX;
  size_t size = most;
  for (const size_t kib : shared_sizes) {
    if (carveout < 0 || kib * 1024 >= most) break;
    if (kib * 1024 < std::max(each, smallest_shared(profile)) ||
        kib * 1024 * 100 < most * static_cast<size_t>(carveout))
      continue;
    size = kib * 1024;
    break;
  }
  return static_cast<uint32_t>(size / each);
}

size_t shared_for_blocks(const Profile& profile, uint32_t blocks, size_t static_bytes) {
  if (blocks == 0) return 0;
  const size_t each = profile.amount(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / blocks /
                      shared_unit * shared_unit;
  // The reserved bytes of each block do not count; they do not on an H100 either.
  return each - std::min(each, static_bytes);
}

}  // namespace cuvette::device
