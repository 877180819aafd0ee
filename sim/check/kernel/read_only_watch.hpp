// SPDX-License-Identifier: Apache-2.0
// ReadOnlyWatch: what a launch reads as memory that it does not write: by ld.global.nc, which __ldg
// and `const __restrict__` become, and by textures.
//
// "The memory must be read-only for the duration of the kernel": such a read may come from a cache
// that no write of the launch reaches, whoever writes, earlier or later, and whatever orders the
// two. So the reads are only kept, and compared with the footprint once the launch has ended.
//
// The adversary makes it true: a byte that the launch has written reads as it was before.
//
// Threads: the one that runs the grid; afterwards any, one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/kernel/accessor.hpp"
#include "sim/check/kernel/footprint.hpp"
#include "sim/check/kernel/line.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

// Bytes that a launch has read as read-only memory, and written.
struct ReadOnlyMistake {
  Accessor reader, writer;
  uint64_t address = 0;
};

class ReadOnlyWatch {
 public:
  // `wanted`: reads are kept. `adversary`: see above; a launch without such reads needs none.
  // `accesses`: the meaning of the numbers in compiled code; it outlives the watch.
  ReadOnlyWatch(bool wanted, bool adversary, std::span<const ptx::NumberedAccess> accesses);
  ~ReadOnlyWatch() { restore(); }
  ReadOnlyWatch(const ReadOnlyWatch&) = delete;
  ReadOnlyWatch& operator=(const ReadOnlyWatch&) = delete;

  // Whether it has to see each access lane by lane, before it takes place.
  bool hides() const { return hides_; }

  // As exec::GridWatch says.
  void accesses(const exec::Block& block, const exec::WarpAccess& warp) {
    if (hides_) [[unlikely]]
      hide(block, warp);
    if (warp.access & ptx::access_read_only && wanted_) add(block, warp);
  }
  void rows(const exec::Block& block, const exec::WarpRows& warp) {
    if (warp.access & ptx::access_read_only && wanted_) add(block, warp);
  }
  void note_line(const exec::Block& block, const exec::WarpLine& warp) {
    if (warp.access & ptx::access_read_only && wanted_) add(block, warp);
  }
  // Puts back what the adversary has hidden from the access before.
  void restore();

  // One for each pair of instructions.
  std::vector<ReadOnlyMistake> found(const Footprint& footprint) const;

 private:
  static constexpr uint32_t page_bytes = 4096, lines = page_bytes / Line::bytes;
  // The bytes of a line that were read, and one of their readers.
  struct ReadLine {
    uint64_t bytes[Line::bytes / 64]{};
    Accessor by;
  };
  using Page = std::array<ReadLine, lines>;
  struct Hidden {
    uint8_t* at;
    uint8_t value;
  };

  void add(const exec::Block& block, const exec::WarpAccess& warp);
  void add(const exec::Block& block, const exec::WarpRows& warp);
  void add(const exec::Block& block, const exec::WarpLine& warp);
  void add(uint64_t begin, uint64_t bytes, const Accessor& by);
  void hide(const exec::Block& block, const exec::WarpAccess& warp);

  const bool wanted_, hides_;
  const std::span<const ptx::NumberedAccess> accesses_;
  std::unordered_map<uint64_t, Page> pages_;  // by address / page_bytes
  uint64_t latest_number_ = UINT64_MAX;
  Page* latest_ = nullptr;  // elements of the map stay where they are
  // What bytes were before the launch wrote there.
  std::unordered_map<uint64_t, uint8_t> before_;
  std::vector<Hidden> hidden_;
};

}  // namespace cuvette::watch
