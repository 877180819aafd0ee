// SPDX-License-Identifier: Apache-2.0
// The results are those of NVIDIA's driver 580.159.04 with two H200s, except where it says
// otherwise.
#include "sim/device/model/visible_devices.hpp"

#include <gtest/gtest.h>

namespace cuvette::device {
namespace {

using Indices = std::vector<int>;

std::array<uint8_t, 16> uuid_of(uint64_t high, uint64_t low) {
  std::array<uint8_t, 16> uuid;
  for (int i = 0; i < 8; ++i) {
    uuid[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
    uuid[8 + i] = static_cast<uint8_t>(low >> (56 - 8 * i));
  }
  return uuid;
}

// Two devices of the same model.
const std::vector<Identity> two = {
    {uuid_of(0xd98a71426e2b82b6, 0xd127cefcdfe07053), {0, 0, 6, 0}, 1},
    {uuid_of(0x1004b1d018e562a7, 0x4304a06927d4e25c), {0, 0, 7, 0}, 1},
};
const std::string A = to_string(two[0].uuid);
const std::string B = to_string(two[1].uuid);

Indices seen(std::string_view list) {
  auto result = visible_devices(list, "FASTEST_FIRST", two);
  EXPECT_TRUE(result.ok()) << list;
  return result.ok() ? result.value() : Indices{-1};
}

bool refused(std::string_view list) {
  auto result = visible_devices(list, "FASTEST_FIRST", two);
  return !result.ok() && result.error() == Error::invalid_device;
}

TEST(VisibleDevices, AreAllWhereTheVariableIsNotSet) {
  EXPECT_EQ(visible_devices(std::nullopt, "FASTEST_FIRST", two).value(), (Indices{0, 1}));
  EXPECT_EQ(visible_devices(std::nullopt, "FASTEST_FIRST", {}).value(), Indices{});
}

TEST(VisibleDevices, AreNoneForAListThatNamesNone) {
  for (const char* list :
       {"", " ", "-1", "2", ",0", "abc", "NoDevFiles", "none", "all", "GPU", "GPU-", "MIG-0",
        "GPU-zz", "18446744073709551616", "99999999999999999999"})
    EXPECT_EQ(seen(list), Indices{}) << list;
}

TEST(VisibleDevices, ComeInTheOrderOfTheList) {
  EXPECT_EQ(seen("0"), Indices{0});
  EXPECT_EQ(seen("1"), Indices{1});
  EXPECT_EQ(seen("1,0"), (Indices{1, 0}));
  EXPECT_EQ(seen(B + "," + A), (Indices{1, 0}));
}

TEST(VisibleDevices, EndAtTheFirstInvalidEntry) {
  for (const char* list : {"0,-1,1", "0,2,1", "0,", "0,,1", "0,MIG-1", "0,5,0", "0,-1,0"})
    EXPECT_EQ(seen(list), Indices{0}) << list;
  EXPECT_EQ(seen(B + ",GPU-zz," + A), Indices{1});
  EXPECT_EQ(seen("GPU-zz," + A), Indices{});
}

TEST(VisibleDevices, ReadOrdinalsAsStrtoulDoes) {
  for (const char* list : {"01", "+1", "\t1", "1\n", "1gpu", "1.5", "4294967297"})
    EXPECT_EQ(seen(list), Indices{1}) << list;
  for (const char* list : {"0 1", "0;1", "0x1", "-0", "4294967296"})
    EXPECT_EQ(seen(list), Indices{0}) << list;
  EXPECT_EQ(seen(" 1 , 0 "), (Indices{1, 0}));
  EXPECT_EQ(seen("0x,1"), (Indices{0, 1}));
}

TEST(VisibleDevices, AreFoundByTheBeginningOfTheirUuid) {
  for (const char* list :
       {"GPU-d", "GPU-d98a7142", "GPU-D98A7142-6E2B-82B6-D127-CEFCDFE07053",
        "GPU-d98a71426e2b82b6d127cefcdfe07053", "GPU-d98a7142-6e2b-82b6-d127-cefcdfe0705"})
    EXPECT_EQ(seen(list), Indices{0}) << list;
  EXPECT_EQ(seen(A + "0"), Indices{0});
  EXPECT_EQ(seen(A + " ," + B), (Indices{0, 1}));
  EXPECT_EQ(seen(A + ", " + B), Indices{0});
  EXPECT_EQ(seen(" " + A), Indices{});
  EXPECT_EQ(seen(A.substr(4)), Indices{});
  EXPECT_EQ(seen("gpu-" + A.substr(4)), Indices{});
}

// Without MIG, the driver accepts the GPU's UUID as that of its only instance.
TEST(VisibleDevices, AreFoundByMig) {
  EXPECT_EQ(seen("MIG-" + A.substr(4)), Indices{0});
  EXPECT_EQ(seen("MIG-" + A + "/0/0"), Indices{});
}

TEST(VisibleDevices, AreNamedInOneWayInAList) {
  EXPECT_EQ(seen("1," + A), Indices{1});
  EXPECT_EQ(seen("0," + A), Indices{0});
  EXPECT_EQ(seen(A + ",1"), Indices{0});
  EXPECT_EQ(seen(A + ",0"), Indices{0});
}

TEST(VisibleDevices, MayNotBeNamedTwice) {
  for (const char* list : {"0,0", "0,1,0", "1,1,0", "0,1,1", "0,0,5"})
    EXPECT_TRUE(refused(list)) << list;
  EXPECT_TRUE(refused(A + "," + A));
  EXPECT_TRUE(refused(A + ",GPU-d"));
}

TEST(VisibleDevices, KnowTwoOrdersByTheirExactNames) {
  for (const char* order : {"FASTEST_FIRST", "PCI_BUS_ID"})
    EXPECT_EQ(visible_devices("1", order, two).value(), Indices{1}) << order;
  for (const char* order : {"pci_bus_id", "", "junk"})
    EXPECT_EQ(visible_devices(std::nullopt, order, two).error(), Error::invalid_device) << order;
}

// Taken from the documentation: with only two, identical GPUs these could not be observed.
TEST(VisibleDevices, FollowTheDocumentationElsewhere) {
  const std::vector<Identity> three = {
      {uuid_of(0xab00, 1), {0, 3, 0, 0}, 25},
      {uuid_of(0xab00, 2), {0, 1, 0, 0}, 30},
      {uuid_of(0xcd00, 3), {0, 2, 0, 0}, 20},
  };
  EXPECT_EQ(visible_devices(std::nullopt, "FASTEST_FIRST", three).value(), (Indices{1, 0, 2}));
  EXPECT_EQ(visible_devices(std::nullopt, "PCI_BUS_ID", three).value(), (Indices{1, 2, 0}));
  EXPECT_EQ(visible_devices("2,0", "PCI_BUS_ID", three).value(), (Indices{0, 1}));
  EXPECT_EQ(visible_devices("GPU-000000000000cd", "PCI_BUS_ID", three).value(), Indices{2});
  EXPECT_EQ(visible_devices("GPU-000000000000ab", "PCI_BUS_ID", three).value(), Indices{})
      << "more than one UUID begins so";
}

}  // namespace
}  // namespace cuvette::device
