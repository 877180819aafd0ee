// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/copy.hpp"

#include <algorithm>

#include "sim/os/bytes.hpp"

namespace cuvette::memory {
namespace {

// A piece is large enough that handing it to a worker costs little beside it, and small enough for
// several of them to fit into the caches.
constexpr size_t piece_size = 512 << 10;
// Cuts lie between rows up to this size; longer rows are cut themselves.
constexpr size_t longest_whole_row = 64 << 10;
constexpr size_t cut_alignment = 64;

// A region's bytes, numbered row by row: where number `at` lies, and how many follow it without a
// gap.
struct Rows {
  const Region& region;
  size_t run;  // bytes without a gap: a row, a slice or all

  explicit Rows(const Region& of) : region(of), run(of.width) {
    const bool rows_join = of.height == 1 || of.pitch == of.width;
    if (!rows_join) return;
    run = of.width * of.height;
    if (of.depth == 1 || of.slice == run) run *= of.depth;
  }

  DevicePtr address(size_t at) const {
    const size_t row = at / region.width;
    return region.address + row / region.height * region.slice +
           row % region.height * region.pitch + at % region.width;
  }
  size_t until_gap(size_t at) const { return run - at % run; }
};

// Where piece `index` of `count` begins.
size_t cut(const Region& region, size_t index, size_t count) {
  const size_t bytes = region.bytes();
  if (index >= count) return bytes;
  const size_t unit = region.width <= longest_whole_row && region.bytes() > region.width
                          ? region.width
                          : cut_alignment;
  const auto exact = static_cast<size_t>(static_cast<unsigned __int128>(bytes) * index / count);
  return exact / unit * unit;
}

}  // namespace

size_t pieces(const Region& region) {
  return region.empty() ? 1 : std::max<size_t>(1, region.bytes() / piece_size);
}

void copy_piece(const Region& to, const Region& from, size_t index, size_t count) {
  if (to.empty()) return;
  const Rows target(to), source(from);
  const size_t end = cut(to, index + 1, count);
  for (size_t at = cut(to, index, count); at < end;) {
    const size_t size = std::min({end - at, target.until_gap(at), source.until_gap(at)});
    os::copy_bytes(host_pointer(target.address(at)), host_pointer(source.address(at)), size);
    at += size;
  }
}

void fill_piece(const Region& to, uint32_t value, size_t element, size_t index, size_t count) {
  if (to.empty()) return;
  const Rows target(to);
  const size_t end = cut(to, index + 1, count);
  for (size_t at = cut(to, index, count); at < end;) {
    const size_t size = std::min(end - at, target.until_gap(at));
    os::fill_elements(host_pointer(target.address(at)), value, element, size / element);
    at += size;
  }
}

}  // namespace cuvette::memory
