// SPDX-License-Identifier: Apache-2.0
// HostAccesses: what host threads do to memory that a command may still use, as far as the program
// can know.
//
// Pages of host memory are held (os/held_pages.hpp) from the submission of the command that uses
// them until the program knows that it is over; a kernel's, from its end on, because only then is
// it known what it has used. A page is held only if such commands together use all of its bytes, or
// all the bytes that its allocation has there: see shared_pages.hpp. For other pages, and pageable
// memory, the bytes that commands read are compared with their earlier content: see
// host_snapshots.hpp.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/check/kernel/footprint.hpp"
#include "sim/check/order/access_history.hpp"
#include "sim/check/order/clock.hpp"
#include "sim/check/order/host_snapshots.hpp"
#include "sim/check/order/shared_pages.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/os/held_pages.hpp"

namespace cuvette::check {

// A host thread's access and the command that it meets.
struct HostRace {
  memory::DevicePtr address;
  bool writes;
  const void* place;  // in the program; null: not known
  Ref<const Access> command;
  bool command_writes;
  Ref<const memory::Allocation> allocation;  // none: pageable memory
  const void* found_at = nullptr;            // the call that found it, where the place is not known
  bool exclusive = false;                    // the command need not use the memory
};
Report host_race_report(const HostRace& race);

bool looks_at_host();  // CUVETTE_CHECK=host

// Whether a host thread that touches the same memory makes a mistake. Operations of other kinds
// send the host a signal, or wait for one from it.
bool meets_host(const device::Operation& operation);
// Whether the program may see by it that what came before it is over.
bool tells_others(const device::Operation& operation);
// Whether a kernel has used memory of the host in a way that host threads may wait for.
bool touches_flags(const std::vector<watch::Touched>& all);

class HostAccesses {
 public:
  // Whether it is memory that is looked after here.
  static bool concerns(const memory::Allocation& allocation);

  // Notes what a command uses; its pages are held from the next settle() on. `steady`: nothing that
  // is pending changes these bytes, so what it reads can be compared later.
  void add(const Ref<const Access>& access, const Ref<const memory::Allocation>& allocation,
           const memory::Region& region, bool writes, bool steady);
  void settle() { shared_.settle(); }
  // The same for pageable memory that an asynchronous copy uses.
  void add_pageable(const Ref<const Access>& access, const memory::Region& region, bool writes);
  // A kernel is submitted. On a device without concurrent access, all managed memory is its own
  // until the program knows that it is over, unless that is attached to something.
  void add_exclusive(const Ref<const Access>& kernel);
  // Returns the latest of these kernels that is not `ordered` with a touch of the memory now; null
  // if there is none.
  Ref<const Access> exclusive_user(const memory::Allocation& allocation,
                                   const std::function<bool(const Access&)>& ordered) const;
  // A command writes there, whether it meets the host or not.
  void written(const memory::Region& region);
  // Commands may have written anywhere.
  void written_anywhere() { snapshots_.clear(); }
  // Ends the holds of commands that are known to be over, and returns what host threads have
  // changed under them where nothing could be held.
  using Known = std::function<bool(const Point&)>;
  std::vector<HostSnapshots::Change> release(const Known& known);

  // The program may find out, by ways that cannot be seen, that the source and what comes before it
  // are over: it writes to a flag, or signals another process.
  void told_by(const Source& source);
  bool may_know(const HappensBefore& happens, const Point& point) const {
    return happens.host_knows(point) || may_be_told(happens, point);
  }
  bool may_be_told(const HappensBefore& happens, const Point& point) const;

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
  struct Part : SharedPages::Part {
    const Ref<const Access>& access;
    bool steady;
  };
  void add_bytes(const Part& bytes);
  void add_hold(const Hold& hold);
  bool may_be_protected(const memory::Allocation& allocation);

  // Of each stream, by the position of the command.
  std::unordered_map<uint64_t, std::deque<Hold>> holds_;
  SharedPages shared_;
  HostSnapshots snapshots_;
  // Pageable memory that copies write which are not known to be over.
  struct PageableWrite {
    Point point;
    uint64_t begin, end;
  };
  std::vector<PageableWrite> pageable_writes_;
  // Kernels that have managed memory to themselves: what was there when they were submitted.
  struct Exclusive {
    Ref<const Access> kernel;
    uint64_t newest;  // buffer_id
  };
  std::vector<Exclusive> exclusive_;
  std::unordered_map<uint64_t, bool> registered_;  // by buffer: whether its pages can be written
  Clock told_;
  std::unordered_map<uint64_t, uint64_t> told_in_;  // by stream: up to that position
};

}  // namespace cuvette::check
