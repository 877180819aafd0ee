// SPDX-License-Identifier: Apache-2.0
// The facts in reports about a command that uses memory which it must not use now.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "sim/check/report/report.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::check {

// A command, or a step of one.
struct MemoryUser {
  const device::Stream& stream;
  uint64_t number;  // of the command, in the stream
  const device::Operation& operation;
};

// Returns a report that says "The copy uses external memory at 0x..., " and `why`, with the facts
// about the command.
Report report_of_use(ReportId id, const MemoryUser& user, const memory::Allocation& memory,
                     memory::DevicePtr address, const std::string& why);

}  // namespace cuvette::check
