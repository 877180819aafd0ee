// SPDX-License-Identifier: Apache-2.0
// The access guard: a host thread that dereferences device memory gets a report.
//
// Threads: any; the hook runs in the handler of the fault, in the thread that raised it.
#pragma once

#include "sim/check/report/report.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::check {

// Makes the report about a host thread's fault at an address of `memory`.
Report host_access(const os::MemoryFault& fault, const memory::AddressSpace& memory);

// Reports a fault at an address of the machine's memory, and decides whether the thread goes on.
os::FaultAction on_host_fault(const os::MemoryFault& fault);

// Whether a host thread that dereferences device memory is stopped. That needs protection keys in
// processor and kernel, one of which must be free, or CUVETTE_CHECK=host; and CUVETTE_HOST_ACCESS
// must not be `allow`.
bool guards_host_access();

// Says on stderr that host threads are not stopped.
void say_if_unguarded();

}  // namespace cuvette::check
