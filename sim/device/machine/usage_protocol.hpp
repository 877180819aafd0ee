// SPDX-License-Identifier: Apache-2.0
// The query of libnvidia-ml.so.1 to the libcuda.so.1 of its process: how much of a device is used.
//
// The former finds the latter if the program has loaded it, and asks cuGetExportTable for the table
// with this identifier. Neither is linked to the other; both belong to one build.
//
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuvette::device {

struct Usage {
  size_t total;     // bytes that programs can allocate
  size_t used;      // of these, including what a context takes
  bool in_context;  // whether the process has a context on the device
};

struct UsageTable {
  size_t size = sizeof(UsageTable);
  // Writes what this process uses of the device at `index` among all of the machine. False if the
  // driver is not up, or the process does not see that device.
  bool (*usage)(unsigned index, Usage* usage) noexcept;
};

inline constexpr std::array<uint8_t, 16> usage_table_identifier = {
    'c', 'u', 'v', 'e', 't', 't', 'e', ' ', 'u', 's', 'a', 'g', 'e', ' ', '0', '1'};

}  // namespace cuvette::device
