// SPDX-License-Identifier: Apache-2.0
// What a kernel is compiled for, and what comes out of it: the face of libcuvette-jit.so.
//
// The library holds the compiler and LLVM; libcuda.so.1 loads it at the first compilation. Machine
// code is position-independent and refers to nothing but itself and its argument, so that a cache
// can hand it over to another process, which then needs no compiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuvette::ptx {

// What the compiler may take for granted about the blocks of a launch. A kernel is compiled once
// for each class that it is launched with.
struct BlockClass {
  // How x of the thread index runs along a warp: with the lane in a row of a multiple of 32 or of
  // one-dimensional blocks (rows), with the lane in each half of the warp (half_rows: 16 wide), or
  // not to be said (any).
  enum class Shape : uint8_t { rows, half_rows, any };
  Shape shape = Shape::any;
  bool one_dimensional = false;  // y and z of the thread index are 0
  bool flat = false;             // z is 0
  bool row_is_warp = false;      // a row has 32 threads
  bool full_warps = false;       // the number of threads is a multiple of 32

  static BlockClass of(uint32_t x, uint32_t y, uint32_t z) {
    BlockClass result;
    result.one_dimensional = y * z == 1;
    result.flat = z == 1;
    result.row_is_warp = x == 32;
    result.full_warps = x * y * z % 32 == 0;
    result.shape = result.one_dimensional || x % 32 == 0 ? Shape::rows
                   : x == 16                             ? Shape::half_rows
                                                         : Shape::any;
    return result;
  }
  bool operator==(const BlockClass&) const = default;
  // A number for each class, as part of the name of what is compiled for it.
  uint32_t number() const {
    return static_cast<uint32_t>(shape) | one_dimensional << 2 | flat << 3 | row_is_warp << 4 |
           full_warps << 5;
  }
};

enum class Vectors : uint8_t { sse, avx2, avx512 };  // what the processor has

struct CompileRequest {
  std::string_view text;   // the module
  std::string_view entry;  // the kernel
  BlockClass block;
  Vectors vectors = Vectors::sse;
  bool check_bounds = false;  // CUVETTE_MEMCHECK
  // Instructions that a kernel may have with all that it calls before functions are compiled by
  // themselves; 0: all that can be are.
  uint32_t most_in_place = 4096;
  // Turns of a loop that waits for others before the warp lets others run: a power of two.
  uint32_t turns_alone = 64;
};

// Names a variable of the module whose address code needs; it finds it in the launch's table.
struct CompiledKernel {
  std::string error;  // empty: it worked
  uint32_t error_line = 0;
  std::string error_token;

  std::vector<uint8_t> code;  // read-only data included; the entry is at its beginning
  uint32_t entry_offset = 0;
  // A warp's frame, kept between two steps of the warp: 0 for kernels that never stop on the way.
  uint32_t frame_bytes = 0;
  uint32_t local_bytes = 0;    // of each thread
  bool uses_stack = false;     // behind them: functions call themselves
  uint32_t shared_bytes = 0;   // static shared memory
  uint32_t registers = 0;      // what the occupancy functions are told
  bool uses_barriers = false;  // warps are run step by step
  // Module variables and functions whose addresses the launch's table holds, in its order.
  std::vector<std::string> symbols;
  // What a table of functions in memory holds of them: targets of indirect calls.
  struct Function {
    std::string name;
    uint32_t offset;
  };
  std::vector<Function> functions;
};

// Fills `result`. The only symbol of libcuvette-jit.so.
using CompileFunction = void(const CompileRequest& request, CompiledKernel& result);
#define CUVETTE_JIT_COMPILE "cuvette_jit_compile"

}  // namespace cuvette::ptx
