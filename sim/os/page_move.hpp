// SPDX-License-Identifier: Apache-2.0
// Moves pages of a reservation from one file to another, while commands use them.
//
// Addresses and contents stay. Threads that write during the move fault, and the fault handler lets
// them wait and try again; readers are not held up. The handler must be in place (watch_faults())
// and the addresses watched.
//
// Threads: any; one move at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {

// Bytes of a segment, from `offset` on; a multiple of the page size.
struct SegmentPlace {
  Segment& segment;
  uint64_t offset;
};

// Moves what is mapped at [address, address + size), with a device's rights, from `from` to `to`,
// and gives the pages of `from` back to the machine. All are multiples of the page size. Other
// mappings of `from` show zeros there from now on. Errors: out_of_memory, operating_system; then
// nothing has moved.
Result<> move_pages(Reservation& reservation, uint64_t address, size_t size, SegmentPlace from,
                    SegmentPlace to);

namespace detail {
// For the fault handler, in a thread that may not write a page: waits if a move may be why. False
// if the thread has been here since the last move began, so that something else is wrong.
bool wait_for_move();
}  // namespace detail

}  // namespace cuvette::os
