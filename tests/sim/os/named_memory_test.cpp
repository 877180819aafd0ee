// SPDX-License-Identifier: Apache-2.0
// Memory with a name, its locks, and who has them.
#include "sim/os/named_memory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>

namespace {

using cuvette::os::MappedView;
using cuvette::os::NamedMemory;

class NamedMemoryTest : public testing::Test {
 protected:
  ~NamedMemoryTest() override { NamedMemory::remove(name_); }
  std::unique_ptr<NamedMemory> open(bool create = true, size_t size = 8192) {
    return NamedMemory::open(name_, size, create, trouble_);
  }
  const std::string name_ = "cuvette-named-memory-test." + std::to_string(getpid());
  std::string trouble_;
};

TEST_F(NamedMemoryTest, IsTheSameForAllWhoOpenIt) {
  const auto one = open(), other = open(false);
  ASSERT_TRUE(one && other) << trouble_;
  EXPECT_EQ(one->identity(), other->identity());
  EXPECT_TRUE(one->write(100, "abc", 4));
  char text[4];
  EXPECT_TRUE(other->read(100, text, 4));
  EXPECT_STREQ(text, "abc");
  const auto view = other->map(8192);
  ASSERT_TRUE(view);
  EXPECT_STREQ(static_cast<const char*>(view->data()) + 100, "abc");
}

TEST_F(NamedMemoryTest, IsNotCreatedByThoseWhoOnlyLook) {
  EXPECT_FALSE(open(false));
  EXPECT_EQ(trouble_, "");
}

TEST_F(NamedMemoryTest, IsForItsUserAlone) {
  ASSERT_TRUE(open());
  struct stat status {};
  ASSERT_EQ(stat(NamedMemory::path_of(name_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  ASSERT_EQ(chmod(NamedMemory::path_of(name_).c_str(), 0640), 0);
  EXPECT_FALSE(open());
  EXPECT_NE(trouble_.find("may be used by other users"), std::string::npos) << trouble_;
}

TEST_F(NamedMemoryTest, GrowsAndNeverShrinks) {
  ASSERT_TRUE(open(true, 100));
  const auto larger = open(true, 10000);
  ASSERT_TRUE(larger);
  char bytes[100];
  EXPECT_TRUE(larger->read(9900, bytes, sizeof bytes));
  EXPECT_FALSE(larger->read(9950, bytes, sizeof bytes));
  ASSERT_TRUE(open(true, 100));
  EXPECT_TRUE(larger->read(9900, bytes, sizeof bytes));
}

TEST_F(NamedMemoryTest, ReadsWhatItHasGivenBackAsZero) {
  const auto memory = open();
  EXPECT_TRUE(memory->reserve(4096, 4096));
  EXPECT_TRUE(memory->write(4096, "a", 1));
  memory->discard(4096, 4096);
  char byte = 1;
  EXPECT_TRUE(memory->read(4096, &byte, 1));
  EXPECT_EQ(byte, 0);
}

// Beyond the limit the system would send a signal that ends the program.
TEST_F(NamedMemoryTest, KeepsToTheLimitOfFiles) {
  const auto memory = open(true, 8192);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (open(true, 10000) || trouble_.find("ulimit -f") == std::string::npos) _exit(1);
    if (memory->write(4096, "a", 1) || memory->reserve(4096, 4096)) _exit(2);
    _exit(memory->write(4095, "a", 1) ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(NamedMemoryTest, LocksSingleBytes) {
  const auto one = open(), other = open();
  EXPECT_TRUE(one->try_lock(3));
  EXPECT_FALSE(one->is_locked(3)) << "its own lock is no one else's";
  EXPECT_TRUE(other->is_locked(3));
  EXPECT_FALSE(other->try_lock(3));
  EXPECT_TRUE(other->try_lock(4));
  one->unlock(3);
  EXPECT_TRUE(other->try_lock(3));
}

TEST_F(NamedMemoryTest, KeepsALockWhileAViewLasts) {
  auto one = open();
  const auto other = open();
  auto view = one->map(4096);
  EXPECT_TRUE(one->try_lock(0));
  one.reset();
  EXPECT_TRUE(other->is_locked(0));
  view.reset();
  EXPECT_FALSE(other->is_locked(0));
}

TEST_F(NamedMemoryTest, LosesTheLocksOfAKilledProcessButNotOfItsParent) {
  const auto own = open();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  auto kept = open();
  const auto view = kept->map(4096);
  EXPECT_TRUE(kept->try_lock(1));
  kept.reset();
  const pid_t child = fork();
  if (child == 0) {
    const auto theirs = open();
    const bool locked = theirs->try_lock(0);
    _exit(write(ends[1], &locked, 1) == 1 && pause());
  }
  bool locked = false;
  ASSERT_EQ(read(ends[0], &locked, 1), 1);
  EXPECT_TRUE(locked);
  EXPECT_TRUE(own->is_locked(0));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(own->is_locked(0));
  EXPECT_TRUE(own->is_locked(1));
}

}  // namespace
