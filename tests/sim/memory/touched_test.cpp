// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/touched.hpp"

#include <gtest/gtest.h>

namespace cuvette::memory {
namespace {

TEST(Touched, MarksAcrossWordsAndCountsNewOnesOnce) {
  Touched touched(1000);
  size_t promised = 0;
  const auto promise = [&](size_t count) { return promised += count, true; };
  EXPECT_TRUE(touched.mark({60, 200}, promise));
  EXPECT_EQ(promised, 140u);
  EXPECT_TRUE(touched.mark({0, 201}, promise));
  EXPECT_EQ(promised, 201u);
  EXPECT_TRUE(touched.all({0, 201}));
  EXPECT_FALSE(touched.all({0, 202}));
  EXPECT_TRUE(touched.all({5, 5}));
  EXPECT_EQ(touched.count({0, 1000}), 201u);
  EXPECT_EQ(touched.clear({100, 300}), 101u);
  EXPECT_EQ(touched.count({0, 1000}), 100u);
}

TEST(Touched, WhatIsNotPromisedIsNotMarked) {
  Touched touched(1000);
  EXPECT_TRUE(touched.mark({0, 3}, [](size_t) { return true; }));
  EXPECT_FALSE(touched.mark({0, 10}, [](size_t) { return false; }));
  EXPECT_EQ(touched.count({0, 1000}), 3u);
}

}  // namespace
}  // namespace cuvette::memory
