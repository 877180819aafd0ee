// SPDX-License-Identifier: Apache-2.0
// LateUses: memory that the program has freed without a wait, although commands that are under way
// use it.
//
// Other allocations may have taken and written such memory at any time since. In a run whose order
// is chosen (exec::Scheduler), these commands come later than the free, and must not find what they
// or others left there: each command that begins finds fresh content. Elsewhere nothing is noted.
//
// Threads: any.
#pragma once

#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::device {

class LateUses final : public Observer {
 public:
  // Notes memory that is freed while commands use it; it keeps its place until they have ended.
  static void add(const Ref<memory::Allocation>& freed);

  void started(const Stream& stream, uint64_t number, const Operation& operation) override
      EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::vector<Ref<memory::Allocation>> freed_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
