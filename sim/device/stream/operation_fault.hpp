// SPDX-License-Identifier: Apache-2.0
// What happens when an operation touches memory that is not there.
//
// Threads: those that run operations.
#pragma once

#include "sim/device/machine/operation.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {

// Tells the observers, and then gives the context its error: a program that sees the error and ends
// at once has been told why.
void report_fault(OperationRunner& runner, const Operation& operation,
                  const os::MemoryFault& fault);

// Makes our handler of SIGBUS the first one. Call it before an operation touches memory whose file
// another process can shrink, since that raises SIGBUS.
void watch_lost_pages();

}  // namespace cuvette::device
