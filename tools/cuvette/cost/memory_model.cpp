// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/memory_model.hpp"

#include <algorithm>

namespace cuvette::tools {
namespace {

constexpr uint64_t block = uint64_t{2} << 20;    // of small allocations
constexpr uint64_t largest = uint64_t{1} << 20;  // that is cut from a block
constexpr uint64_t chunk = uint64_t{32} << 20;   // what a pool reserves at a time

uint64_t rounded(uint64_t bytes, uint64_t unit) {
  const uint64_t limited = std::min(bytes, ~uint64_t{0} / 4);
  return (limited + unit - 1) / unit * unit;
}

}  // namespace

bool SmallBlocks::allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > largest) return false;
  used_ += rounded(bytes, 512);
  if (used_ <= blocks_ * block) return true;
  ++blocks_;
  return false;
}

bool SmallBlocks::free(uint64_t bytes) {
  if (bytes == 0 || bytes > largest) return false;
  used_ -= std::min(used_, rounded(bytes, 512));
  const uint64_t needed = rounded(used_, block) / block;
  const bool keeps = needed == blocks_;
  blocks_ = std::min(blocks_, needed);
  return keeps;
}

bool Pool::allocate(uint64_t bytes) {
  used_ += rounded(bytes, 512);
  if (used_ <= reserved_) return true;
  reserved_ += rounded(used_ - reserved_, chunk);
  return false;
}

void Pool::free(uint64_t bytes) {
  used_ -= std::min(used_, rounded(bytes, 512));
  was_freed_ = true;
}

uint64_t Pool::wait() {
  if (keeps_ || !was_freed_) return 0;
  was_freed_ = false;
  const uint64_t needed = rounded(used_, chunk);
  const uint64_t gone = reserved_ > needed ? reserved_ - needed : 0;
  reserved_ = std::min(reserved_, needed);
  return gone;
}

}  // namespace cuvette::tools
