// SPDX-License-Identifier: Apache-2.0
// An Identity distinguishes the devices of a machine: a UUID and its place on the PCI bus.
//
// Threads: any; plain values.
//
// Invariant: it depends on nothing but the profile and the device's index, so another process, or a
// run tomorrow, sees the same devices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/device/model/profile.hpp"

namespace cuvette::device {

struct PciAddress {
  int domain = 0;
  int bus = 0;
  int device = 0;
  int function = 0;

  auto operator<=>(const PciAddress&) const = default;
};

struct Identity {
  std::array<uint8_t, 16> uuid{};
  PciAddress pci;
  uint64_t speed = 0;  // relative: CUDA_DEVICE_ORDER=FASTEST_FIRST sorts by it
};

// Returns the identity of the device at `index` (before CUDA_VISIBLE_DEVICES), which has this
// profile.
Identity identity(const Profile& profile, int index);

// Returns what cuDeviceGetAttribute answers for device `index` with `identity`; nothing where CUDA
// has no such attribute.
std::optional<int> attribute(const Profile& profile, const Identity& identity, int index,
                             int number);

// Returns "0000:00:06.0" and the like.
std::string to_string(const PciAddress& address);

// Returns "GPU-" and the UUID in the usual form.
std::string to_string(const std::array<uint8_t, 16>& uuid);

// Reads "[domain:]bus:device.[function]" as CUDA's driver does: it skips white space
// before the address and ignores what follows it. The function may be missing where the domain is
// given. Returns nothing for other texts.
std::optional<PciAddress> parse_pci_address(std::string_view text);

}  // namespace cuvette::device
