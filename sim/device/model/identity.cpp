// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/identity.hpp"

#include <cstdio>

#include "sim/base/hash.hpp"

namespace cuvette::device {

Identity identity(const Profile& profile, int index) {
  Identity identity;
  uint64_t low = 0;
  for (char letter : profile.key) low = split_mix(low ^ static_cast<uint8_t>(letter));
  low = split_mix(low ^ (static_cast<uint64_t>(index) << 8));
  const uint64_t high = split_mix(low);
  for (int i = 0; i < 8; ++i) {
    identity.uuid[i] = static_cast<uint8_t>(low >> (8 * i));
    identity.uuid[8 + i] = static_cast<uint8_t>(high >> (8 * i));
  }
  // RFC 9562: version 8 (our own scheme), variant 2.
  identity.uuid[6] = (identity.uuid[6] & 0x0f) | 0x80;
  identity.uuid[8] = (identity.uuid[8] & 0x3f) | 0x80;

  // A bus has 32 places, so 16 devices need no second bus, although they begin at place 6.
  identity.pci.domain = profile.value(Attribute::PCI_DOMAIN_ID);
  identity.pci.bus = profile.value(Attribute::PCI_BUS_ID);
  identity.pci.device = profile.value(Attribute::PCI_DEVICE_ID) + index;

  identity.speed = static_cast<uint64_t>(profile.value(Attribute::MULTIPROCESSOR_COUNT)) *
                   static_cast<uint64_t>(profile.value(Attribute::CLOCK_RATE));
  return identity;
}

std::optional<int> attribute(const Profile& profile, const Identity& identity, int index,
                             int number) {
  switch (static_cast<Attribute>(number)) {
    case Attribute::PCI_DOMAIN_ID:
      return identity.pci.domain;
    case Attribute::PCI_BUS_ID:
      return identity.pci.bus;
    case Attribute::PCI_DEVICE_ID:
      return identity.pci.device;
    // Measured, not documented: two H200s of one host answer that each has its own group.
    case Attribute::MULTI_GPU_BOARD_GROUP_ID:
      return index;
    default:
      return profile.attribute(number);
  }
}

std::string to_string(const PciAddress& address) {
  char text[32];
  snprintf(text, sizeof text, "%04x:%02x:%02x.%x", address.domain, address.bus, address.device,
           address.function);
  return text;
}

std::string to_string(const std::array<uint8_t, 16>& uuid) {
  std::string text = "GPU-";
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[uuid[i] >> 4];
    text += "0123456789abcdef"[uuid[i] & 15];
  }
  return text;
}

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  const std::string copy(text);
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (sscanf(copy.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) < 3) {
    domain = 0;
    if (sscanf(copy.c_str(), "%x:%x.%x", &bus, &device, &function) != 3) return std::nullopt;
  }
  return PciAddress{static_cast<int>(domain), static_cast<int>(bus), static_cast<int>(device),
                    static_cast<int>(function)};
}

}  // namespace cuvette::device
