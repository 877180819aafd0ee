// SPDX-License-Identifier: Apache-2.0
#include "sim/os/device_access.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "sim/os/process.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"
#include "tests/sim/os/may_read.hpp"

namespace cuvette::os {
namespace {

class DeviceAccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!set_up_device_key()) GTEST_SKIP() << "This processor or kernel has no protection keys.";
    ASSERT_TRUE(range_.map(range_.begin(), *segment_, 0, 4096).ok());
    {
      const DeviceAccess access;
      *reinterpret_cast<char*>(range_.begin()) = 1;
    }
  }
  Reservation range_ = Reservation::reserve(1 << 30, 1 << 30).value();
  Ref<Segment> segment_ = Segment::create("test", 4096).value();
};

TEST_F(DeviceAccessTest, HostThreadsAreDenied) {
  EXPECT_FALSE(may_read(range_.begin()));
  std::thread([this] { EXPECT_FALSE(may_read(range_.begin())); }).join();
}

TEST_F(DeviceAccessTest, ACommandMayAndLeavingDenies) {
  {
    const DeviceAccess access;
    EXPECT_TRUE(may_read(range_.begin()));
  }
  EXPECT_FALSE(may_read(range_.begin()));
}

TEST_F(DeviceAccessTest, AThreadStartedByACommandIsDenied) {
  const DeviceAccess access;
  start_thread("test", [this] { EXPECT_FALSE(may_read(range_.begin())); }).join();
}

TEST_F(DeviceAccessTest, OtherKeysKeepTheirRights) {
  const uint32_t before = detail::read_pkru();
  { const DeviceAccess access; }
  EXPECT_EQ(detail::read_pkru(), before | detail::device_key_bits);
}

TEST(DeviceAccess, WithoutAKeyDoesNothing) {
  if (set_up_device_key()) GTEST_SKIP() << "This processor has protection keys.";
  const DeviceAccess access;
  EXPECT_FALSE(has_device_key());
  EXPECT_EQ(detail::device_key_bits, 0u);
}

}  // namespace
}  // namespace cuvette::os
