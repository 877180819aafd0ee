// SPDX-License-Identifier: Apache-2.0
// MemoryLog: what each command changes, as lines of the order log.
//
//   memory  NUMBER  KIND  NAME  ADDRESS  SIZE  CALL SITE  HEX
//                                                   an allocation, counted from 1 in the order in
//                                                   which they were made, and its first bytes;
//                                                   NAME: a variable's
//   freed   NUMBER                                  it is gone
//   bytes   LANE.NUMBER[.STEP]  NUMBER  OFFSET  HEX
//                                                   the command changed these bytes of it; `host`:
//                                                   the program did, between two commands
//   gave    LANE.NUMBER  ADDRESS  SIZE  HEX         the first bytes that a copy wrote to memory
//                                                   that no device knows
//   ended   LANE.NUMBER                             the command is completed
//   printed BYTES                                   as much is in the file that is the standard
//                                                   output
//
// Only the first bytes of each allocation are looked at, and only under a schedule, where commands
// run one at a time. Bytes that a step of a graph changed are said when the next one begins.
//
// Threads: any. Its lock is held while it reads memory and writes lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "sim/base/mutex.hpp"
#include "sim/check/log/log_file.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check::log {

class MemoryLog final : public device::Observer {
 public:
  // Looks at the first `most` bytes.
  MemoryLog(const LogFile& file, size_t most) : file_(file), most_(most) {}

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override EXCLUDES(mutex_);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void step_started(const device::Stream& stream, const exec::Step& step) override EXCLUDES(mutex_);

 private:
  struct Known {
    uint64_t number = 0;
    std::string bytes;
  };
  // Adds lines for what has changed since the last look; `by` has changed it.
  void look(const std::string& by, std::string& lines) REQUIRES(mutex_);
  void look_at(const memory::Allocation& allocation, const std::string& by, std::string& lines)
      REQUIRES(mutex_);
  void write(const std::string& lines) REQUIRES(mutex_);

  const LogFile& file_;
  const size_t most_;
  Mutex mutex_;
  std::map<uint64_t, Known> known_ GUARDED_BY(mutex_);  // by Allocation::buffer_id
  uint64_t last_ GUARDED_BY(mutex_) = 0;                // number of an allocation
  std::string step_ GUARDED_BY(mutex_);                 // of a graph, that runs; empty: none does
  int64_t printed_ GUARDED_BY(mutex_) = -1;
};

}  // namespace cuvette::check::log
