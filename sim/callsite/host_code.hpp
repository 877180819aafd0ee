// SPDX-License-Identifier: Apache-2.0
// Facts read from machine code of this process, and from the debug information of its files.
//
// Reading either takes LLVM, so the work is done in libcuvette-jit.so, which is loaded by the first
// question. Where it is missing, nothing is known.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuvette::callsite {

struct SourceFrame {
  std::string function;  // as its source spells it, without parameters
  std::string file;
  uint32_t line = 0;
};

// Returns the line that the code at `address` was made of, in the function that it was inlined into
// last, then the lines of the calls that were inlined around it. Empty without debug information.
std::vector<SourceFrame> source_frames(const void* address);

// Whether it is certain that the caller throws away what the call that returns to `return_address`
// returns: on all ways from there, the register of the result is overwritten before it is read.
bool throws_result_away(const void* return_address);

// --- What libcuvette-jit.so has for this ---------------------------------------------------------

// A file, and an address as its own symbol table and debug information have it.
struct FileAddress {
  const char* file;
  uint64_t address;
};
using SourceFramesFunction = void(const FileAddress& at, std::vector<SourceFrame>& frames);
#define CUVETTE_JIT_SOURCE_FRAMES "cuvette_jit_source_frames"

// `code` is the executable code around offset `at`, and `place` the address of `code[at]`.
struct CallResult {
  std::span<const uint8_t> code;
  uint64_t at;
  FileAddress place;
};
using ThrowsAwayFunction = bool(const CallResult& result);
#define CUVETTE_JIT_THROWS_RESULT_AWAY "cuvette_jit_throws_result_away"

}  // namespace cuvette::callsite
