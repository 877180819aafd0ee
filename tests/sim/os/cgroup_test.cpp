// SPDX-License-Identifier: Apache-2.0
#include "sim/os/cgroup.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cuvette::os {
namespace {

// A folder that looks like a mounted cgroup hierarchy.
class CgroupFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/cuvette-cgroup-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    mount_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(mount_); }

  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = mount_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Cgroup group(Cgroup::Version version, const std::string& path) { return {version, mount_, path}; }

  std::string mount_;
};

using Version = Cgroup::Version;

TEST_F(CgroupFiles, MaxAndMissingFilesAreNoLimit) {
  write("/a/memory.max", "max\n");
  write("/a/memory.current", "1000\n");
  EXPECT_EQ(group(Version::v2, "/a").memory_left(), SIZE_MAX);
  EXPECT_EQ(group(Version::v2, "/no/such").memory_left(), SIZE_MAX);
  EXPECT_EQ(group(Version::v1, "/").memory_left(), SIZE_MAX);
  EXPECT_EQ(group(Version::v2, "/a").cores(), 0u);
}

TEST_F(CgroupFiles, PagesOfFilesThatCanBeDroppedDoNotCount) {
  write("/a/memory.max", "10000\n");
  write("/a/memory.high", "max\n");
  write("/a/memory.current", "7000\n");
  write("/a/memory.stat", "anon 1\ninactive_file 2000\nactive_file 5\n");
  EXPECT_EQ(group(Version::v2, "/a").memory_left(), 5000u);
}

TEST_F(CgroupFiles, HighAndParentsLimitToo) {
  write("/a/memory.max", "6000\n");
  write("/a/memory.current", "5900\n");
  write("/a/b/memory.max", "max\n");
  write("/a/b/memory.high", "3000\n");
  write("/a/b/memory.current", "1000\n");
  EXPECT_EQ(group(Version::v2, "/a/b").memory_left(), 100u);
  write("/a/memory.current", "1000\n");
  EXPECT_EQ(group(Version::v2, "/a/b").memory_left(), 2000u);
}

TEST_F(CgroupFiles, AFullGroupHasNothingLeft) {
  write("/memory.max", "1000\n");
  write("/memory.current", "1500\n");
  EXPECT_EQ(group(Version::v2, "/").memory_left(), 0u);
}

TEST_F(CgroupFiles, VersionOneHasOtherNames) {
  write("/memory.limit_in_bytes", "9223372036854771712\n");
  write("/a/memory.limit_in_bytes", "5000\n");
  write("/a/memory.usage_in_bytes", "4000\n");
  write("/a/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  EXPECT_EQ(group(Version::v1, "/a").memory_left(), 1500u);
}

TEST_F(CgroupFiles, QuotaIsRoundedUpToCores) {
  write("/a/cpu.max", "150000 100000\n");
  write("/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(group(Version::v2, "/a/b").cores(), 2u);
  write("/c/cpu.cfs_quota_us", "-1\n");
  write("/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(group(Version::v1, "/c").cores(), 0u);
  write("/c/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(group(Version::v1, "/c").cores(), 1u);
}

}  // namespace
}  // namespace cuvette::os
