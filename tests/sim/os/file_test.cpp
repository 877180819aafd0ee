// SPDX-License-Identifier: Apache-2.0
// Whole files, and pages of machine code.
#include "sim/os/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "sim/os/executable_memory.hpp"
#include "sim/os/library.hpp"

namespace cuvette::os {
namespace {

class File : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_directories(folder_)); }
  void TearDown() override { std::filesystem::remove_all(top_); }

  const std::string top_ =
      std::filesystem::temp_directory_path() / ("cuvette-file-" + std::to_string(getpid()));
  const std::string folder_ = top_ + "/a/b";
  const std::string file_ = folder_ + "/file";
};

TEST_F(File, IsReadAsItWasWritten) {
  const std::string contents(200'000, 'x');
  ASSERT_TRUE(replace_file(file_, contents));
  EXPECT_EQ(read_file(file_, 1 << 20).value(), contents);
  ASSERT_TRUE(replace_file(file_, ""));
  EXPECT_EQ(read_file(file_, 0).value(), "");
  EXPECT_EQ(list_directory(folder_).size(), 1u) << "nothing else is left there";
}

TEST_F(File, SaysWhyItCannotBeRead) {
  EXPECT_EQ(read_file(folder_ + "/none", 10).error(), Error::file_not_found);
  EXPECT_EQ(read_file(folder_, 10).error(), Error::file_not_found);
  ASSERT_TRUE(replace_file(file_, "12345678901"));
  EXPECT_EQ(read_file(file_, 10).error(), Error::invalid_value);
  ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder_ + "/pipe", 10).value(), "") << "does not wait for a writer";
  EXPECT_FALSE(replace_file(top_ + "/none/file", "x"));
}

// A reader sees either the old or the new file, never a part.
TEST_F(File, IsReplacedAsAWhole) {
  const std::string a(50'000, 'a'), b(60'000, 'b');
  ASSERT_TRUE(replace_file(file_, a));
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(replace_file(file_, i % 2 ? a : b));
  });
  for (int i = 0; i < 200; ++i) {
    const std::string contents = read_file(file_, 1 << 20).value();
    EXPECT_TRUE(contents == a || contents == b) << contents.size();
  }
  writer.join();
}

TEST_F(File, ADirectoryIsTheUsersOwn) {
  struct stat status {};
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
  EXPECT_TRUE(is_private(folder_));
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_FALSE(is_private(folder_));
  EXPECT_FALSE(is_private(folder_ + "/none"));
  EXPECT_TRUE(make_directories(folder_)) << "there already";
  ASSERT_TRUE(replace_file(file_, "x"));
  EXPECT_FALSE(make_directories(file_ + "/under"));
}

// A private file is not read if others could have written it, or through a link.
TEST_F(File, IsReadAsPrivateOnlyIfItIs) {
  ASSERT_TRUE(replace_file(file_, "x"));
  ASSERT_TRUE(read_private_file(file_, 10).ok());
  EXPECT_EQ(read_private_file(file_, 10).value(), "x");
  for (const mode_t mode : {0620, 0602, 0666, 0777}) {
    ASSERT_EQ(chmod(file_.c_str(), mode), 0);
    EXPECT_FALSE(read_private_file(file_, 10).ok()) << std::oct << mode;
    EXPECT_TRUE(read_file(file_, 10).ok());
  }
  for (const mode_t mode : {0600, 0640, 0644}) {
    ASSERT_EQ(chmod(file_.c_str(), mode), 0);
    EXPECT_TRUE(read_private_file(file_, 10).ok()) << std::oct << mode;
  }
  const std::string link = folder_ + "/link";
  ASSERT_EQ(symlink(file_.c_str(), link.c_str()), 0);
  EXPECT_FALSE(read_private_file(link, 10).ok());
  remove_file(link);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(file_.c_str(), 65534, 65534), 0);
    EXPECT_FALSE(read_private_file(file_, 10).ok()) << "another user's";
  }
}

TEST_F(File, KnowsWhenItWasUsed) {
  ASSERT_TRUE(replace_file(file_, "x"));
  const int64_t before = list_directory(folder_).at(0).used_ns;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mark_used(file_);
  EXPECT_GT(list_directory(folder_).at(0).used_ns, before);
  EXPECT_EQ(list_directory(folder_).at(0).bytes, 1u);
  remove_file(file_);
  EXPECT_TRUE(list_directory(folder_).empty());
}

TEST(ExecutableMemory, Runs) {
  const uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3};  // mov eax, 42; ret
  ExecutableMemory memory = ExecutableMemory::create(code).value();
  ExecutableMemory moved = std::move(memory);
  EXPECT_EQ(memory.begin(), nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)()>(moved.begin())(), 42);
  EXPECT_EQ(ExecutableMemory::create({}).error(), Error::invalid_value);
  const auto overwrite = [&] { *static_cast<volatile uint8_t*>(moved.begin()) = 0; };
  EXPECT_DEATH(overwrite(), "");
}

TEST(load_beside, SaysWhyItCannot) {
  std::string reason;
  EXPECT_EQ(load_beside("libnothing-of-this-name.so", "symbol", reason), nullptr);
  EXPECT_NE(reason.find("libnothing-of-this-name.so"), std::string::npos) << reason;
  EXPECT_EQ(build_beside("libnothing-of-this-name.so"), "");
  EXPECT_FALSE(own_build().empty());
}

}  // namespace
}  // namespace cuvette::os
