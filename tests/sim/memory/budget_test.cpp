// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/os/process.hpp"
#include "tests/sim/memory/sizes.hpp"

namespace cuvette::memory {
namespace {

TEST(Budget, GivesWhatTheMachineHas) {
  Budget budget;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(budget.promise(2 * MiB).ok());
    budget.take_back(2 * MiB);
  }
  EXPECT_TRUE(budget.spend(2 * MiB).ok());
}

TEST(Budget, RefusesMoreThanTheMachineHasWithOneSentence) {
  Budget budget;
  const size_t all = os::available_memory();
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    const Result<> promised = budget.promise(all);
    ASSERT_FALSE(promised.ok());
    EXPECT_EQ(promised.error(), Error::out_of_memory);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("out of memory"), std::string::npos);
}

TEST(Budget, WhatIsPromisedAndNotTouchedYetIsNotPromisedAgain) {
  Budget budget;
  budget.add(os::Segment::create("test", size_t{1} << 40).value());
  const size_t half = os::available_memory() / 2;
  EXPECT_TRUE(budget.promise(half).ok());
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(budget.promise(half).ok());
  ::testing::internal::GetCapturedStderr();
  budget.take_back(half);
  EXPECT_TRUE(budget.promise(half).ok());
}

TEST(Budget, CountsWhatIsAllocatedWhereACgroupHasALimit) {
  Budget budget(true);
  const size_t most = budget.most();
  EXPECT_TRUE(budget.grant(most / 2, most / 2).ok());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(budget.grant(most - most / 2 + 1, 0).error(), Error::out_of_memory);
  EXPECT_EQ(budget.grant(SIZE_MAX, 0).error(), Error::out_of_memory);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_TRUE(budget.grant(most - most / 2, most).ok());
  budget.withdraw(most);
  EXPECT_TRUE(budget.grant(most, most).ok());
  Budget unlimited(false);
  EXPECT_TRUE(unlimited.grant(most, most).ok());
  EXPECT_TRUE(unlimited.grant(most, most).ok()) << "each device by itself";
}

TEST(Budget, GivesNoDeviceMoreThanTheMachineHas) {
  Budget budget(false);
  const size_t most = budget.most();
  EXPECT_TRUE(budget.grant(1, most).ok());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(budget.grant(1, most + 1).error(), Error::out_of_memory);
  EXPECT_EQ(budget.grant(SIZE_MAX, SIZE_MAX).error(), Error::out_of_memory);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

}  // namespace
}  // namespace cuvette::memory
