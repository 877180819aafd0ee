// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/tracks.hpp"
#include "sim/base/rounding.hpp"

#include <algorithm>
#include <cstring>

namespace cuvette::watch {

using ptx::TrackPlane;

namespace {

constexpr uint64_t region = uint64_t{1} << TrackPlane::region_shift;
// So many parts of a footprint are distinguished by the instruction. More of them usually
// alternate, where several read the same bytes and the last one is known.
constexpr size_t most_parts = 256;

}  // namespace

Tracks::Tracks(uint64_t begin, uint64_t bytes, std::span<const ptx::NumberedAccess> accesses)
    : accesses_(accesses.begin(), accesses.end()) {
  const uint64_t first = round_down(begin, region);
  const uint64_t end = round_up(begin + bytes, region);
  if (bytes != 0) sheets_ = TrackSheets::take(first, end - first);
  if (!sheets_) return;
  begin_ = sheets_->begin();
  bytes_ = sheets_->bytes();
  std::ranges::copy(sheets_->planes(), planes_);
}

// Sheets that have not been looked at are not clean, and go.
Tracks::~Tracks() = default;

void Tracks::elsewhere(uint64_t address, uint64_t bytes, uint32_t plane, uint8_t number) {
  MutexLock lock(mutex_);
  while (bytes > 0) {
    const uint64_t offset = address % page_bytes, part = std::min(bytes, page_bytes - offset);
    std::unique_ptr<Page>& page = pages_[address / page_bytes];
    if (!page) page = std::make_unique<Page>();
    std::memset(page->tracks[plane / 2] + offset, number, part);
    address += part;
    bytes -= part;
  }
}

void Tracks::add_runs(std::span<const uint8_t> tracks, uint64_t address, uint32_t shift,
                      Runs& runs) {
  const auto add = [&](size_t first, size_t end) {
    const Run run{address + (uint64_t{first} << shift), address + (uint64_t{end} << shift),
                  tracks[first]};
    if (!runs.empty() && runs.back().end == run.begin &&
        (runs.back().number == run.number || runs.size() >= most_parts))
      runs.back().end = run.end;
    else
      runs.push_back(run);
  };
  for (size_t at = first_other(tracks, 0, 0); at < tracks.size();) {
    const void* const zero = std::memchr(&tracks[at], 0, tracks.size() - at);
    const size_t end = zero ? static_cast<size_t>(static_cast<const uint8_t*>(zero) - tracks.data())
                            : tracks.size();
    while (at < end && runs.size() < most_parts) {
      const size_t other = std::min(first_other(tracks, at, tracks[at]), end);
      add(at, other);
      at = other;
    }
    if (at < end) add(at, end);
    at = first_other(tracks, end, 0);
  }
}

Tracks::Runs Tracks::runs_of(uint32_t kind) {
  Runs runs;
  const uint32_t used = used_planes();
  for (const uint32_t plane : {2 * kind, 2 * kind + 1})
    if (sheets_ && used >> plane & 1)
      sheets_->take_tracks(plane, [&](uint64_t address, std::span<const uint8_t> tracks) {
        add_runs(tracks, address, ptx::track_shift(plane), runs);
      });
  for (const auto& [number, page] : pages_)
    add_runs(page->tracks[kind], number * page_bytes, 0, runs);
  put_in_order(runs);
  return runs;
}

// In the order of addresses; of accesses of different sizes to the same bytes the later begins
// where the earlier ends.
void Tracks::put_in_order(Runs& runs) {
  const auto before = [](const Run& a, const Run& b) { return a.begin < b.begin; };
  if (!std::ranges::is_sorted(runs, before)) std::ranges::stable_sort(runs, before);
  uint64_t end = 0;
  for (Run& run : runs) {
    run.begin = std::min(std::max(run.begin, end), run.end);
    end = std::max(end, run.end);
  }
  std::erase_if(runs, [](const Run& run) { return run.begin == run.end; });
}

uint8_t Tracks::number_of(uint64_t location, uint32_t access) {
  MutexLock lock(mutex_);
  return ptx::track_number({location, access}, accesses_);
}

bool Tracks::is_atomic(uint8_t number) const {
  return number <= accesses_.size() && (accesses_[number - 1u].access & ptx::access_atomic);
}

uint32_t Tracks::used_planes() const {
  // The last number may stand for any access.
  if (accesses_.size() == ptx::most_tracked) return UINT32_MAX;
  uint32_t used = 0;
  for (const ptx::NumberedAccess& access : accesses_) used |= 1u << ptx::track_plane(access.access);
  return used;
}

void Tracks::end() {
  MutexLock lock(mutex_);
  Runs runs[kinds];
  for (uint32_t kind = 0; kind < kinds; ++kind) runs[kind] = runs_of(kind);
  combine(runs);
  if (sheets_) TrackSheets::give(std::move(sheets_));
  bytes_ = 0;
}

// Goes through all kinds at a time, from one beginning or end of a run to the next.
void Tracks::combine(const Runs (&runs)[kinds]) {
  size_t next[kinds]{};
  uint8_t last = 0;
  for (uint64_t at = 0;;) {
    uint64_t begin = UINT64_MAX, end = UINT64_MAX;
    for (uint32_t kind = 0; kind < kinds; ++kind) {
      while (next[kind] < runs[kind].size() && runs[kind][next[kind]].end <= at) ++next[kind];
      if (next[kind] == runs[kind].size()) continue;
      begin = std::min(begin, std::max(at, runs[kind][next[kind]].begin));
    }
    if (begin == UINT64_MAX) return;
    bool reads = false, writes = false, weak = false;
    uint8_t number = 0;
    for (uint32_t kind = 0; kind < kinds; ++kind) {
      if (next[kind] == runs[kind].size()) continue;
      const Run& run = runs[kind][next[kind]];
      if (run.begin > begin) {
        end = std::min(end, run.begin);
        continue;
      }
      end = std::min(end, run.end);
      const bool write = ptx::tracks_write(2 * kind), strong = ptx::tracks_strong(2 * kind);
      weak |= !strong;
      if (number == 0 || (write && !writes)) number = run.number;
      reads |= !write || is_atomic(run.number);
      writes |= write;
    }
    at = end;
    if (!touched_.empty()) {
      Touched& before = touched_.back();
      const bool is_like = before.reads == reads && last == number;
      if (before.end == begin && before.writes == writes && before.atomic == !weak &&
          (is_like || touched_.size() >= most_parts)) {
        before.end = end;
        before.reads |= reads;
        continue;
      }
    }
    last = number;
    const ptx::NumberedAccess access =
        number <= accesses_.size() ? accesses_[number - 1u] : ptx::NumberedAccess{};
    touched_.push_back({begin,
                        end,
                        reads,
                        writes,
                        !weak,
                        {0, Accessor::some_thread, {access.location, access.access}}});
  }
}

Accessor Tracks::toucher(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(touched_, address, {}, &Touched::begin);
  if (behind == touched_.begin() || std::prev(behind)->end <= address) return {};
  return std::prev(behind)->by;
}

}  // namespace cuvette::watch
