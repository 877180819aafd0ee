// SPDX-License-Identifier: Apache-2.0
// What counts as a change of memory when a launch seems to wait.
#include "sim/check/kernel/change_watch.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "watched_launch.hpp"

namespace cuvette::watch::test {
namespace {

// Lanes write words side by side, `last` of them as the value of the last lane.
Step words(uint32_t access, uint32_t mask, uint8_t others, uint8_t last) {
  Step step{};
  step.mask = mask;
  step.access = access;
  step.has_values = !(access & ptx::access_atomic);
  each_lane(mask, [&](uint32_t lane) {
    const bool local = access & ptx::access_local;
    step.sites[lane] = {local                         ? UINT32_MAX
                        : access & ptx::access_shared ? 1u
                                                      : 0u,
                        local ? 0 : 4 * lane};
    step.data[lane][0] = lane == 31 ? last : others;
  });
  return step;
}

class ChangeWatchTest : public testing::TestWithParam<uint32_t> {
 protected:
  ChangeWatchTest() {
    launch_.access(words(GetParam(), all, 1, 1));
    EXPECT_FALSE(launch_.pauses(KernelWatch::long_wait_ns));
    launch_.access(words(GetParam(), all, 2, 2));
    EXPECT_FALSE(launch_.pauses()) << "nobody had asked";
  }

  Launch launch_{1, 32};
};

TEST_P(ChangeWatchTest, TheSameValueIsNone) {
  for (int n = 0; n < 3; ++n) launch_.access(words(GetParam(), all, 2, 2));
  EXPECT_FALSE(launch_.pauses());
}

TEST_P(ChangeWatchTest, AnotherValueOfOneLaneIsOne) {
  launch_.access(words(GetParam(), all, 2, 3));
  launch_.access(words(load, all, 0, 0));
  EXPECT_TRUE(launch_.pauses());
  launch_.access(words(GetParam(), all, 2, 3));
  EXPECT_FALSE(launch_.pauses()) << "begins anew";
}

TEST_P(ChangeWatchTest, LanesThatTakeNoPartDoNotCount) {
  launch_.access(words(GetParam(), all >> 1, 2, 3));
  launch_.access(words(load, all, 0, 0));
  EXPECT_FALSE(launch_.pauses());
}

TEST_P(ChangeWatchTest, IsSeenAfterManyPauses) {
  for (int n = 0; n < 10; ++n) {
    launch_.access(words(GetParam(), all, 2, 2));
    EXPECT_FALSE(launch_.pauses());
  }
  launch_.access(words(GetParam(), all, 3, 2));
  launch_.access(words(load, all, 0, 0));
  EXPECT_TRUE(launch_.pauses());
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChangeWatchTest,
                         testing::Values(store, store | ptx::access_shared,
                                         store | ptx::access_strong | ptx::access_volatile,
                                         store | ptx::access_strong | ptx::access_atomic,
                                         store | ptx::access_shared | ptx::access_strong |
                                             ptx::access_atomic));

TEST(ChangeWatch, LocalMemoryDoesNotCount) {
  Launch launch(1, 32);
  launch.pauses();
  for (uint8_t n = 0; n < 10; ++n) launch.access(words(store | ptx::access_local, all, n, n));
  EXPECT_FALSE(launch.pauses());
}

}  // namespace
}  // namespace cuvette::watch::test
