// SPDX-License-Identifier: Apache-2.0
// HostAccesses: what host threads do to memory that a command may still use, as far as the program
// can know.
//
// Pages of host memory are held (os/held_pages.hpp) from the submission of the command that uses
// them until the program knows that it is over; a kernel's, from its end on, because only then is
// it known what it has used. A page is held only if such commands together use all of its bytes, or
// all those that its allocation has there: see shared_pages.hpp.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/check/access_history.hpp"
#include "sim/check/clock.hpp"
#include "sim/check/report.hpp"
#include "sim/check/shared_pages.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/os/held_pages.hpp"
#include "sim/stream/operation.hpp"
#include "sim/watch/footprint.hpp"

namespace cuvette::check {

// A host thread's access and the command that it meets.
struct HostRace {
  memory::DevicePtr address;
  bool writes;
  const void* place;  // in the program
  Ref<const Access> command;
  bool command_writes;
  Ref<const memory::Allocation> allocation;
};
Report host_race_report(const HostRace& race);

bool looks_at_host();  // CUVETTE_CHECK=host

// Whether a host thread that touches the same memory makes a mistake. Operations of other kinds
// tell the host something, or wait for it to say something.
bool meets_host(const device::Operation& operation);
// Whether the program may see by it that what came before it is over.
bool tells_others(const device::Operation& operation);
// Whether a kernel has used memory of the host in a way that host threads may wait for.
bool touches_flags(const std::vector<watch::Touched>& all);

class HostAccesses {
 public:
  // Whether it is memory that is looked after here.
  static bool concerns(const memory::Allocation& allocation);

  // Notes what a command uses; its pages are held from the next settle() on.
  void add(const Ref<const Access>& access, const Ref<const memory::Allocation>& allocation,
           const memory::Region& region, bool writes);
  void settle() { shared_.settle(); }
  // Ends the holds of commands that are known to be over.
  using Known = std::function<bool(const Point&)>;
  void release(const Known& known);

  // The program may find out, by ways that cannot be seen, that the source and what comes before it
  // are over: it writes to a flag, or signals somebody else.
  void told_by(const Source& source);
  bool may_know(const HappensBefore& happens, const Point& point) const;

  // Returns where in the program a touch comes from; null if the library itself did it.
  static const void* place_of(const os::HeldTouch& touch);

 private:
  // Whole pages, or one that is shared.
  struct Hold {
    Point point;
    uint64_t begin, end;
    os::HeldFor what;
    bool shared;
  };
  void add_bytes(const SharedPages::Part& bytes);
  void add_hold(const Hold& hold);
  bool may_be_protected(const memory::Allocation& allocation);

  // Of each stream, by the position of the command.
  std::unordered_map<uint64_t, std::deque<Hold>> holds_;
  SharedPages shared_;
  std::unordered_map<uint64_t, bool> registered_;  // by buffer: whether its pages can be written
  Clock told_;
  std::unordered_map<uint64_t, uint64_t> told_in_;  // by stream: up to that position
};

}  // namespace cuvette::check
