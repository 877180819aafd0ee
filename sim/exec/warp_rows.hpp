// SPDX-License-Identifier: Apache-2.0
// WarpRows: an access of a warp with its lanes side by side, or all at one place. Most are, and
// then a range of memory says as much as 32 addresses.
//
// Threads: plain values.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec {

struct WarpRows {
  // Lanes `lane` to lane + lanes - 1.
  struct Row {
    uint64_t begin;  // an offset in shared and local memory, where `access` says so
    uint32_t lane, lanes;
    bool together;  // all at `begin`
  };
  Row row[2]{};  // one, or the two of a block that is 16 wide
  uint32_t count = 0;
  uint32_t mask, access, warp;
  uint64_t location;
  uint32_t number = 0;  // of the access, see NumberedAccess; 0: it has none

  std::span<const Row> all() const { return {row, count}; }
  // Adds the lanes of `lanes`, of which lane 0 would be at `begin`. Returns false if they do not
  // follow each other.
  bool add(uint64_t begin, uint32_t stride, uint32_t lanes) {
    if (lanes == 0) return true;
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const auto length = static_cast<uint32_t>(std::countr_one(lanes >> lane));
    if (uint64_t{lanes} >> (lane + length) != 0) return false;
    row[count++] = {begin + uint64_t{lane} * stride, lane, length, stride == 0 && length > 1};
    return true;
  }
};

// Lanes on a line: see watch_line() in abi.hpp.
struct WarpLine {
  uint64_t begin, middle;
  uint32_t stride, mask, access, number, warp;
};

// Puts the lanes of `mask` into rows; false if that takes more than two. Lane 0 is at `begin`, lane
// 16 at `middle`, each later lane `stride` further.
inline bool rows_of_line(uint64_t begin, uint64_t middle, uint32_t stride, uint32_t mask,
                         uint32_t bytes, WarpRows& rows) {
  constexpr uint32_t half = ptx::warp_size / 2, low = (1u << half) - 1;
  if (stride != bytes && stride != 0) return false;
  if (middle == begin + uint64_t{half} * stride) return rows.add(begin, stride, mask);
  return rows.add(begin, stride, mask & low) &&
         rows.add(middle - uint64_t{half} * stride, stride, mask & ~low);
}
// The same for any addresses.
bool rows_of(const uint64_t* addresses, uint32_t mask, uint32_t bytes, WarpRows& rows);

}  // namespace cuvette::exec
