// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/track_sheets.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/check/kernel/sheet_pool.hpp"

namespace cuvette::watch {
namespace {

using ptx::TrackPlane;

uint64_t bytes_of_plane(uint32_t plane, uint64_t bytes) {
  return (bytes >> ptx::track_shift(plane)) + (bytes >> TrackPlane::stretch_shift) +
         (bytes >> TrackPlane::region_shift);
}

}  // namespace

size_t first_other(std::span<const uint8_t> bytes, size_t at, uint8_t number) {
  const uint64_t all = uint64_t{number} * 0x0101010101010101;
  uint64_t four[4];
  const auto others = [&](size_t place) {
    std::memcpy(four, &bytes[place], sizeof four);
    return (four[0] ^ all) | (four[1] ^ all) | (four[2] ^ all) | (four[3] ^ all);
  };
  while (at + sizeof four <= bytes.size() && others(at) == 0) at += sizeof four;
  while (at < bytes.size() && bytes[at] == number) ++at;
  return at;
}

TrackSheets::TrackSheets(os::SparseMemory memory, uint64_t begin, uint64_t bytes)
    : memory_(std::move(memory)), begin_(begin), bytes_(bytes) {
  uint8_t* next = memory_.begin();
  // So that index `begin >> shift` is the first.
  const auto place = [&](uint32_t shift) {
    uint8_t* const first = std::exchange(next, next + (bytes >> shift));
    return reinterpret_cast<uint64_t>(first) - (begin >> shift);
  };
  for (uint32_t plane = 0; plane < TrackPlane::count; ++plane)
    planes_[plane] = {place(ptx::track_shift(plane)), place(TrackPlane::stretch_shift),
                      place(TrackPlane::region_shift)};
}

uint64_t TrackSheets::next_region(const TrackPlane& plane, uint64_t address) const {
  const std::span regions(&TrackPlane::byte(plane.regions, begin_ >> TrackPlane::region_shift),
                          bytes_ >> TrackPlane::region_shift);
  const uint64_t first = (address - begin_) >> TrackPlane::region_shift;
  return begin_ + (uint64_t{first_other(regions, first, 0)} << TrackPlane::region_shift);
}

std::unique_ptr<TrackSheets> TrackSheets::take(uint64_t begin, uint64_t bytes) {
  if (auto taken = SheetPool<TrackSheets>::take(begin, bytes)) return taken;
  uint64_t size = 0;
  for (uint32_t plane = 0; plane < TrackPlane::count; ++plane) size += bytes_of_plane(plane, bytes);
  Result<os::SparseMemory> memory = os::SparseMemory::create(size);
  if (!memory.ok()) return nullptr;
  return std::unique_ptr<TrackSheets>(new TrackSheets(std::move(memory).value(), begin, bytes));
}

void TrackSheets::give(std::unique_ptr<TrackSheets> sheets) {
  SheetPool<TrackSheets>::give(std::move(sheets));
}

}  // namespace cuvette::watch
