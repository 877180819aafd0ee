// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel and runs it on this process's memory: enough for testing single instructions,
// without a device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::ptx::test {

// The vector units to test: those that both this processor and the compiler have.
std::vector<Vectors> vectors_here();
std::string name_of(Vectors vectors);

struct Grid {
  uint32_t blocks[3] = {1, 1, 1};
  uint32_t threads[3] = {32, 1, 1};
  uint32_t dynamic_shared = 0;
  // Blocks take turns, a turn of each of its warps each, instead of running one after the other.
  bool at_once = false;
};

class Kernel {
 public:
  // Compiles `entry` of the module `text`, with the other arguments overriding the request's
  // fields. If that fails, the test fails.
  Kernel(std::string_view text, std::string_view entry, Vectors vectors, Grid grid = {},
         CompileRequest request = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Runs all blocks, one after the other if the grid does not say otherwise; the caller has laid
  // out the parameters. Returns the status of the last warp.
  Status run(const void* parameters);
  template <typename... P>
  Status operator()(P... parameters) {
    std::vector<uint8_t> block;
    (append(block, parameters), ...);
    return run(block.data());
  }

  const CompiledKernel& compiled() const { return compiled_; }
  // The local memory of each thread, including the stack if there is one.
  static constexpr uint32_t stack_bytes = 4096;
  uint32_t local_bytes() const {
    return compiled_.local_bytes + (compiled_.uses_stack ? stack_bytes : 0);
  }
  // The arguments of check(), trap() and the like.
  struct Fault {
    uint32_t mask = 0, access = 0, warp = 0;
    uint64_t location = 0;
    uint64_t address = 0;  // of the first lane
  };
  const std::vector<Fault>& faults() const { return faults_; }
  // Sets the address of a variable that the kernel names.
  void place(std::string name, const void* address) { places_.emplace_back(name, address); }
  // Restricts the memory that may be accessed; by default, all of it may be.
  void allow(const void* begin, size_t bytes) {
    window_ = reinterpret_cast<uint64_t>(begin);
    window_bytes_ = bytes;
  }
  // Of a kernel that is compiled for it: its counters, and the accesses that it has the machine
  // count.
  struct CountedAccess {
    uint32_t counter, mask, access;
    uint64_t addresses[warp_size];
  };
  const std::vector<Counter>& counters() const { return counters_; }
  const std::vector<CountedAccess>& counted() const { return counted_; }
  // Where a kernel that is compiled for it leaves tracks of the memory that it may access.
  void track_in(const TrackPlane (&planes)[TrackPlane::count]) {
    std::copy_n(planes, TrackPlane::count, tracks_);
  }

 private:
  template <typename P>
  static void append(std::vector<uint8_t>& block, const P& parameter) {
    while (block.size() % alignof(P)) block.push_back(0);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&parameter);
    block.insert(block.end(), bytes, bytes + sizeof(P));
  }
  struct Resident;
  Status enter(BlockContext& block, uint32_t first, uint32_t end);
  void begin(Resident& one);
  std::optional<Status> turn(Resident& one);
  Status run_block(BlockContext& block);
  friend struct KernelHelpers;

  CompiledKernel compiled_;
  Grid grid_;
  void* code_ = nullptr;
  size_t code_bytes_ = 0;
  uint64_t window_ = 0, window_bytes_ = uint64_t{1} << 47;
  std::vector<std::pair<std::string, const void*>> places_;
  std::vector<Fault> faults_;
  TrackPlane tracks_[TrackPlane::count]{};
  std::vector<Counter> counters_;
  std::vector<CountedAccess> counted_;
};

// A module around `body`, which is the inside of `.visible .entry kernel(parameters)`.
std::string module_of(std::string_view parameters, std::string_view body,
                      std::string_view before = "");

// Kernels in which each thread's result is one number.
class ThreadResults : public testing::TestWithParam<Vectors> {
 protected:
  // Runs `body`, in which %r0 is the thread's number and %rd1 the address of its result; %r1
  // becomes the result.
  std::vector<uint32_t> run(std::string_view body, uint32_t threads);
};

}  // namespace cuvette::ptx::test
