// SPDX-License-Identifier: Apache-2.0
// FaultObserver: reports commands that touched memory that does not exist.
//
// Threads: any.
#pragma once

#include <string>

#include "sim/check/report/report.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::check {

// The facts about the command that faulted.
struct FaultedCommand {
  std::string stream;  // in words
  uint64_t number;     // in the stream
  std::string what;    // "copy"
  const void* call_site;
};

// Makes the report about a command's fault: lost_memory if the file of an external mapping has
// shrunk, else illegal_address.
Report command_fault(const os::MemoryFault& fault, const FaultedCommand& command,
                     const memory::AddressSpace& memory);

class FaultObserver final : public device::Observer {
 public:
  void faulted(const device::Stream& stream, uint64_t number, const device::Operation& operation,
               const os::MemoryFault& fault) override;
  // Notes with what its memory ends.
  void context_ending(const device::Context& context) override;
};

}  // namespace cuvette::check
