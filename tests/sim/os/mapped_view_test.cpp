// SPDX-License-Identifier: Apache-2.0
#include "sim/os/mapped_view.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace cuvette::os {
namespace {

class MappedViewTest : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(path) << "sixteen bytes..."; }
  void TearDown() override { std::filesystem::remove(path); }

  const std::string name = "cuvette-mapped-view-" + std::to_string(getpid());
  const std::string path = testing::TempDir() + name;
};

std::string text(const MappedView& view) {
  return {static_cast<const char*>(view.data()), view.size()};
}

TEST_F(MappedViewTest, HasTheBytesOfAFile) {
  const auto view = MappedView::of_file(path.c_str());
  ASSERT_TRUE(view);
  EXPECT_EQ(text(*view), "sixteen bytes...");
}

TEST_F(MappedViewTest, IsMovedWithItsMapping) {
  auto view = MappedView::of_file(path.c_str());
  ASSERT_TRUE(view);
  const void* const where = view->data();
  const MappedView moved = std::move(*view);
  view.reset();
  EXPECT_EQ(moved.data(), where);
  EXPECT_EQ(text(moved), "sixteen bytes...");
}

TEST_F(MappedViewTest, IsOnlyOfRegularFilesThatHoldSomething) {
  EXPECT_FALSE(MappedView::of_file((path + "-missing").c_str()));
  EXPECT_FALSE(MappedView::of_file(testing::TempDir().c_str()));
  EXPECT_FALSE(MappedView::of_file("/dev/null"));
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_FALSE(MappedView::of_file(path.c_str()));
}

TEST_F(MappedViewTest, IsSharedWithWhoeverMapsTheSameMemory) {
  const int fd = memfd_create("cuvette-view", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 8192), 0);
  auto writer = MappedView::map(fd, 8192, MappedView::Access::write);
  auto reader = MappedView::map(fd, 4096, MappedView::Access::read);
  close(fd);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(reader.ok());
  std::memcpy(writer.value().data(), "seen", 5);
  EXPECT_STREQ(static_cast<const char*>(reader.value().data()), "seen");
}

TEST_F(MappedViewTest, RefusesWhatCannotBeMapped) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(MappedView::map(fd, 16, MappedView::Access::write).error(), Error::out_of_memory);
  close(fd);
}

// Ends the mapping with the object, so that nothing of the file stays behind.
TEST_F(MappedViewTest, LeavesNoMapping) {
  const auto mappings = [&] {
    std::ifstream maps("/proc/self/maps");
    const std::string all((std::istreambuf_iterator<char>(maps)), {});
    return all.find(name) != std::string::npos;
  };
  {
    const auto view = MappedView::of_file(path.c_str());
    ASSERT_TRUE(view);
    EXPECT_TRUE(mappings());
  }
  EXPECT_FALSE(mappings());
}

}  // namespace
}  // namespace cuvette::os
