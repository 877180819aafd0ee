// SPDX-License-Identifier: Apache-2.0
// TaintWatch: the threads of a launch in which uninitialised bytes decide something.
//
// Compiled code carries the taint of registers (taint_bytes in abi.hpp); this is the taint of
// memory. Bytes of shared and local memory are unwritten when their block begins. A value that a
// thread stores there keeps its taint, moved or computed. In global memory only bytes that are
// moved keep it: a computed value that goes there is a mistake.
//
// Threads: the one that runs the grid; afterwards any, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/kernel/accessor.hpp"
#include "sim/check/kernel/written_memory.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"

namespace cuvette::watch {

// A read of uninitialised bytes, and what they decide.
struct UnwrittenRead {
  Accessor by;           // the thread, where it reads
  uint64_t address = 0;  // of the first such byte, or its offset in shared or local memory
  uint32_t bytes = 0;    // how many the access reads, of which some are unwritten
  Memory memory{};
  ptx::TaintUse use{};
  uint64_t used_at = 0;  // made by location_of()
};

class TaintWatch {
 public:
  // The memory of all launches, which outlives it.
  explicit TaintWatch(WrittenMemory& global) : global_(global) {}

  // Its state for a block.
  struct BlockState {
    // The taint of shared memory, or of all threads' local memory.
    struct Space {
      WrittenBytes written;
      std::unordered_map<uint64_t, uint32_t> computed;  // bytes, and the read they came by
    };
    Space shared, local;
    // Where the lanes of a warp came upon unwritten bytes last, by the number of the read.
    struct Lanes {
      uint64_t address[ptx::warp_size];
      Memory memory[ptx::warp_size];
    };
    std::map<std::pair<uint32_t, uint32_t>, Lanes> last;

    // Forgets the block before.
    void clear() {
      for (Space* const one : {&shared, &local}) {
        one->written.clear();
        one->computed.clear();
      }
      last.clear();
    }
  };

  // The lanes' writes are not tainted.
  void writes(BlockState& own, const exec::Block& block, const exec::WarpAccess& access);
  // The same for rows; false: not for these.
  bool writes(BlockState& own, const exec::Block& block, const exec::WarpRows& rows);
  // The same for a range. `known`: nothing of it is tainted anyway.
  void writes_part(BlockState& own, bool shared, uint64_t address, uint64_t bytes, bool known);
  // The same for a line of global memory that the launch writes for the first time: it is reported
  // on demand.
  void writes_line(uint64_t address) {
    written_lines_.push_back(address);
    if (written_lines_.size() == most_untold) [[unlikely]]
      settle();
  }
  // Reports what has been put off.
  void settle();
  // An access comes next. A thread that sees a strong one may read what was written before. So may
  // the host, which looks at a flag in its own memory. `is_devices`: the address is the device's.
  void settle_before(uint32_t access, bool is_devices) {
    constexpr uint32_t own = ptx::access_shared | ptx::access_local;
    const bool is_flag = access & ptx::access_write && !(access & own) && !is_devices;
    if (access & ptx::access_strong || is_flag) settle();
  }
  void written(BlockState& own, const exec::Block& block, uint64_t address, uint64_t bytes);
  // Global memory counts as unwritten from now on.
  void renewed(uint64_t address, uint64_t bytes);
  // Whether everything there is written; false: perhaps.
  bool all_written(BlockState& own, const exec::Block& block, const exec::WarpRows& rows);
  bool is_written(BlockState& own, Memory memory, uint64_t begin, uint64_t bytes) {
    const uint64_t end = begin + bytes;
    return memory == Memory::global ? all_written(begin, end)
                                    : space(own, memory).written.all_written(begin, end);
  }
  bool load(BlockState& own, const exec::Block& block, const exec::WarpAccess& access,
            uint32_t* taints, uint32_t count);
  void store(BlockState& own, const exec::Block& block, const exec::WarpAccess& access,
             const uint32_t* taints, uint32_t count);
  void use(BlockState& own, const exec::Block& block, ptx::TaintUse use, const uint32_t* taints,
           const exec::WarpAccess& by);

  // The launch of so many threads has ended.
  void end(uint64_t threads);
  // One for each read.
  const std::vector<UnwrittenRead>& reads() const { return found_; }

 private:
  // A lane's address, in its memory.
  struct Spot {
    Memory memory;
    uint64_t address;  // or the offset in shared memory, or in all threads' local memory
  };
  static Spot spot(const exec::Block& block, const exec::WarpAccess& access, uint32_t lane,
                   uint64_t offset);
  static BlockState::Space& space(BlockState& own, Memory memory) {
    return memory == Memory::shared ? own.shared : own.local;
  }
  // An allocation that lanes have accessed, and a part of it that is known to be written.
  struct Recent {
    WrittenMemory::Range range;
    uint64_t written_begin = 0, written_end = 0;
  };
  Recent& recent(uint64_t address);
  bool all_written(uint64_t begin, uint64_t end);
  void set(BlockState& own, const Spot& at, uint64_t bytes, bool written);
  void cover(const Spot& at, uint64_t bytes);
  uint32_t unwritten(BlockState& own, const Spot& at, uint32_t bytes);
  bool lie_in_written_memory(const exec::WarpAccess& access, uint32_t bytes);
  uint32_t number_of(const exec::WarpAccess& access);

  WrittenMemory& global_;
  // Where lanes accessed global memory last.
  Recent recent_[8];
  size_t next_recent_ = 0;
  // The range that the launch writes in each memory, and the number of bytes.
  struct Cover {
    std::shared_ptr<SharedBytes> bytes;
    uint64_t begin = UINT64_MAX, end = 0, written = 0;
  };
  std::unordered_map<SharedBytes*, Cover> covers_;
  static constexpr size_t most_untold = 1 << 16;
  std::vector<uint64_t> written_lines_;  // to be reported: their addresses
  std::vector<Place> reads_{1};
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> numbers_;
  std::vector<UnwrittenRead> found_;
  std::set<uint32_t> reported_;
};

}  // namespace cuvette::watch
