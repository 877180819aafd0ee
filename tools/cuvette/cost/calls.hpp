// SPDX-License-Identifier: Apache-2.0
// The calls of a record as the table of costs knows them: each outermost call with the calls of the
// driver in it, their functions without versions, and their classes.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// "cuMemAlloc_v2" -> "cuMemAlloc", "cuLaunchKernel_ptsz" -> "cuLaunchKernel".
std::string plain_function(const std::string& function);

// The function with the same costs that tables have: cuMemHostAlloc -> cuMemAllocHost.
std::string priced_as(const std::string& function);

bool is_of_runtime(const std::string& function);

struct CallGroup {
  uint32_t outermost = 0;           // calls
  std::vector<uint32_t> of_driver;  // calls: the outermost itself if it is one of the driver
};

// Returns the outermost calls, in order of their beginnings.
std::vector<CallGroup> groups_of(const Record& record);

std::set<std::string> words_of(const std::string& text);

// Nanoseconds from a call's beginning to its end; 0 if it has not ended.
double time_here(const Record::Call& call);

// When commands ran on this machine: then the program's threads may have waited for a processor.
class BusyTimes {
 public:
  explicit BusyTimes(const Record& record);
  // Returns how many nanoseconds between two times no command ran.
  double idle_between(uint64_t begin, uint64_t end) const;

 private:
  std::vector<std::pair<uint64_t, uint64_t>> spans_;  // in order, apart
};

// For each call of a record, the memory that it made and the memory that it gave back: they are
// found by their times.
class MadeMemory {
 public:
  MadeMemory(const Record& record, const std::vector<CallGroup>& groups);
  // memories; none if there is none, or several.
  uint32_t made_by(uint32_t outermost) const { return made_[outermost]; }
  uint32_t freed_by(uint32_t outermost) const { return freed_[outermost]; }

 private:
  std::vector<uint32_t> made_, freed_;  // by calls
};

}  // namespace cuvette::tools
