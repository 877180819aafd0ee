// SPDX-License-Identifier: Apache-2.0
// How much a process uses of each device.
//
// Threads: any; plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/os/process_identity.hpp"

namespace cuvette::processes {

struct DeviceUse {
  std::array<uint8_t, 16> uuid{};
  std::string model;
  unsigned index = 0;  // among all devices of the process's machine
  bool in_context = false;
  uint64_t total = 0;    // bytes that programs can allocate
  uint64_t used = 0;     // of these, including what a context takes
  uint64_t streams = 0;  // those of contexts included
  uint64_t pending = 0;  // commands that are not completed
  std::string kernel;    // one that runs now; empty if none does

  bool operator==(const DeviceUse&) const = default;
};

struct Process {
  os::ProcessIdentity identity;
  os::Sight sight = os::Sight::hidden;
  bool current = false;  // it has answered the reader, and has not only left what it said before
  std::string program;   // its file
  std::vector<DeviceUse> devices;
};

}  // namespace cuvette::processes
