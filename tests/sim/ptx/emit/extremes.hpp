// SPDX-License-Identifier: Apache-2.0
// Numbers for random tests: from the whole range, but mostly where arithmetic of that many bits
// goes wrong.
#pragma once

#include <cstdint>
#include <random>

namespace cuvette::ptx::test {

// A number of `bits` bits, 8 to 64: small ones, powers of two and their neighbours, the limits of
// signed and unsigned types, multipliers of hashes and random generators, strides at which a warp's
// 32 numbers just overflow or just do not, and arbitrary ones.
inline uint64_t extreme(std::mt19937& random, unsigned bits) {
  static constexpr uint64_t multipliers[] = {
      2654435761,         2654435769, 1664525,    1013904223, 22695477,
      1103515245,         214013,     2531011,    16777619,   2166136261,
      0x85ebca6b,         0xc2b2ae35, 0x27d4eb2f, 0x01000193, 6364136223846793005,
      0x9e3779b97f4a7c15, 48271,      69069,      65539,      0xff51afd7ed558ccd};
  const auto below = [&](uint64_t n) { return random() % n; };
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t any = uint64_t{random()} << 32 | random();
  uint64_t number = 0;
  switch (below(8)) {
    case 0:
      number = below(40);
      break;
    case 1:
      number = uint64_t{1} << below(bits);
      break;
    case 2:
      number = (uint64_t{1} << below(bits)) + below(5) - 2;
      break;
    case 3:
      number = multipliers[below(std::size(multipliers))];
      break;
    case 4:
      number = (uint64_t{1} << (bits - 1)) - 2 + below(5);
      break;
    case 5:
      number = mask / (1 + below(36)) + below(5) - 2;
      break;
    case 6:
      number = any >> below(64);
      break;
    default:
      number = any;
  }
  if (below(3) == 0) number = 0 - number;
  return number & mask;
}

}  // namespace cuvette::ptx::test
