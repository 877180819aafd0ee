// SPDX-License-Identifier: Apache-2.0
// Tracks: the footprint of a launch, from the tracks that its kernel leaves. It says which bytes
// were touched, by which instruction, and neither by which thread nor in which order; it costs a
// few times the kernel where KernelWatch costs dozens.
//
// Threads: while the grid runs its threads leave tracks; afterwards any, one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/footprint.hpp"
#include "sim/check/kernel/track_sheets.hpp"
#include "sim/exec/grid_tracks.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

class Tracks final : public exec::GridTracks, public Footprint {
 public:
  // `begin`, `bytes`: the window of the launch. If the system has no room for sheets over it,
  // bytes() is 0, and everything is kept in pages instead, which is slower. `accesses`: what the
  // numbers of compiled code stand for.
  Tracks(uint64_t begin, uint64_t bytes, std::span<const ptx::NumberedAccess> accesses);
  ~Tracks();

  uint8_t number_of(uint64_t location, uint32_t access) override EXCLUDES(mutex_);
  // The launch has ended.
  void end() EXCLUDES(mutex_);

  const std::vector<Touched>& touched() const override { return touched_; }
  // The thread is Accessor::some_thread.
  Accessor toucher(uint64_t address) const override;

 private:
  // Bytes side by side that one access has touched.
  struct Run {
    uint64_t begin, end;
    uint8_t number;
  };
  using Runs = std::vector<Run>;
  static constexpr uint32_t kinds = ptx::TrackPlane::count / 2;  // words and bytes together

  // Memory outside of the window.
  static constexpr uint64_t page_bytes = 4096;
  struct Page {
    uint8_t tracks[kinds][page_bytes]{};
  };

  void elsewhere(uint64_t address, uint64_t bytes, uint32_t plane, uint8_t number) override
      EXCLUDES(mutex_);
  static void add_runs(std::span<const uint8_t> tracks, uint64_t address, uint32_t shift,
                       Runs& runs);
  Runs runs_of(uint32_t kind) REQUIRES(mutex_);
  static void put_in_order(Runs& runs);
  void combine(const Runs (&runs)[kinds]) REQUIRES(mutex_);
  bool is_atomic(uint8_t number) const REQUIRES(mutex_);
  uint32_t used_planes() const REQUIRES(mutex_);  // a bit for each

  std::unique_ptr<TrackSheets> sheets_;
  Mutex mutex_;
  std::vector<ptx::NumberedAccess> accesses_ GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_ GUARDED_BY(mutex_);
  std::vector<Touched> touched_;
};

}  // namespace cuvette::watch
