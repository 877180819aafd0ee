// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/virtual_memory.hpp"

#include <gtest/gtest.h>

#include "sim/memory/address_space.hpp"
#include "tests/sim/memory/sizes.hpp"

namespace cuvette::memory {
namespace {

constexpr size_t large_granule = VirtualMemory::granularity;

class VirtualMemoryTest : public ::testing::Test {
 protected:
  // Maps memory of device 0 at the large_granule with this number.
  void map(size_t number) {
    auto physical = space_->create_physical({0, {MemoryPlace::device, 0}}, large_granule).value();
    ASSERT_TRUE(space_->map_physical(at(number), large_granule, std::move(physical), {}).ok());
  }
  DevicePtr at(size_t number) const { return begin_ + number * large_granule; }
  Result<> set(size_t number, size_t count, std::map<unsigned, Access> devices,
               std::optional<Access> host = {}) {
    return memory_.set_access(at(number), count * large_granule, {std::move(devices), host});
  }
  bool narrows(size_t number, size_t count, std::map<unsigned, Access> devices) {
    return memory_.narrows(at(number), count * large_granule, {std::move(devices), {}}).value();
  }
  // What the pages allow: the strongest right of a device.
  Access access(size_t number) const { return space_->find(at(number))->access.load(); }

  std::unique_ptr<AddressSpace> space_ =
      AddressSpace::create({{1 * GiB, 1 * GiB}, Fill::edges}).value();
  VirtualMemory& memory_ = space_->virtual_memory();
  const DevicePtr begin_ = memory_.reserve(4 * large_granule, 0).value();
};

TEST_F(VirtualMemoryTest, EachDeviceHasItsRights) {
  map(0);
  EXPECT_EQ(memory_.right_of(0, at(0)), Access::none);
  ASSERT_TRUE(set(0, 1, {{0, Access::read_write}, {1, Access::read}}).ok());
  EXPECT_EQ(memory_.right_of(0, at(0)), Access::read_write);
  EXPECT_EQ(memory_.right_of(1, at(0) + large_granule - 1), Access::read);
  EXPECT_EQ(memory_.right_of(2, at(0)), Access::none);
  EXPECT_EQ(access(0), Access::read_write) << "the strongest";
  ASSERT_TRUE(set(0, 1, {{0, Access::none}}).ok());
  EXPECT_EQ(memory_.right_of(0, at(0)), Access::none);
  EXPECT_EQ(memory_.right_of(1, at(0)), Access::read);
  EXPECT_EQ(access(0), Access::read);
}

TEST_F(VirtualMemoryTest, RightsOfTheHostLeaveThoseOfDevices) {
  map(0);
  ASSERT_TRUE(set(0, 1, {{1, Access::read}}).ok());
  ASSERT_TRUE(set(0, 1, {}, Access::read_write).ok());
  EXPECT_EQ(memory_.right_of(1, at(0)), Access::read);
  EXPECT_EQ(access(0), Access::read);
  EXPECT_EQ(space_->find(at(0))->host_access.load(), Access::read_write);
}

TEST_F(VirtualMemoryTest, EachMappingOfARangeKeepsItsRights) {
  map(0), map(1);
  ASSERT_TRUE(set(1, 1, {{1, Access::read_write}}).ok());
  ASSERT_TRUE(set(0, 2, {{0, Access::read}}).ok());
  EXPECT_EQ(memory_.right_of(1, at(0)), Access::none);
  EXPECT_EQ(memory_.right_of(1, at(1)), Access::read_write);
  EXPECT_EQ(access(0), Access::read);
  EXPECT_EQ(access(1), Access::read_write);
}

TEST_F(VirtualMemoryTest, NarrowsWhatADeviceCouldDo) {
  map(0), map(1);
  ASSERT_TRUE(set(0, 2, {{0, Access::read_write}}).ok());
  EXPECT_FALSE(narrows(0, 2, {}));
  EXPECT_FALSE(narrows(0, 2, {{1, Access::read}}));
  EXPECT_TRUE(narrows(0, 2, {{0, Access::read}}));
  ASSERT_TRUE(set(1, 1, {{1, Access::read_write}}).ok());
  EXPECT_TRUE(narrows(1, 1, {{0, Access::none}})) << "though device 1 still writes";
  EXPECT_FALSE(narrows(0, 1, {{1, Access::none}})) << "it had no right";
  EXPECT_TRUE(narrows(0, 2, {{1, Access::read}})) << "to the second";
}

TEST_F(VirtualMemoryTest, RightsEndWithTheMapping) {
  map(0);
  ASSERT_TRUE(set(0, 1, {{0, Access::read_write}}).ok());
  ASSERT_TRUE(memory_.unmap(at(0), large_granule).ok());
  EXPECT_EQ(memory_.right_of(0, at(0)), Access::none);
  map(0);
  EXPECT_EQ(memory_.right_of(0, at(0)), Access::none);
  EXPECT_EQ(access(0), Access::none);
}

TEST_F(VirtualMemoryTest, ThereAreNoRightsWhereNothingIsMapped) {
  map(1);
  ASSERT_TRUE(set(1, 1, {{0, Access::read}}).ok());
  for (const DevicePtr address : {at(0), at(1) - 1, at(2), at(4), DevicePtr{0}})
    EXPECT_EQ(memory_.right_of(0, address), Access::none) << address - begin_;
  EXPECT_EQ(set(0, 2, {{0, Access::read}}).error(), Error::invalid_value);
}

}  // namespace
}  // namespace cuvette::memory
