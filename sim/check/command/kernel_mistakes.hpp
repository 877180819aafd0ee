// SPDX-License-Identifier: Apache-2.0
// Reports about what the threads of a watched kernel do wrong, each launch by itself: barriers and
// masks (CUVETTE_CHECK=sync), several addresses of one memory (CUVETTE_CHECK=aliases).
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

Report meeting_report(const LaunchedKernel& kernel, const watch::MeetingMistake& mistake);
Report alias_report(const LaunchedKernel& kernel, const watch::AliasMistake& mistake);

class KernelMistakeObserver final : public device::Observer, public watch::KernelObserver {
 public:
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override EXCLUDES(mutex_);
  void kernel_faulted(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const exec::GridFault& fault) override
      EXCLUDES(mutex_);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);

 private:
  // Threads that others wait for in vain: reported once it is known that no fault has ended them.
  struct Absence {
    Report report;
    const void* place;
    uint32_t block[3];
  };
  std::vector<Absence> take(const device::Stream& stream, uint64_t number) EXCLUDES(mutex_);

  Mutex mutex_;
  // By the stream and the number of the command.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Absence>> absences_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
