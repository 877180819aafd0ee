// SPDX-License-Identifier: Apache-2.0
// LinkOptions: the words that nvJitLinkCreate() is given.
//
// Threads: plain functions.
#pragma once

#include <nvJitLink.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuvette::nvjitlink {

struct LinkOptions {
  uint32_t target = 0;          // the compute capability to link for (90)
  bool known_target = false;    // or there is no such device, and nothing can be linked for it
  uint32_t most_registers = 0;  // that a kernel may use; 0: any number
  bool lto = false;
  bool ptx = false;
  std::vector<std::string> words;  // all of them, as they were given

  // Reads the words into *this. `log` says what is wrong. The codes, and which option is checked
  // first, are taken from NVIDIA's libraries of CUDA 13.0 and 12.9 (measured).
  nvJitLinkResult read(std::span<const char* const> given, std::string& log);
};

}  // namespace cuvette::nvjitlink
