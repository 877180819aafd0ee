// SPDX-License-Identifier: Apache-2.0
// The interface of libcuvette-jit.so: what a kernel is compiled for, and the result.
//
// The library holds the compiler and LLVM; libcuda.so.1 loads it at the first compilation. Machine
// code is position-independent and refers to nothing but itself and its argument, so that a cache
// can hand it over to another process, which then needs no compiler.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/choices.hpp"

namespace cuvette::ptx {

// The compiler's assumptions about the blocks of a launch. A kernel is compiled once
// for each class that it is launched with.
//
// A class is a number, and everything known about its blocks is derived from that number, so
// machine code cached under it, in memory or on disk, cannot be mistaken for another class's. Facts
// that would not change the code are left out, which keeps the classes few.
class BlockClass {
 public:
  // How x of the thread index runs along a warp: with the lane in a row of a multiple of 32 or of
  // one-dimensional blocks (rows), with the lane in each half of the warp (half_rows: 16 wide), or
  // not to be said (any).
  enum class Shape : uint8_t { rows, half_rows, any };

  // Nothing is known.
  constexpr BlockClass() = default;

  static constexpr BlockClass of(uint32_t x, uint32_t y, uint32_t z) {
    const bool flat = z == 1, full = uint64_t{x} * y * z % 32 == 0;
    if (y == 1 && flat) return BlockClass(first_one_dimensional + full);
    if (x % 32 == 0) return BlockClass(first_rows + 2 * flat + (x == 32));
    return BlockClass((x == 16 ? first_half_rows : first_any) + 2 * flat + full);
  }

  constexpr Shape shape() const {
    return number_ < first_half_rows ? Shape::rows
           : number_ < first_any     ? Shape::half_rows
                                     : Shape::any;
  }
  // y and z of the thread index are 0.
  constexpr bool one_dimensional() const { return number_ < first_rows; }
  // z is 0.
  constexpr bool flat() const { return one_dimensional() || (number_ & 2); }
  // There are several rows, each of 32 threads.
  constexpr bool row_is_warp() const {
    return shape() == Shape::rows && !one_dimensional() && (number_ & 1);
  }
  // The number of threads is a multiple of 32.
  constexpr bool full_warps() const {
    return (shape() == Shape::rows && !one_dimensional()) || (number_ & 1);
  }

  constexpr bool operator==(const BlockClass&) const = default;

  // Classes are numbered 0 to count - 1.
  static constexpr unsigned count = 16;
  constexpr unsigned number() const { return number_; }

 private:
  // The first number of each kind. The two bits below are facts; one-dimensional blocks use one.
  static constexpr unsigned first_one_dimensional = 0, first_rows = 4, first_half_rows = 8,
                            first_any = 12;
  explicit constexpr BlockClass(unsigned number) : number_(static_cast<uint8_t>(number)) {}

  uint8_t number_ = first_any;
};

using cuvette::Vectors;

struct CompileRequest {
  std::string_view text;   // the module
  std::string_view entry;  // the kernel
  BlockClass block;
  Vectors vectors = Vectors::sse;
  bool check_bounds = false;  // CUVETTE_MEMCHECK: shared memory is what was asked for, and no more
  // Every access, and everything that orders accesses, is reported to the machine (watch() in
  // abi.hpp).
  bool watch = false;
  // With `watch`: the uninitialised memory in each register is followed, too.
  bool follow = false;
  // Without `watch`: accesses to global memory leave tracks (TrackPlane in abi.hpp).
  bool tracks = false;
  // Executions, accesses and branches are counted (Counter in abi.hpp).
  bool counts = false;
  // The results of `.approx`: a GPU's bits, or others within the same errors that cost less.
  Approx approx = Approx::fast;
  // Whether sums with unused results are collected before they go to memory (sum_cache.hpp).
  bool keep_sums = true;
  // Most instructions that a kernel and all its callees may have before functions are compiled
  // separately; 0: every function that can be.
  uint32_t most_in_place = 4096;
  // Most instructions that may be inlined before functions are emitted once and jumped to; 0: every
  // function that can be.
  uint32_t most_copied = 12'288;
  // Whether kernels that call the same functions are compiled together where those are emitted
  // once.
  bool together = true;
  // Size of a kernel above which it is compiled quickly instead of well: instructions, and
  // registers that are live where blocks begin; 0: each is.
  uint32_t most_optimised = 60'000;
  // Turns of a loop that waits for others before the warp lets others run: a power of two.
  uint32_t turns_alone = 64;
};

// An access that has a number: its location (location_of() in abi.hpp), and how it accesses memory,
// as for watch().
struct NumberedAccess {
  uint64_t location = 0;
  uint32_t access = 0;
  bool operator==(const NumberedAccess&) const = default;
};
constexpr size_t most_tracked = 255, most_watched = 32'768;  // numbers of them
// Returns the number of an access among the accesses that leave tracks, from 1 on; a new one is
// added. All that come after the first 254 have the last number, and no location.
inline uint8_t track_number(const NumberedAccess& access, std::vector<NumberedAccess>& all) {
  const auto known = std::find(all.begin(), all.end(), access);
  if (known != all.end()) return static_cast<uint8_t>(known - all.begin() + 1);
  if (all.size() < most_tracked)
    all.push_back(all.size() + 1 < most_tracked ? access : NumberedAccess{});
  return static_cast<uint8_t>(all.size());
}

// The same among watched accesses. 0: all numbers are taken.
inline uint16_t watch_number(const NumberedAccess& access, std::vector<NumberedAccess>& all) {
  const auto known = std::find(all.begin(), all.end(), access);
  if (known != all.end()) return static_cast<uint16_t>(known - all.begin() + 1);
  if (all.size() == most_watched) return 0;
  all.push_back(access);
  return static_cast<uint16_t>(all.size());
}

// A place of a kernel that is counted.
struct CountedPlace {
  enum class Kind : uint8_t {
    instructions,  // `count` of them in a row, which are executed together
    predicated,    // an instruction with a predicate: the lanes are those for which it holds
    load,
    store,
    atomic,     // atom
    reduction,  // red
    copy,       // cp.async: what it reads
    matrix_load,
    matrix_store,
    branch,
    barrier,
  };
  static constexpr uint8_t kinds = 11;
  Kind kind = Kind::instructions;
  uint64_t location = 0;  // of the (first) instruction: made by location_of()
  uint32_t access = 0;    // as for watch()
  uint32_t counter = 0;   // which Counter counts it; several places may share one
  uint32_t count = 1;
  // Of an access by 32 lanes on a line, which Counter::whole counts: the distance from lane to lane
  // (`apart`: the warp's halves lie on a line each), its sectors or wavefronts, and how many its
  // bytes need at least. Units 0: the counter says how many; ideal 0: as many as it takes.
  static constexpr uint32_t apart = UINT32_MAX;
  uint32_t stride = 0, units = 0, ideal = 0;
  bool operator==(const CountedPlace&) const = default;
};

// A variable in shared memory, for reports.
struct SharedVariable {
  std::string name;      // as the PTX has it
  uint32_t offset = 0;   // as the kernel computes addresses
  uint32_t bytes = 0;    // 0: dynamic, it reaches to the end of the block's memory
  uint32_t element = 1;  // bytes of an element, as far as the PTX says: arrays are mostly of .b8
  bool operator==(const SharedVariable&) const = default;
};

struct CompiledKernel {
  std::string error;  // empty: success
  uint32_t error_line = 0;
  std::string error_token;

  std::vector<uint8_t> code;  // read-only data included; the entry is at its beginning
  uint32_t entry_offset = 0;
  // Other kernels of the module in the same code, and where they begin.
  struct Kernel {
    std::string name;
    uint32_t offset;
  };
  std::vector<Kernel> others;
  // A warp's frame, kept between two steps of the warp: 0 for kernels that never stop on the way.
  uint32_t frame_bytes = 0;
  uint32_t local_bytes = 0;  // of each thread
  // Of each thread's local memory, its stack and shared memory: the largest that any of them needs.
  uint32_t memory_alignment = 16;
  bool uses_stack = false;       // after them: functions call themselves
  uint32_t shared_reserved = 0;  // of shared memory, before all variables
  uint32_t shared_bytes = 0;     // static shared memory
  std::vector<SharedVariable> shared_variables;
  bool uses_barriers = false;  // warps are run step by step
  // Of kernels that leave tracks or are watched: what access number n (from 1 on) is, at n - 1. The
  // last that leaves tracks may stand for several, and has no location then.
  std::vector<NumberedAccess> accesses;
  // Of kernels that are counted: the places, and how many counters they have.
  std::vector<CountedPlace> places;
  uint32_t counters = 0;
  // The module variables and functions in the launch's table of addresses, in its order.
  std::vector<std::string> symbols;
};

// Fills `result`.
using CompileFunction = void(const CompileRequest& request, CompiledKernel& result);
#define CUVETTE_JIT_COMPILE "cuvette_jit_compile"

}  // namespace cuvette::ptx
