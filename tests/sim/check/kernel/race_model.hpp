// SPDX-License-Identifier: Apache-2.0
// RaceModel: all accesses of a launch, byte by byte, and which of them race; and which of the races
// KernelWatch has to find, though it keeps little of what happened. What tests compare it with.
//
// Rules beyond the model (kernel_watch.hpp) that it knows:
//   - Of the same instruction, writes of the same value do not race in a block, nor where all lanes
//   write to one place. Where the value has changed in between, either answer is right.
//   - Volatile accesses of a warp in step race.
//   - A plain read and an atomic operation do not race if the read's thread goes on with atom.cas:
//   is_compared().
//   - A copy under way races with everything; but not with that of another lane of the instruction.
// And some that stand in the code:
//   - A thread's own atomic operation comes after strong writes that it has met there: either
//   answer.
//   - Strong accesses of parts of each other do not race.
//
// Which races have to be found: of the accesses to a byte before its first race, KernelWatch keeps
// the last write, another one below a strong write, and two reads since. Others may be missed where
// more than two were unordered. See kept(). It keeps 64 pairs of instructions.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "order_model.hpp"

namespace cuvette::watch::test {

// What lanes of a warp do, as exec::WarpAccess has it.
struct Step {
  uint32_t block, warp, mask;
  uint32_t instruction;  // its number
  uint32_t access;       // as in abi.hpp
  Site sites[32];        // by lane; space UINT32_MAX: memory that nobody shares
  uint8_t data[32][32];  // what a lane writes
  bool has_values;       // whether KernelWatch is told
};

// Two instructions, the smaller number first.
struct Instructions {
  uint32_t one, other;
  bool shared;
  auto operator<=>(const Instructions&) const = default;
};

class RaceModel {
 public:
  RaceModel(uint32_t blocks, uint32_t threads, uint64_t global_bytes, uint64_t shared_bytes);

  OrderModel strict, generous;
  // Calls it on both.
  template <typename Visit>
  void order(const Visit& visit) {
    visit(strict);
    visit(generous);
  }

  struct Race {
    uint32_t earlier, later;  // threads of the grid
    uint32_t first, second;   // their instructions
    Site site;                // a byte
    bool under_way;           // the earlier one is a copy
  };
  // Returns the races that may be reported.
  std::vector<Race> access(const Step& step);
  // Whether any would be.
  bool would_race(const Step& step);
  // One of the pairs of each has to be reported.
  const std::vector<std::set<Instructions>>& wanted() const { return wanted_; }

  // The plain read by the instruction compares again; `surely`: wherever KernelWatch knows.
  bool is_compared(uint32_t instruction, bool surely) const {
    return (surely ? surely_compared_ : perhaps_compared_).contains(instruction);
  }
  void renew(uint64_t begin, uint64_t end);
  void commit(uint32_t thread) { ++copies_of_[thread].groups; }
  // All but `groups` of the thread's groups are over.
  void wait(uint32_t thread, uint32_t groups);

  struct Access {
    uint32_t thread, block, warp, instruction, access;
    uint32_t step;
    uint32_t time = 0, surely_time = 0;  // of the generous and the strict model; 0: under way
    uint32_t meetings;                   // of its block so far
    bool converged, together;
    bool has_value;
    Site site;
    uint8_t data[32];
    Clock known, surely_known;  // the same of what the thread came after

    bool is(uint32_t what) const { return access & what; }
    bool writes() const { return is(ptx::access_write); }
    bool wide() const { return ptx::scope_of(access) != ptx::Scope::block; }
    uint8_t value(uint64_t at) const { return data[at - site.address]; }
  };
  // What was done to a byte of global memory.
  std::vector<const Access*> of(uint64_t address) const;

 private:
  static constexpr size_t most_races = 64;  // that KernelWatch keeps
  enum class Verdict : uint8_t { none, perhaps, race };
  struct Byte {
    std::vector<uint32_t> accesses;  // numbers
    bool raced = false;
  };
  struct Copies {
    uint32_t groups = 0;
    std::vector<std::pair<uint32_t, uint32_t>> under_way;  // group and access
  };
  Access made(const Step& step, uint32_t lane) const;
  Byte& byte(Site site) { return bytes_[site.space][site.address]; }
  bool ordered(bool surely, const Access& earlier, const Access& later) const;
  Verdict verdict(const Access& earlier, const Access& later, const Byte& byte, Site at,
                  const Step& step) const;
  Verdict of_same_instruction(const Access& earlier, const Access& later, const Byte& byte, Site at,
                              const Step& step) const;
  static bool came_before(bool surely, const Access& one, const Access& other);
  static bool covers(bool surely, const Access& earlier, const Access& later);
  struct Uncovered {
    std::vector<uint32_t> now;
    size_t most = 0;
  };
  struct Kept {
    std::vector<uint32_t> surely;   // these
    std::vector<uint32_t> some_of;  // and some of these
  };
  Kept kept(const Byte& byte) const;
  Uncovered uncovered(bool surely, const std::vector<uint32_t>& some) const;
  void compares(const Access& swap, const Byte& byte);
  void look_at(Byte& byte, Site site, uint32_t number, const Step& step, std::vector<Race>& races);

  const uint32_t threads_;
  uint32_t steps_ = 0;
  std::vector<Access> all_;
  std::vector<std::vector<Byte>> bytes_;  // by space
  std::vector<Copies> copies_of_;
  std::vector<std::set<Instructions>> wanted_;
  std::set<Instructions> possible_;
  std::set<uint32_t> surely_compared_, perhaps_compared_;
};

}  // namespace cuvette::watch::test
