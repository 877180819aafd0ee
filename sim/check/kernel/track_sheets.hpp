// SPDX-License-Identifier: Apache-2.0
// TrackSheets: the memory in which a launch leaves its tracks (ptx::TrackPlane).
//
// For a device's window it is a large range, of which the parts take memory that belong to what was
// touched. Making it anew for each launch would cost a page fault for each of these, so a launch
// takes one that another has used and left clean.
//
// Threads: take() and give() any; otherwise the launch's.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "sim/os/sparse_memory.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::watch {

// Returns the place of the first byte from `at` on that is not `number`; the size if there is none.
size_t first_other(std::span<const uint8_t> bytes, size_t at, uint8_t number);

class TrackSheets {
 public:
  // For [begin, begin + bytes), which begins and ends with a region. Returns null if the system has
  // no addresses for it.
  static std::unique_ptr<TrackSheets> take(uint64_t begin, uint64_t bytes);
  // Takes back what has no tracks.
  static void give(std::unique_ptr<TrackSheets> sheets);

  uint64_t begin() const { return begin_; }
  uint64_t bytes() const { return bytes_; }
  std::span<const ptx::TrackPlane, ptx::TrackPlane::count> planes() const { return planes_; }

  // Calls `visit(address, tracks)` with the tracks of a stretch, in the order of addresses, and
  // removes them.
  template <typename Visit>
  void take_tracks(uint32_t plane, const Visit& visit);

 private:
  TrackSheets(os::SparseMemory memory, uint64_t begin, uint64_t bytes);
  // The first region from `address` on that has tracks; the end if there is none.
  uint64_t next_region(const ptx::TrackPlane& plane, uint64_t address) const;

  os::SparseMemory memory_;
  const uint64_t begin_, bytes_;
  ptx::TrackPlane planes_[ptx::TrackPlane::count];
};

template <typename Visit>
void TrackSheets::take_tracks(uint32_t number, const Visit& visit) {
  using ptx::TrackPlane;
  const TrackPlane& plane = planes_[number];
  constexpr uint64_t stretch = uint64_t{1} << TrackPlane::stretch_shift,
                     region = uint64_t{1} << TrackPlane::region_shift;
  const uint32_t shift = ptx::track_shift(number);
  const auto look = [&](uint64_t address) {
    uint8_t& used = TrackPlane::byte(plane.stretches, address >> TrackPlane::stretch_shift);
    if (used == 0) return;
    used = 0;
    const std::span tracks(&TrackPlane::byte(plane.tracks, address >> shift), stretch >> shift);
    visit(address, tracks);
    std::memset(tracks.data(), 0, tracks.size());
  };
  const uint64_t end = begin_ + bytes_;
  for (uint64_t address = next_region(plane, begin_); address < end;
       address = next_region(plane, address + region)) {
    TrackPlane::byte(plane.regions, address >> TrackPlane::region_shift) = 0;
    for (uint64_t at = address; at < address + region; at += stretch) look(at);
    // The last of them may go on in the next region.
    if (address + region < end) look(address + region);
  }
}

}  // namespace cuvette::watch
