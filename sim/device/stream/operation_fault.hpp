// SPDX-License-Identifier: Apache-2.0
// Handles an operation's access to memory that is not there.
//
// Threads: any that run operations.
#pragma once

#include "sim/device/stream/operation.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {

// Notifies the observers, and then gives the context its error, so that a program which sees the
// error and ends at once has already got the report.
void report_fault(OperationRunner& runner, const Operation& operation,
                  const os::MemoryFault& fault);

// Makes our handler of SIGBUS the first one. Call it before an operation touches memory in a file
// that another process can shrink, since that raises SIGBUS.
void watch_lost_pages();

}  // namespace cuvette::device
