// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/device_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "sim/os/device_access.hpp"
#include "sim/os/process.hpp"
#include "tests/sim/memory/sizes.hpp"

namespace cuvette::memory {
namespace {

class DeviceMemoryTest : public ::testing::Test {
 protected:
  std::unique_ptr<DeviceMemory> create(size_t capacity, Fill fill, size_t gap = 0) {
    os::set_up_device_key();
    return DeviceMemory::create(range_, range_.begin(), {capacity, capacity}, fill, budget_, gap)
        .value();
  }
  static uint32_t word(DevicePtr at) {
    const os::DeviceAccess access;
    uint32_t value;
    memcpy(&value, host_pointer(at), sizeof value);
    return value;
  }
  static void write(DevicePtr at, size_t size) {
    const os::DeviceAccess access;
    memset(host_pointer(at), 1, size);
  }

  os::Reservation range_ = os::Reservation::reserve(size_t{8} << 30, size_t{8} << 30).value();
  Budget budget_;
};

TEST_F(DeviceMemoryTest, SmallAllocationsFollowEachOther) {
  auto memory = create(64 * MiB, Fill::edges);
  const DevicePtr first = memory->allocate(1).value();
  EXPECT_EQ(first % 512, 0u);
  EXPECT_EQ(memory->allocate(1).value(), first + 512);
  EXPECT_EQ(memory->allocate(513).value(), first + 1024);
  EXPECT_EQ(memory->allocate(1).value(), first + 2048);
  EXPECT_EQ(memory->used(), 5 * 512u);
}

TEST_F(DeviceMemoryTest, AGapIsLeftBehindEach) {
  auto memory = create(64 * MiB, Fill::edges, 512);
  const DevicePtr first = memory->allocate(512).value();
  const DevicePtr second = memory->allocate(1000).value();
  EXPECT_EQ(second, first + 1024);
  EXPECT_EQ(memory->allocate(1).value(), second + 1536);
  EXPECT_EQ(memory->used(), 1024 + 1536 + 1024u);
  memory->free(first, 512);
  memory->free(second, 1000);
  memory->free(second + 1536, 1);
  EXPECT_EQ(memory->used(), 0u);
  // All of the memory may be one allocation nevertheless.
  const DevicePtr all = memory->allocate(64 * MiB).value();
  EXPECT_EQ(memory->used(), 64 * MiB);
  memory->free(all, 64 * MiB);
  EXPECT_EQ(memory->used(), 0u);
}

TEST_F(DeviceMemoryTest, LargeOnesAreAligned) {
  auto memory = create(64 * MiB, Fill::edges);
  (void)memory->allocate(1);
  EXPECT_EQ(memory->allocate(1 * MiB).value() % (64 * KiB), 0u);
  EXPECT_EQ(memory->allocate(2 * MiB).value() % (2 * MiB), 0u);
}

TEST_F(DeviceMemoryTest, FreshAndFreedMemoryShow) {
  auto memory = create(64 * MiB, Fill::edges);
  const DevicePtr small = memory->allocate(64 * KiB).value();
  const DevicePtr large = memory->allocate(100 * KiB).value();
  for (const DevicePtr at : {small, small + 32 * KiB, small + 64 * KiB - 4, large,
                             large + 4 * KiB - 4, large + 96 * KiB, large + 100 * KiB - 4}) {
    EXPECT_EQ(word(at), fresh_pattern) << at - small;
  }
  EXPECT_EQ(word(large + 4 * KiB), 0u);
  write(small, 64 * KiB);
  memory->free(small, 64 * KiB);
  EXPECT_EQ(word(small), freed_pattern);
  EXPECT_EQ(word(small + 64 * KiB - 4), freed_pattern);
}

TEST_F(DeviceMemoryTest, FillAllFillsAllAndFillNoneNothing) {
  auto all = create(16 * MiB, Fill::all);
  EXPECT_EQ(word(all->allocate(4 * MiB).value() + 2 * MiB), fresh_pattern);
  auto none = create(16 * MiB, Fill::none);
  EXPECT_EQ(word(none->allocate(512).value()), 0u);
  EXPECT_EQ(none->segment()->resident(), 4096u) << "only what this test has read";
}

TEST_F(DeviceMemoryTest, AFreedBlockWaitsBeforeItIsUsedAgain) {
  auto memory = create(64 * MiB, Fill::edges);
  const DevicePtr first = memory->allocate(512).value();
  memory->free(first, 512);
  EXPECT_NE(memory->allocate(512).value(), first);
  EXPECT_EQ(word(first), freed_pattern);
}

TEST_F(DeviceMemoryTest, AllOfItCanBeHadAgain) {
  auto memory = create(8 * MiB, Fill::edges);
  std::vector<DevicePtr> all;
  for (auto at = memory->allocate(64 * KiB); at.ok(); at = memory->allocate(64 * KiB)) {
    all.push_back(at.value());
  }
  EXPECT_EQ(all.size(), 128u);
  for (const DevicePtr at : all) memory->free(at, 64 * KiB);
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_TRUE(memory->allocate(8 * MiB).ok());
}

TEST_F(DeviceMemoryTest, WhatIsLeftIsGivenOutAtAnyAlignment) {
  auto memory = create(8 * MiB, Fill::edges);
  (void)memory->allocate(512);
  EXPECT_TRUE(memory->allocate(8 * MiB - 512).ok());
  EXPECT_EQ(memory->allocate(1).error(), Error::out_of_memory);
}

TEST_F(DeviceMemoryTest, RefusesMoreThanItHas) {
  auto memory = create(8 * MiB, Fill::edges);
  EXPECT_EQ(memory->allocate(8 * MiB + 1).error(), Error::out_of_memory);
  EXPECT_EQ(memory->allocate(SIZE_MAX).error(), Error::out_of_memory);
  EXPECT_EQ(memory->used(), 0u);
}

TEST_F(DeviceMemoryTest, MuchTouchedMemoryGoesBackToTheMachine) {
  auto memory = create(512 * MiB, Fill::edges);
  const DevicePtr large = memory->allocate(100 * MiB).value();
  ASSERT_TRUE(memory->touch(large, 100 * MiB).ok());
  write(large, 100 * MiB);
  EXPECT_GE(memory->segment()->resident(), 100 * MiB);
  memory->free(large, 100 * MiB);
  EXPECT_LT(memory->segment()->resident(), 64 * MiB);
}

TEST_F(DeviceMemoryTest, ALittleTouchedMemoryStays) {
  auto memory = create(512 * MiB, Fill::edges);
  const DevicePtr at = memory->allocate(32 * MiB).value();
  ASSERT_TRUE(memory->touch(at, 32 * MiB).ok());
  write(at, 32 * MiB);
  memory->free(at, 32 * MiB);
  EXPECT_GE(memory->segment()->resident(), 32 * MiB);
}

// Each of two devices may have most of what the machine has, and both of them together may not
// touch it.
TEST_F(DeviceMemoryTest, TouchOfMoreThanTheMachineHasIsOutOfMemory) {
  const size_t each = os::available_memory() / 4 * 3 / (4 * MiB) * (4 * MiB);
  auto reserved = os::Reservation::reserve(2 * each, 2 * each);
  if (!reserved.ok()) GTEST_SKIP() << "There are too few addresses for more than the machine has.";
  os::Reservation range = std::move(reserved).value();
  std::unique_ptr<DeviceMemory> devices[2];
  DevicePtr at[2];
  for (size_t i = 0; i < 2; ++i) {
    devices[i] =
        DeviceMemory::create(range, range.begin() + i * each, {each, each}, Fill::edges, budget_)
            .value();
    at[i] = devices[i]->allocate(each).value();
  }
  EXPECT_TRUE(devices[0]->touch(at[0], each).ok());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(devices[1]->touch(at[1], each).error(), Error::out_of_memory);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("out of memory"), std::string::npos);
  EXPECT_TRUE(devices[1]->touch(at[1], 4).ok());
}

// All of the memory can be had at any time, in whatever pieces it is free.
TEST_F(DeviceMemoryTest, FreeMemoryInPiecesIsAsGoodAsInOne) {
  os::set_up_device_key();
  for (unsigned seed = 0; seed < 20; ++seed) {
    const size_t capacity = 64 * MiB;
    auto memory =
        DeviceMemory::create(range_, range_.begin(), {capacity, 2 * capacity}, Fill::edges, budget_)
            .value();
    std::mt19937 random(seed);
    std::vector<std::pair<DevicePtr, size_t>> living;
    size_t used = 0;
    for (int i = 0; i < 300; ++i) {
      const size_t left = capacity - used;
      const bool all = random() % 8 == 0;
      const size_t size = all ? left / 512 * 512 : (1 + random() % 16384) * 512;
      if (random() % 2 && size != 0) {
        const auto at = memory->allocate(size);
        ASSERT_EQ(at.ok(), size <= left) << seed << ": " << size << " of " << left;
        if (!at.ok()) continue;
        living.emplace_back(at.value(), size);
        used += size;
      } else if (!living.empty()) {
        std::swap(living[random() % living.size()], living.back());
        memory->free(living.back().first, living.back().second);
        used -= living.back().second;
        living.pop_back();
      }
      ASSERT_EQ(memory->used(), used);
    }
    range_.unmap(range_.begin(), 2 * capacity);
  }
}

TEST_F(DeviceMemoryTest, KeepsWhatIsLentUntilItIsClosed) {
  auto memory = create(4 * MiB, Fill::edges);
  const DevicePtr at = memory->allocate(2 * MiB).value();
  write(at, 2 * MiB);
  EXPECT_FALSE(memory->keep_lent(at, 2 * MiB));
  const int fd = memory->segment()->lend(at - memory->begin(), 2 * MiB).value();
  ASSERT_TRUE(memory->keep_lent(at, 2 * MiB));
  EXPECT_EQ(memory->allocate(3 * MiB).error(), Error::out_of_memory);
  EXPECT_EQ(word(at + MiB), 0x01010101u);
  os::close_fd(fd);
  EXPECT_TRUE(memory->allocate(3 * MiB).ok());
}

TEST_F(DeviceMemoryTest, ThreadsAllocateAndFreeAtOnce) {
  auto memory = create(256 * MiB, Fill::edges);
  const auto work = [&](size_t seed) {
    for (size_t i = 0; i < 300; ++i) {
      const size_t size = (seed * 7919 + i * 104729) % (3 * MiB) + 1;
      const DevicePtr at = memory->allocate(size).value();
      ASSERT_TRUE(memory->touch(at, size).ok());
      memory->free(at, size);
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_TRUE(memory->allocate(256 * MiB).ok());
}

}  // namespace
}  // namespace cuvette::memory
