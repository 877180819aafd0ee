// SPDX-License-Identifier: Apache-2.0
// DevicePtr and Region: addresses as devices see them. They are not C++ pointers; host_pointer() is
// the one place where an address becomes a pointer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::memory {

// An address in the unified address space: device memory, or host memory that devices can reach.
using DevicePtr = uint64_t;

// Turns an address into a pointer, for code that runs a device command and so has the right to
// touch what is there.
inline char* host_pointer(DevicePtr address) { return reinterpret_cast<char*>(address); }

// A box of bytes: `depth` slices, `slice` bytes apart, of `height` rows, `pitch` bytes apart, of
// `width` bytes. A linear range has height and depth 1. If any of the three extents is 0 it is
// empty.
struct Region {
  DevicePtr address = 0;
  size_t width = 0;
  size_t pitch = 0;
  size_t height = 1;
  size_t slice = 0;
  size_t depth = 1;

  static Region linear(DevicePtr address, size_t size) { return {address, size, size, 1, size, 1}; }
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  size_t bytes() const { return width * height * depth; }
  // Returns the distance from the first byte to the end of the last one.
  size_t extent() const { return empty() ? 0 : (depth - 1) * slice + (height - 1) * pitch + width; }
};

}  // namespace cuvette::memory
