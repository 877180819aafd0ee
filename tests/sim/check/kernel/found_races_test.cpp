// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/found_races.hpp"

#include <gtest/gtest.h>

namespace cuvette::watch {
namespace {

TEST(FoundRaces, HaveEachPairOfInstructionsOnce) {
  FoundRaces races;
  EXPECT_TRUE(races.admit(1, 2, false));
  EXPECT_FALSE(races.admit(2, 1, false));
  EXPECT_TRUE(races.admit(2, 1, true));
  EXPECT_TRUE(races.admit(1, 1, false));
}

TEST(FoundRaces, AreWithoutReadsThatAreComparedLater) {
  FoundRaces races;
  races.add({.address = 1}, 0);
  races.add({.address = 2}, 7);
  races.add({.address = 3}, 8);
  EXPECT_EQ(races.all().size(), 3u);
  races.note_compared(7);
  ASSERT_EQ(races.all().size(), 2u);
  EXPECT_EQ(races.all()[0].address, 1u);
  EXPECT_EQ(races.all()[1].address, 3u);
  races.note_compared(UINT16_MAX);
  EXPECT_EQ(races.all().size(), 2u);
}

TEST(FoundRaces, AreNotTooMany) {
  FoundRaces races;
  for (uint16_t n = 1; n <= 64; ++n) {
    EXPECT_TRUE(races.admit(n, n, false));
    races.add({}, 0);
  }
  EXPECT_FALSE(races.admit(100, 101, false));
}

}  // namespace
}  // namespace cuvette::watch
