// SPDX-License-Identifier: Apache-2.0
// Small hashes that depend only on their arguments: the same in every process and on every machine.
// They guard against accidents and scatter keys; none withstands an attacker.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string_view>

namespace cuvette {

// Returns FNV-1a of the bytes, of 32 or 64 bits.
constexpr uint32_t fnv1a_32(std::string_view bytes) {
  uint32_t sum = 2166136261u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 16777619u;
  return sum;
}
constexpr uint64_t fnv1a_64(std::string_view bytes) {
  uint64_t sum = 14695981039346656037u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return sum;
}

// Returns SplitMix64's output for the state `value`: every bit of it reaches every bit of the
// result, and different values have different results.
constexpr uint64_t split_mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace cuvette
