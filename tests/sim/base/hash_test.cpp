// SPDX-License-Identifier: Apache-2.0
// The numbers are those that the authors of these hashes publish.
#include "sim/base/hash.hpp"

#include <gtest/gtest.h>

namespace cuvette {
namespace {

TEST(fnv1a, IsThePublishedFunction) {
  EXPECT_EQ(fnv1a_32(""), 0x811c9dc5u);
  EXPECT_EQ(fnv1a_32("a"), 0xe40c292cu);
  EXPECT_EQ(fnv1a_32("foobar"), 0xbf9cf968u);
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a_64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8u);
}

TEST(fnv1a, TakesBytesAsUnsignedNumbers) {
  EXPECT_EQ(fnv1a_32("\xff"), (0x811c9dc5u ^ 0xffu) * 16777619u);
  EXPECT_EQ(fnv1a_64({"\0", 1}), 0xcbf29ce484222325u * 1099511628211u);
}

TEST(split_mix, IsThePublishedGenerator) {
  // The generator adds its constant to the state each time.
  EXPECT_EQ(split_mix(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(split_mix(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

}  // namespace
}  // namespace cuvette
