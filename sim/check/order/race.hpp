// SPDX-License-Identifier: Apache-2.0
// RaceObserver: reports pairs of commands that touch the same memory, one of them writing, without
// anything that orders them. It does not depend on bad luck: one run finds every such pair, in
// whichever order they ran.
//
// A pair is found when the later of its commands is submitted, from the footprints and from what
// HappensBefore says. A kernel is watched while it runs, so what it touches is compared with other
// commands when it has run, and its threads with each other. It does not see pageable memory that a
// call reads.
//
// With CUVETTE_CHECK=host it also reports what the program's own threads do to pinned, registered
// and managed memory that a command may still use: see host_accesses.hpp. Either of the two checks
// can be had without the other.
//
// Threads: any.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/check/order/access_history.hpp"
#include "sim/check/order/happens_before.hpp"
#include "sim/check/order/host_accesses.hpp"
#include "sim/check/order/step_order.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/machine/observer.hpp"

namespace cuvette::check {

// Two accesses of the same bytes that nothing orders.
struct Race {
  Ref<const Access> later;
  bool later_writes;
  Conflict conflict;
  Ref<const memory::Allocation> allocation;  // the later one's; none: pageable memory
};

// Makes the report about it.
Report race_report(const Race& race);

class RaceObserver final : public device::Observer {
 public:
  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override EXCLUDES(mutex_);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex_);
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override;
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override EXCLUDES(mutex_);
  void waited_for(const device::Stream& stream, uint64_t number) override EXCLUDES(mutex_);
  void synchronising(const device::Context& context, device::Streams which) override
      EXCLUDES(mutex_);
  void synchronised(const device::Context& context, device::Streams which) override
      EXCLUDES(mutex_);
  void joined_context(const device::Stream& stream) override EXCLUDES(mutex_);
  void lent(const device::Stream& stream, const memory::Allocation& memory,
            const void* call_site) override EXCLUDES(mutex_);
  void given_back(const device::Stream& stream, const memory::Allocation& memory,
                  const void* call_site) override EXCLUDES(mutex_);
  void freed(const memory::Allocation& memory) override EXCLUDES(mutex_);
  void ended(const device::Stream& stream) override EXCLUDES(mutex_);
  bool wants_edges() const override { return true; }
  // Reports what is left, at the end of the process.
  void finish() EXCLUDES(mutex_);

 private:
  using Races = std::vector<Race>;
  using HostRaces = std::vector<HostRace>;
  // The steps of one launch of a graph, compared among themselves.
  struct Launch {
    explicit Launch(const device::Steps& steps) : order(steps) {}
    StepOrder order;
    AccessHistory history;
  };
  // A kernel that has not ended: its access, without what it touches.
  struct Running {
    Ref<const Access> access;
    std::shared_ptr<Launch> launch;  // that it is a step of, if any and if it is known
  };

  // Compares an access with all others, and remembers it.
  void add(const Ref<const Access>& access, const Ref<const memory::Allocation>& allocation,
           const memory::Region& region, bool writes, Launch* launch, Races& races)
      REQUIRES(mutex_);
  void touch(const device::Operation& operation, const Ref<const Access>& access, Launch* launch,
             Races& races) REQUIRES(mutex_);
  void touch_steps(const device::Stream& stream, const device::Steps& steps, const Source& launch,
                   Races& races) REQUIRES(mutex_);
  // Notes a kernel that is submitted.
  void begin_kernel(const device::Stream& stream, const device::Operation& operation,
                    const Running& kernel) REQUIRES(mutex_);
  void forget_kernels(const device::Steps& steps) REQUIRES(mutex_);
  Order order_of(const Access& known, const Access& added) const REQUIRES(mutex_);
  Races hand_over(const device::Stream& stream, const memory::Allocation& memory, const char* what,
                  const void* call_site) REQUIRES(mutex_);
  static void report(Races races);

  // Looks at what host threads have done since the last call; call it before the host learns
  // anything.
  void look_at_host() REQUIRES(mutex_);
  // Ends the holds of what the host knows to be over by now.
  void release_known() REQUIRES(mutex_);
  // Whether the program may see by this operation what came before it.
  void note_told(const device::Operation& operation, const Source& source) REQUIRES(mutex_);
  // Whether a host thread's access now is ordered with a command's.
  bool ordered_with_host(const Access& known) const REQUIRES(mutex_);
  void report_host_races() EXCLUDES(mutex_);

  Mutex mutex_;
  HappensBefore happens_ GUARDED_BY(mutex_);
  AccessHistory history_ GUARDED_BY(mutex_);
  // Kernels that have not ended, by their operations.
  std::unordered_map<const device::Operation*, Running> running_ GUARDED_BY(mutex_);
  HostAccesses host_ GUARDED_BY(mutex_);
  // Host functions that have not ended. Their accesses come before the work that follows them.
  struct HostCall {
    Point point;
    bool started;
  };
  std::unordered_map<const device::Operation*, HostCall> host_calls_ GUARDED_BY(mutex_);
  // Found, but a running kernel may turn out to have informed the host.
  HostRaces undecided_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
