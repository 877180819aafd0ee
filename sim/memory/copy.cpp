// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/copy.hpp"

#include <algorithm>

#include "sim/os/bytes.hpp"
#include "sim/os/held_pages.hpp"

namespace cuvette::memory {
namespace {

// A piece is large enough that handing it to a worker costs little in comparison, and small enough
// for several of them to fit into the caches.
constexpr size_t piece_size = 512 << 10;
// Cuts lie between rows up to this size; longer rows are cut themselves.
constexpr size_t longest_whole_row = 64 << 10;
constexpr size_t cut_alignment = 64;
// A copy this large does not stay in the caches until it is read; its pieces may be larger.
constexpr size_t larger_than_caches = 32 << 20, large_piece_size = 4 << 20;

// One shape, laid out in memory once or twice (target and source).
template <size_t sides>
struct Box {
  struct Side {
    DevicePtr address;
    size_t pitch, slice;
  };

  size_t width, height, depth;
  Side side[sides];

  size_t bytes() const { return width * height * depth; }

  // Joins rows that follow each other without a gap on every side into one row, then slices
  // likewise.
  void join() {
    for (int dimension = 0; dimension < 2; ++dimension) {
      if (height != 1) {
        for (const Side& s : side) {
          if (s.pitch != width) return;
        }
      }
      width *= height;
      height = depth;
      depth = 1;
      for (Side& s : side) s.pitch = s.slice;
    }
  }

  // Returns where piece `index` of `count` begins, in bytes counted row by row.
  size_t cut(size_t index, size_t count) const {
    if (index == 0) return 0;
    if (index >= count) return bytes();
    const size_t unit = height * depth > 1 && width <= longest_whole_row ? width : cut_alignment;
    const auto exact = static_cast<size_t>(static_cast<unsigned __int128>(bytes()) * index / count);
    return exact / unit * unit;
  }

  // Calls `work(z, y, column, size)` for the parts of rows that make up piece `index` of `count`.
  template <typename Work>
  void for_each_run(size_t index, size_t count, Work work) const {
    size_t left = cut(index + 1, count);
    const size_t begin = cut(index, count);
    left -= begin;
    size_t column = begin, y = 0, z = 0;
    if (begin >= width) {
      const size_t row = begin / width;
      column = begin % width;
      y = row % height;
      z = row / height;
    }
    while (left != 0) {
      const size_t size = std::min(left, width - column);
      work(z, y, column, size);
      left -= size;
      column = 0;
      if (++y == height) y = 0, ++z;
    }
  }

  char* at(size_t which, size_t z, size_t y, size_t column) const {
    const Side& s = side[which];
    return host_pointer(s.address + z * s.slice + y * s.pitch + column);
  }
};

bool overlap(const Region& a, const Region& b) {
  return a.address < b.address + b.extent() && b.address < a.address + a.extent();
}

// Fills bytes that may be on held pages.
void fill_by_copying(char* to, uint32_t value, size_t element, size_t size) {
  alignas(64) char pattern[16 << 10];
  os::fill_elements(pattern, value, element, std::min(size, sizeof pattern) / element);
  for (size_t at = 0; at < size; at += sizeof pattern)
    os::HeldPages::get().copy(to + at, pattern, std::min(size - at, sizeof pattern));
}

}  // namespace

size_t pieces(const Region& region) {
  if (region.empty()) return 1;
  const size_t bytes = region.bytes();
  return std::max<size_t>(1, bytes / (bytes < larger_than_caches ? piece_size : large_piece_size));
}

void copy_piece(const Region& to, const Region& from, size_t index, size_t count) {
  if (to.empty()) return;
  Box<2> box{to.width,
             to.height,
             to.depth,
             {{to.address, to.pitch, to.slice}, {from.address, from.pitch, from.slice}}};
  box.join();
  const bool past_caches = box.bytes() >= larger_than_caches && !overlap(to, from);
  box.for_each_run(index, count, [&](size_t z, size_t y, size_t column, size_t size) {
    char* const target = box.at(0, z, y, column);
    const char* const source = box.at(1, z, y, column);
    if (os::pages_held()) [[unlikely]] {
      os::HeldPages::get().copy(target, source, size);
    } else if (past_caches) [[unlikely]] {
      os::copy_bytes_past_caches(target, source, size);
    } else {
      os::copy_bytes(target, source, size);
    }
  });
}

void fill_piece(const Region& to, uint32_t value, size_t element, size_t index, size_t count) {
  if (to.empty()) return;
  Box<1> box{to.width, to.height, to.depth, {{to.address, to.pitch, to.slice}}};
  box.join();
  box.for_each_run(index, count, [&](size_t z, size_t y, size_t column, size_t size) {
    char* const target = box.at(0, z, y, column);
    if (os::pages_held()) [[unlikely]]
      fill_by_copying(target, value, element, size);
    else
      os::fill_elements(target, value, element, size / element);
  });
}

}  // namespace cuvette::memory
