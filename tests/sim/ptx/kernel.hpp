// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel and runs it on memory of this process: what tests of single instructions need,
// without a device.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/abi.hpp"
#include "sim/ptx/jit.hpp"

namespace cuvette::ptx::test {

// The vector units that this processor has and the compiler knows: each is to be tested.
std::vector<Vectors> vectors_here();
std::string name_of(Vectors vectors);

struct Grid {
  uint32_t blocks[3] = {1, 1, 1};
  uint32_t threads[3] = {32, 1, 1};
  uint32_t dynamic_shared = 0;
};

class Kernel {
 public:
  // Compiles `entry` of the module `text`; what the others do not say is the request's. A failure
  // is a failure of the test.
  Kernel(std::string_view text, std::string_view entry, Vectors vectors, Grid grid = {},
         CompileRequest request = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Runs all blocks one after the other; the parameters are laid out as the caller did it.
  // Returns what the last warp did.
  Status run(const void* parameters);
  template <typename... P>
  Status operator()(P... parameters) {
    std::vector<uint8_t> block;
    (append(block, parameters), ...);
    return run(block.data());
  }

  const CompiledKernel& compiled() const { return compiled_; }
  // Of each thread, with a stack where there is one.
  static constexpr uint32_t stack_bytes = 4096;
  uint32_t local_bytes() const {
    return compiled_.local_bytes + (compiled_.uses_stack ? stack_bytes : 0);
  }
  // What check(), trap() and the others were told.
  struct Fault {
    uint32_t mask = 0, access = 0, warp = 0;
    uint64_t location = 0;
    uint64_t address = 0;  // of the first lane
  };
  const std::vector<Fault>& faults() const { return faults_; }
  // Addresses of the module's variables that the kernel names.
  void place(std::string name, const void* address) { places_.emplace_back(name, address); }
  // What may be accessed: everything, if not said otherwise.
  void allow(const void* begin, size_t bytes) {
    window_ = reinterpret_cast<uint64_t>(begin);
    window_bytes_ = bytes;
  }

 private:
  template <typename P>
  static void append(std::vector<uint8_t>& block, const P& parameter) {
    while (block.size() % alignof(P)) block.push_back(0);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&parameter);
    block.insert(block.end(), bytes, bytes + sizeof(P));
  }
  Status run_block(BlockContext& block);
  friend struct KernelHelpers;

  CompiledKernel compiled_;
  Grid grid_;
  void* code_ = nullptr;
  size_t code_bytes_ = 0;
  uint64_t window_ = 0, window_bytes_ = uint64_t{1} << 47;
  std::vector<std::pair<std::string, const void*>> places_;
  std::vector<Fault> faults_;
};

// A module around `body`, which is the inside of `.visible .entry kernel(parameters)`.
std::string module_of(std::string_view parameters, std::string_view body,
                      std::string_view before = "");

// Kernels in which each thread has one number for its result.
class ThreadResults : public testing::TestWithParam<Vectors> {
 protected:
  // Runs `body` with %r0 the number of the thread, %rd1 where its result goes; %r1 is that.
  std::vector<uint32_t> run(std::string_view body, uint32_t threads);
};

}  // namespace cuvette::ptx::test
