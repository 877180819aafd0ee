// SPDX-License-Identifier: Apache-2.0
#include "sim/device/profile.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cuvette::device {
namespace {

TEST(Profile, IsFoundByItsKey) {
  for (const Profile& profile : profiles()) EXPECT_EQ(find_profile(profile.key), &profile);
  EXPECT_EQ(find_profile("H200"), nullptr);
  EXPECT_EQ(find_profile(""), nullptr);
}

TEST(Profile, H200AnswersWhatTheDriverAnswered) {
  const Profile* profile = find_profile("h200");
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->name, "NVIDIA H200");
  EXPECT_EQ(profile->memory, 150109880320u);
  EXPECT_EQ(profile->memory - profile->context_memory, 149557477376u);
  EXPECT_EQ(profile->compute_major, 9);
  EXPECT_EQ(profile->compute_minor, 0);
  EXPECT_EQ(profile->driver_version, 13000);
  EXPECT_EQ(profile->attribute(16), 132);
  EXPECT_EQ(profile->attribute(131), -1);
  EXPECT_EQ(profile->attribute(139), 590680286);
  EXPECT_EQ(profile->limit(0), 1024u);
  EXPECT_EQ(profile->limit(1), 8650752u);
  EXPECT_EQ(profile->limit(6), 11796480u);
  EXPECT_EQ(profile->limit(3), std::nullopt) << "devices of 9.0 have no synchronisation depth";
}

TEST(Profile, HasNothingOutsideCudasNumbers) {
  for (const Profile& profile : profiles()) {
    for (int number : {-1, 0, 148, 10000, INT32_MAX, INT32_MIN})
      EXPECT_EQ(profile.attribute(number), std::nullopt) << number;
    for (int number : {-1, 10, 10000}) EXPECT_EQ(profile.limit(number), std::nullopt) << number;
  }
}

TEST(Profile, IsFitToRunOn) {
  std::set<std::string_view> keys;
  for (const Profile& profile : profiles()) {
    EXPECT_TRUE(keys.insert(profile.key).second) << profile.key << " is there twice";
    EXPECT_FALSE(profile.name.empty());
    EXPECT_GT(profile.memory, profile.context_memory);
    EXPECT_LE(profile.priority_greatest, profile.priority_least);
    for (int number = 1; number < Profile::attribute_end; ++number)
      EXPECT_TRUE(profile.attribute(number)) << profile.key << " lacks attribute " << number;
  }
}

}  // namespace
}  // namespace cuvette::device
