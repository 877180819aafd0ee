// SPDX-License-Identifier: Apache-2.0
// MemoryPlace: where memory is, or should be, as a program names it.
#pragma once

#include <compare>

namespace cuvette::memory {

// A CUmemLocation.
struct MemoryPlace {
  // CUmemLocationType's numbers.
  enum Type : int { nowhere = 0, device = 1, host = 2, host_node = 3 };
  static constexpr int no_device = -2;  // CU_DEVICE_INVALID

  Type type = nowhere;
  int id = no_device;  // of a device, or a node; -1 for the host

  auto operator<=>(const MemoryPlace&) const = default;
};

}  // namespace cuvette::memory
