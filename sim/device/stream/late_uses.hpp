// SPDX-License-Identifier: Apache-2.0
// LateUses: memory that the program has freed without a wait, although commands that are under way
// may use it.
//
// Other allocations may have taken and written such memory at any time since. If a schedule decides
// the order (exec::Scheduler), these commands come later than the free, and must not find what they
// or others left there: each command that begins finds fresh content, until all are completed that
// were submitted before the free. Elsewhere nothing is noted.
//
// Threads: any.
#pragma once

#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::device {

class LateUses final : public Observer {
 public:
  // Notes memory that is about to be freed, if commands that are under way may use it; it then has
  // a user for as long. Returns whether it has noted it.
  static bool add(const Ref<memory::Allocation>& freed);

  void started(const Stream& stream, uint64_t number, const Operation& operation) override
      EXCLUDES(mutex_);

 private:
  struct Late {
    memory::Use memory;
    std::vector<exec::Edge> users;  // what may use it comes before these
    bool over() const;
  };

  Mutex mutex_;
  std::vector<Late> late_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
