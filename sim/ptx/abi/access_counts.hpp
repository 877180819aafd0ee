// SPDX-License-Identifier: Apache-2.0
// What the accesses of a warp cost a GPU's memory in units that only addresses decide: sectors of
// global memory, wavefronts of shared memory, lanes that come to one address.
//
// An access is of 1 to 32 bytes, a power of two, and aligned to them. `mask`: the lanes that make
// it; the addresses of others mean nothing.
//
// Threads: pure functions.
#pragma once

#include <cstdint>

namespace cuvette::ptx {

// Global memory comes in these.
constexpr uint32_t sector_bytes = 32;
// Shared memory has so many banks, with a word of 4 bytes each in a wavefront.
constexpr uint32_t banks = 32, bank_bytes = 4;

// Returns how many sectors the lanes touch: an aligned access lies in one.
uint32_t sectors_of(const uint64_t* addresses, uint32_t mask);
// Returns how many sectors so many lanes need if their bytes lie side by side.
constexpr uint32_t ideal_sectors(uint32_t lanes, uint32_t bytes) {
  return (lanes * bytes + sector_bytes - 1) / sector_bytes;
}

// The ways in which an H200's shared memory is accessed (measured).
enum class SharedUse : uint8_t { load, store, atomic };
// Returns how many wavefronts the lanes need, by their offsets in shared memory: 32, 16 or 8 lanes
// come together for up to 4, 8 or 16 bytes, and take as many as one bank has to give different
// words; an atomic operation as many as one bank has lanes. Two groups of a load come together if
// each lane of them shares its address with a neighbour, or with the lane behind that one.
uint32_t wavefronts_of(const uint64_t* offsets, uint32_t mask, uint32_t bytes, SharedUse use);
// Returns how many their groups need if no bank has to give two words.
uint32_t ideal_wavefronts(uint32_t mask, uint32_t bytes);

// The different addresses that lanes come to, and how many lanes to each.
struct Addresses {
  uint32_t count = 0;
  uint64_t address[32];
  uint32_t lanes[32];
};
Addresses different_addresses(const uint64_t* addresses, uint32_t mask);
// Returns how often an H200's memory comes to a sector for an atomic operation (measured): to each
// as often as it has lanes at the address with most of them.
uint32_t sector_visits(const Addresses& addresses);

// Returns the distance from each lane's address to the next one's, if it is the same for all of at
// least two lanes; otherwise false.
bool stride_of(const uint64_t* addresses, uint32_t mask, int64_t& stride);

}  // namespace cuvette::ptx
