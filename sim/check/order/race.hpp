// SPDX-License-Identifier: Apache-2.0
// RaceObserver: reports pairs of commands that touch the same memory, one of them writing, without
// anything that orders them. It does not depend on bad luck: one run finds every such pair, in
// whichever order they ran.
//
// A pair is found when the later of its commands is submitted, from the footprints and from what
// OrderObserver says. A kernel is watched while it runs, so what it touches is compared with other
// commands when it has run, and its threads with each other. It does not see pageable memory that a
// call reads.
//
// With CUVETTE_CHECK=host it also reports what the program's own threads do to pinned, registered
// and managed memory that a command may still use: see host_accesses.hpp. Either of the two checks
// can be had without the other.
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/kernel/launch_observer.hpp"
#include "sim/check/order/access_history.hpp"
#include "sim/check/order/host_accesses.hpp"
#include "sim/check/order/order_observer.hpp"
#include "sim/check/order/step_order.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/stream/observer.hpp"

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

class RaceObserver final : public device::Observer,
                           public watch::KernelObserver,
                           public OrderClient {
 public:
  RaceObserver();
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(order_.mutex);
  void kernel_watched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::KernelWatch& watch) override;
  void kernel_touched(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const device::KernelCall& call,
                      const watch::Footprint& footprint) override EXCLUDES(order_.mutex);
  void lent(const device::Stream& stream, const memory::Allocation& memory,
            const void* call_site) override EXCLUDES(order_.mutex);
  void given_back(const device::Stream& stream, const memory::Allocation& memory,
                  const void* call_site) override EXCLUDES(order_.mutex);
  void freed(const memory::Allocation& memory) override EXCLUDES(order_.mutex);

  void order_changes() override REQUIRES(order_.mutex) { look_at_host(); }
  void order_submitted(const device::Stream& stream, uint64_t number,
                       const device::Operation& operation, const Point& point) override
      REQUIRES(order_.mutex);
  void order_started(const device::Operation& operation) override REQUIRES(order_.mutex);
  void host_learnt() override REQUIRES(order_.mutex) { release_known(); }
  void report_found() override EXCLUDES(order_.mutex);

  // Reports what is left, at the end of the process.
  void process_ends(int status) EXCLUDES(order_.mutex);

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
      REQUIRES(order_.mutex);
  void touch(const device::Operation& operation, const Ref<const Access>& access, Launch* launch,
             Races& races) REQUIRES(order_.mutex);
  void touch_steps(const device::Stream& stream, const device::Steps& steps, const Source& launch,
                   Races& races) REQUIRES(order_.mutex);
  // Notes a kernel that is submitted.
  void begin_kernel(const device::Stream& stream, const device::Operation& operation,
                    const Running& kernel) REQUIRES(order_.mutex);
  // The launch of a graph is over: its kernels have ended, or its conditions have left them out.
  void forget_kernels(const device::Stream& stream, uint64_t number) REQUIRES(order_.mutex);
  Order order_of(const Access& known, const Access& added) const REQUIRES(order_.mutex);
  Races hand_over(const device::Stream& stream, const memory::Allocation& memory, const char* what,
                  const void* call_site) REQUIRES(order_.mutex);
  static void report(Races races);

  // Looks at what host threads have done since the last call; call it before the host learns
  // anything.
  void look_at_host() REQUIRES(order_.mutex);
  // Ends the holds of what the host knows to be over by now.
  void release_known() REQUIRES(order_.mutex);
  // Whether the program may see by this operation what came before it.
  void note_told(const device::Operation& operation, const Source& source) REQUIRES(order_.mutex);
  // Whether a host function that has not ended (`started`: and has begun) comes before the access.
  bool follows_host_call(const Access& access, bool started) const REQUIRES(order_.mutex);
  // Whether a host thread's access now is ordered with a command's.
  bool ordered_with_host(const Access& known) const REQUIRES(order_.mutex);
  void report_host_races() EXCLUDES(order_.mutex);

  OrderObserver& order_;
  AccessHistory history_ GUARDED_BY(order_.mutex);
  // Kernels that have not ended, by their operations.
  std::unordered_map<const device::Operation*, Running> running_ GUARDED_BY(order_.mutex);
  // The kernels among them that are steps of a graph, by the stream and number of its launch. A
  // graph that is done no longer says what its steps were.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<const device::Operation*>> kernels_of_graphs_
      GUARDED_BY(order_.mutex);
  HostAccesses host_ GUARDED_BY(order_.mutex);
  // Host functions that have not ended. Their accesses come before the work that follows them.
  struct HostCall {
    Point point;
    bool started;
  };
  std::unordered_map<const device::Operation*, HostCall> host_calls_ GUARDED_BY(order_.mutex);
  Races found_ GUARDED_BY(order_.mutex);  // by the submission, not reported yet
  // Found, but a running kernel may turn out to have informed the host.
  HostRaces undecided_ GUARDED_BY(order_.mutex);
};

}  // namespace cuvette::check
