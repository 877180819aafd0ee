// SPDX-License-Identifier: Apache-2.0
// Needs: what the checks of this process ask of the rooms that they observe.
//
// Computed once, where checks attach (sim/check), and handed down with the machine's options and
// with each program that is loaded: no room below sim/check asks which checks there are.
// Threads: a value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette {

class Needs {
 public:
  enum Kind : uint16_t {
    // Observers learn which bytes each launch has touched.
    footprints = 1 << 0,
    // Kernels are compiled in the watched form: each access is told to the launch's watch.
    accesses = 1 << 1,
    // With `accesses`: registers are followed that hold memory which has not been written.
    taint = 1 << 2,
    // With `accesses`: barriers and masks are compared with their rules.
    meetings = 1 << 3,
    // With `accesses`: memory that has several addresses is known.
    aliases = 1 << 4,
    // Kernels touch what is allocated and nothing else, so there are gaps between allocations, and
    // stay inside their variables.
    bounds = 1 << 5,
    // Accesses of host threads are seen: on machines without protection keys, too, and a launch
    // returns when its kernel has ended, if that is soon.
    host_threads = 1 << 6,
    // The Vulkan layer is asked which memory Vulkan owns.
    owners = 1 << 7,
    // Places of the program are whole stacks of calls, and why a call was refused is kept.
    stacks = 1 << 8,
    // Kernels count what they execute and access: CUVETTE_PROFILE.
    counts = 1 << 9,
  };

  constexpr Needs() = default;
  constexpr explicit Needs(unsigned kinds) : kinds_(kinds) {}

  constexpr bool has(Kind kind) const { return kinds_ & kind; }
  // Each launch is watched, leaves tracks, or is counted.
  constexpr bool launches() const { return has(footprints) || has(accesses) || has(counts); }
  // Kernels run in the plain form and leave tracks, from which the footprint is made.
  constexpr bool tracks() const { return has(footprints) && !has(accesses); }
  // Bytes after each allocation that belong to none, so that an access past its end is noticed.
  constexpr size_t gap() const { return has(bounds) ? 512 : 0; }

  constexpr Needs& operator|=(Needs other) {
    kinds_ |= other.kinds_;
    return *this;
  }
  constexpr bool operator==(const Needs&) const = default;

 private:
  unsigned kinds_ = 0;
};

}  // namespace cuvette
