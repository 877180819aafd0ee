// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/identity.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cuvette::device {
namespace {

const Profile& h200() { return *find_profile("h200"); }

TEST(Identity, IsTheSameEachTimeAndDiffersBetweenDevices) {
  std::set<std::string> uuids, addresses;
  for (int index = 0; index < 16; ++index) {
    EXPECT_EQ(identity(h200(), index).uuid, identity(h200(), index).uuid);
    uuids.insert(to_string(identity(h200(), index).uuid));
    addresses.insert(to_string(identity(h200(), index).pci));
  }
  EXPECT_EQ(uuids.size(), 16u);
  EXPECT_EQ(addresses.size(), 16u);
  EXPECT_EQ(*addresses.begin(), "0000:00:06.0");
}

// The UUID is part of the interface: changing it breaks scripts that name it in
// CUDA_VISIBLE_DEVICES.
TEST(Identity, KeepsItsUuidFromVersionToVersion) {
  EXPECT_EQ(to_string(identity(h200(), 0).uuid), "GPU-1e6daab2-d71a-85ba-9670-37285162971f");
  EXPECT_EQ(to_string(identity(h200(), 1).uuid), "GPU-737c11ce-6732-80a0-b263-317771478f33");
}

TEST(Identity, AnswersTheAttributesThatTellDevicesApart) {
  const Identity third = identity(h200(), 2);
  EXPECT_EQ(attribute(h200(), third, 2, static_cast<int>(Attribute::PCI_DEVICE_ID)), 8);
  EXPECT_EQ(attribute(h200(), third, 2, static_cast<int>(Attribute::PCI_BUS_ID)), 0);
  EXPECT_EQ(attribute(h200(), third, 2, static_cast<int>(Attribute::MULTI_GPU_BOARD_GROUP_ID)), 2);
  EXPECT_EQ(attribute(h200(), third, 2, static_cast<int>(Attribute::WARP_SIZE)), 32);
  EXPECT_EQ(attribute(h200(), third, 2, 148), std::nullopt);
}

TEST(ParsePciAddress, TakesTheFormsThatTheDriverTakes) {
  const PciAddress place{0, 0, 6, 0};
  for (const char* text : {"0000:00:06.0", "00:06.0", "0000:00:06", "00000000:00:06.0",
                           "0000:00:06.0x", " 0000:00:06.0", "0:0:6.0"})
    EXPECT_EQ(parse_pci_address(text), place) << text;
  EXPECT_EQ(parse_pci_address("0001:fF:1f.7"), (PciAddress{1, 255, 31, 7}));
}

TEST(ParsePciAddress, RefusesWhatTheDriverRefuses) {
  for (const char* text : {"", "zz", "00:06", "6", "0000:"})
    EXPECT_EQ(parse_pci_address(text), std::nullopt) << text;
}

}  // namespace
}  // namespace cuvette::device
