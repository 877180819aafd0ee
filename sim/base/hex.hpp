// SPDX-License-Identifier: Apache-2.0
// Numbers as people read addresses, handles and masks.
//
// Threads: any.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace cuvette {

// Returns "0x" and the number's hexadecimal digits, small letters without leading zeros.
inline std::string hexadecimal(uint64_t number) {
  char text[18] = "0x";
  const auto end = std::to_chars(text + 2, text + sizeof text, number, 16).ptr;
  return {text, end};
}

}  // namespace cuvette
