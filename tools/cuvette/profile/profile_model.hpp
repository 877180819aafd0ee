// SPDX-License-Identifier: Apache-2.0
// ProfileModel: what the kernels of a run counted, added up over processes and launches, by source
// line. The views (text, JSON) are made of it.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuvette::tools {

// The accesses of one kind and width in a line.
struct AccessCounts {
  std::string kind;    // load, store, atomic, reduction, copy, matrix load, matrix store
  uint32_t bytes = 0;  // of a thread
  uint64_t global_requests = 0, global_lanes = 0, sectors = 0, ideal_sectors = 0;
  uint64_t shared_requests = 0, shared_lanes = 0, wavefronts = 0, ideal_wavefronts = 0;
  // The distance from thread to thread in most requests, and in how many.
  int64_t stride = 0;
  uint64_t strided = 0;
  // Of atomic operations.
  uint64_t most_together = 0, behind_others = 0;
  uint64_t sector_visits = 0;  // how often the memory comes to a sector; 0 in shared memory
  struct Hottest {
    std::string address, space;
    uint64_t times = 0, of = 0;  // times: 0 if there is none
    bool at_least = false;
    uint64_t offset = 0, allocation_bytes = 0;  // allocation_bytes: 0 if unknown
  } hottest;

  uint64_t requests() const { return global_requests + shared_requests; }
  uint64_t excess_sectors() const { return sectors - ideal_sectors; }
  uint64_t bank_conflicts() const { return wavefronts - ideal_wavefronts; }
  bool is_atomic() const { return kind == "atomic" || kind == "reduction"; }
};

struct ProfiledLine {
  std::string source;  // file:line; empty without -lineinfo
  uint32_t ptx = 0;    // the first line of the PTX
  struct Frame {
    std::string source, function;
  };
  std::vector<Frame> inlined;  // around the instructions, the innermost first; empty: none
  // Instructions of PTX that warps executed, and the sum of their active threads.
  uint64_t instructions = 0, thread_instructions = 0;
  uint64_t branches = 0, divergent = 0;
  uint64_t barriers = 0;
  std::vector<AccessCounts> accesses;

  double active_threads() const {
    return instructions == 0
               ? 0
               : static_cast<double>(thread_instructions) / static_cast<double>(instructions);
  }
  uint64_t excess_sectors() const;
  uint64_t bank_conflicts() const;
  uint64_t behind_others() const;
  // By which lines are ordered.
  uint64_t waste() const {
    return excess_sectors() + bank_conflicts() + behind_others() + divergent;
  }
};

// Launches of one shape.
struct LaunchCounts {
  static constexpr uint32_t unknown = UINT32_MAX;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint64_t dynamic_shared = 0, count = 0, blocks = 0;
  uint32_t warps_per_block = 1;
  // Blocks per multiprocessor that each resource allows.
  uint32_t by_warps = 0, by_shared = 0, by_slots = 0, by_registers = unknown;
};

struct Occupancy {
  uint32_t blocks = 0, warps = 0;  // per multiprocessor
  std::vector<std::string> limited_by;
  double share = 0;      // of the warps that there may be
  double waves = 0;      // how often the multiprocessors are filled
  double last_wave = 0;  // how much of the last one is used
  double bound = 0;      // as `share`, if blocks are too few to fill one wave
};

struct ProfiledKernel {
  std::string name, symbol, device;
  uint64_t multiprocessors = 1, warps_per_multiprocessor = 64;
  uint64_t static_shared = 0;
  uint32_t registers = 0;  // of a thread; 0: unknown
  std::vector<LaunchCounts> launches;
  uint64_t other_launches = 0;      // whose shapes were not kept
  std::vector<ProfiledLine> lines;  // worst first

  uint64_t launch_count() const;
  bool has_sources() const;
  Occupancy occupancy(const LaunchCounts& launch) const;
};

struct ProfileModel {
  uint64_t processes = 0;               // that ran kernels
  uint64_t unreadable = 0;              // lines of their files
  std::vector<ProfiledKernel> kernels;  // worst first

  // Adds what a line of a process's file says. Nothing in it is trusted.
  void add(const std::string& line);
  // Puts what is worst first.
  void order();
};

// Reads the files in a folder that CUVETTE_PROFILE named, in the order of their names.
ProfileModel read_profile(const std::string& folder);

}  // namespace cuvette::tools
