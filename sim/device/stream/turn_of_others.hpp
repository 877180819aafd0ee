// SPDX-License-Identifier: Apache-2.0
// TurnOfOthers: time for other processes, if a schedule decides the order (exec::Scheduler).
//
// After a record that another process may wait for, this process's next command would nearly always
// begin first. If the schedule holds that command back, the other process gets time to go on before
// it: as long as a thread that is blocked there takes to be noticed, and a few times in all.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::device {

class TurnOfOthers final : public Observer {
 public:
  // There is an event that processes share. Without a schedule nothing is done.
  static void begin();

  void completed(const Stream& stream, uint64_t number, const Operation& operation) override
      EXCLUDES(mutex_);
  void started(const Stream& stream, uint64_t number, const Operation& operation) override
      EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::unordered_map<uint64_t, uint64_t> next_ GUARDED_BY(mutex_);  // command, by stream
  int turns_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::device
