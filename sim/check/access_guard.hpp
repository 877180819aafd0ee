// SPDX-License-Identifier: Apache-2.0
// The access guard: a host thread that dereferences device memory gets a report.
//
// Threads: any; the hook runs in the handler of the fault, in the thread that raised it.
#pragma once

#include "sim/check/report.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::check {

// What is said about a host thread's fault at an address of `memory`.
Report host_access(const os::MemoryFault& fault, const memory::AddressSpace& memory);

// Makes that report about the machine's memory, and says whether the thread goes on.
os::FaultAction on_host_fault(const os::MemoryFault& fault);

// Says that this machine has no guard, to who counts on it: a person at a terminal, a run that asks
// for the guard, or is judged by reports.
void say_if_unguarded();

}  // namespace cuvette::check
