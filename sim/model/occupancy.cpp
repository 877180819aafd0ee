// SPDX-License-Identifier: Apache-2.0
#include "sim/model/occupancy.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

constexpr uint32_t warp_size = 32;

}  // namespace

uint32_t blocks_per_multiprocessor(const Profile& profile, uint64_t threads, size_t shared_bytes) {
  if (threads == 0 || threads > profile.amount(Attribute::MAX_THREADS_PER_BLOCK)) return 0;
  if (shared_bytes > profile.amount(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)) return 0;
  const size_t warps = (threads + warp_size - 1) / warp_size;
  const size_t by_warps =
      profile.amount(Attribute::MAX_THREADS_PER_MULTIPROCESSOR) / warp_size / warps;
  const size_t each = (shared_bytes + profile.amount(Attribute::RESERVED_SHARED_MEMORY_PER_BLOCK) +
                       shared_unit - 1) /
                      shared_unit * shared_unit;
  const size_t by_shared =
      each == 0 ? SIZE_MAX : profile.amount(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / each;
  return static_cast<uint32_t>(
      std::min({by_warps, by_shared, profile.amount(Attribute::MAX_BLOCKS_PER_MULTIPROCESSOR)}));
}

size_t shared_for_blocks(const Profile& profile, uint32_t blocks, size_t static_bytes) {
  if (blocks == 0) return 0;
  const size_t each = profile.amount(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / blocks /
                      shared_unit * shared_unit;
  // The reserved bytes of each block do not count; they do not on an H100 either.
  return each - std::min(each, static_bytes);
}

}  // namespace cuvette::device
