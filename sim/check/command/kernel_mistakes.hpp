// SPDX-License-Identifier: Apache-2.0
// Reports about what the threads of a watched kernel do wrong, each launch by itself: barriers and
// masks (CUVETTE_CHECK=sync), several addresses of one memory (CUVETTE_CHECK=aliases).
//
// Threads: any.
#pragma once

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
                      const watch::KernelWatch& watch) override;
};

}  // namespace cuvette::check
