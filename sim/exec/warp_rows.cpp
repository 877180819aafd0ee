// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/warp_rows.hpp"

#include <bit>

namespace cuvette::exec {
bool rows_of(const uint64_t* addresses, uint32_t mask, uint32_t bytes, WarpRows& rows) {
  if (mask == UINT32_MAX) {
    const uint64_t first = addresses[0], stride = addresses[1] - first;
    if ((stride == 0 || stride == bytes) &&
        addresses[ptx::warp_size / 2] == first + ptx::warp_size / 2 * stride) {
      uint64_t different = 0;
      for (uint64_t lane = 0; lane < ptx::warp_size; ++lane)
        different |= addresses[lane] ^ (first + lane * stride);
      if (different == 0) return rows.add(first, static_cast<uint32_t>(stride), mask);
    }
  }
  for (uint32_t left = mask; left != 0;) {
    if (rows.count == std::size(rows.row)) return false;
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t begin = addresses[lane];
    uint32_t lanes = 1;
    const auto goes_on = [&](uint64_t stride) {
      while (lane + lanes < ptx::warp_size && left >> (lane + lanes) & 1 &&
             addresses[lane + lanes] == begin + lanes * stride)
        ++lanes;
      return lanes > 1;
    };
    const bool together = !goes_on(bytes) && goes_on(0);
    rows.row[rows.count++] = {begin, lane, lanes, together};
    left = lane + lanes == ptx::warp_size ? 0 : left >> (lane + lanes) << (lane + lanes);
  }
  return true;
}

}  // namespace cuvette::exec
