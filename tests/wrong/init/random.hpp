// SPDX-License-Identifier: Apache-2.0
// Random kernels that store, load and move bytes, and a plain account of which of them have been
// written.
#pragma once

#include <cstdint>
#include <string>

// PTX of one kernel, which takes the address of memory that nobody has written.
struct RandomKernel {
  std::string text;
  bool is_wrong = false;  // it lets something decide that nobody has written
};

// Bytes of that memory that each of the 32 threads has for itself.
constexpr unsigned random_bytes = 32;
// So many bytes further they may begin.
constexpr unsigned random_skew = 256;

RandomKernel random_kernel(const std::string& name, uint32_t seed);
