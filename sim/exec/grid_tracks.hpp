// SPDX-License-Identifier: Apache-2.0
// GridTracks: where the threads of a grid leave tracks of the memory that they touch.
//
// Threads: any; the grid's leave tracks at the same time.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec {

class GridTracks {
 public:
  // The memory that the planes cover; `bytes` is 0 if there are none. Compiled code uses them for
  // everything in the window, so all of the window is covered.
  uint64_t begin() const { return begin_; }
  uint64_t bytes() const { return bytes_; }
  const ptx::TrackPlane* planes() const { return planes_; }

  // The number of what the machine does for an instruction at `location`.
  virtual uint8_t number_of(uint64_t location, uint32_t access) = 0;
  // Leaves the tracks of an access, or of several side by side, to [address, address + bytes).
  void leave(uint64_t address, uint64_t bytes, uint32_t access, uint8_t number) {
    const uint32_t plane = ptx::track_plane(access);
    const uint64_t offset = address - begin_;
    if (offset >= bytes_ || bytes_ - offset < bytes)
      return elsewhere(address, bytes, plane, number);
    const ptx::TrackPlane& here = planes_[plane];
    const auto set = [&](uint64_t first, uint32_t shift, uint8_t value) {
      for (uint64_t at = address >> shift; at <= (address + bytes - 1) >> shift; ++at)
        std::atomic_ref(ptx::TrackPlane::byte(first, at)).store(value, std::memory_order_relaxed);
    };
    set(here.tracks, ptx::track_shift(plane), number);
    set(here.stretches, ptx::TrackPlane::stretch_shift, 1);
    set(here.regions, ptx::TrackPlane::region_shift, 1);
  }

 protected:
  ~GridTracks() = default;
  virtual void elsewhere(uint64_t address, uint64_t bytes, uint32_t plane, uint8_t number) = 0;

  uint64_t begin_ = 0, bytes_ = 0;
  ptx::TrackPlane planes_[ptx::TrackPlane::count]{};
};

}  // namespace cuvette::exec
