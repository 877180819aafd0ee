// SPDX-License-Identifier: Apache-2.0
// The layout of the register, a file in shared memory that several builds of Cuvette may use at the
// same time: a change of it takes a new number in the file's name.
//
//   0            Header        `asked`: the word that readers change, and processes sleep on
//   page         Record[256]   a page each: what a process says of itself
//   257 pages    Claim[16][256]  what processes have of devices that they share
//
// Whoever holds the lock on byte N of the file owns record N and the claims N, and is alive. Nobody
// else writes there: a reader that finds record N without an owner takes the lock before it clears
// it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/base/hash.hpp"

namespace cuvette::processes::layout {

inline constexpr unsigned seats = 256, devices = 16;
inline constexpr size_t page = 4096;

struct Header {
  static constexpr uint64_t expected_magic = 0x31'72'65'67'76'75'63'0a;
  uint64_t magic;
  uint32_t asked;
};

struct DeviceRecord {
  uint8_t uuid[16];
  char model[48];
  char kernel[128];  // that runs now; empty if none does
  uint64_t total, used, streams, pending;
  uint32_t index;
  uint32_t in_context;
};

struct Record {
  uint64_t count;  // of the times that it was written, from 1
  uint64_t sum;    // of all other bytes
  int64_t pid;
  uint64_t start, pid_namespace;
  uint32_t answers;  // whether the process writes it anew when it is asked to
  uint32_t device_count;
  char program[128];
  DeviceRecord device[devices];
};
static_assert(sizeof(Record) <= page);

// Atomic, since all processes add them up while their owners change them.
struct Claim {
  std::atomic<uint64_t> device;  // a number made of its UUID; 0: none
  std::atomic<uint64_t> used;
  std::atomic<uint64_t> wanted;    // being added to `used`, if there is room
  std::atomic<uint64_t> contexts;  // what contexts take of it, beside `used`
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(Claim) == 32);

inline constexpr size_t records_at = page, claims_at = records_at + seats * page;
inline constexpr size_t claims_size = size_t{devices} * seats * sizeof(Claim);
inline constexpr size_t size = claims_at + claims_size;

constexpr size_t record_at(unsigned seat) { return records_at + seat * page; }
constexpr size_t claim_at(unsigned device, unsigned seat) {
  return claims_at + (size_t{device} * seats + seat) * sizeof(Claim);
}

inline uint64_t sum_of(const Record& record) {
  const char* const after = reinterpret_cast<const char*>(&record.pid);
  const std::string_view rest(after, sizeof record - offsetof(Record, pid));
  return fnv1a_64(rest) ^ split_mix(record.count);
}

}  // namespace cuvette::processes::layout
