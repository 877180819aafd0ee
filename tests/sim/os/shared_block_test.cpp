// SPDX-License-Identifier: Apache-2.0
#include "sim/os/shared_block.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

namespace cuvette::os {
namespace {

constexpr size_t block_size = 1 << 16;

std::atomic<uint32_t>& word(const SharedBlock& block) {
  return *static_cast<std::atomic<uint32_t>*>(block.data());
}

// A child adopts the block and writes to it; the seat that it takes is its own until it ends.
TEST(SharedBlock, TellsWhoseProcessHasEnded) {
  auto made = SharedBlock::create("cuvette-test", block_size);
  ASSERT_TRUE(made.ok());
  SharedBlock& block = *made.value();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    auto own = SharedBlock::adopt(dup(block.fd()), block_size);
    const bool good = own.ok() && own.value()->take_seat(7).ok();
    if (good) word(*own.value()).store(5);
    if (write(ready[1], &good, sizeof good) != sizeof good) _exit(1);
    pause();
    _exit(0);
  }
  bool good = false;
  EXPECT_EQ(read(ready[0], &good, sizeof good), static_cast<ssize_t>(sizeof good));
  EXPECT_TRUE(good);
  EXPECT_EQ(word(block).load(), 5u);
  EXPECT_TRUE(block.taken_elsewhere(7));
  EXPECT_FALSE(block.taken_elsewhere(8));
  EXPECT_FALSE(block.take_seat(7).ok());
  EXPECT_TRUE(block.take_seat(8).ok());
  EXPECT_FALSE(block.taken_elsewhere(8)) << "it is here";
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(block.taken_elsewhere(7));
  close(ready[0]);
  close(ready[1]);
}

TEST(SharedBlock, TakesNoOtherFile) {
  EXPECT_FALSE(SharedBlock::adopt(-1, block_size).ok());
  const int small = memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(small, block_size / 2), 0);
  EXPECT_FALSE(SharedBlock::adopt(small, block_size).ok());
  const int large = memfd_create("large", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(large, block_size * 2), 0);
  EXPECT_FALSE(SharedBlock::adopt(large, block_size).ok());
  const int unsealed = memfd_create("unsealed", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(unsealed, block_size), 0);
  EXPECT_FALSE(SharedBlock::adopt(unsealed, block_size).ok());
  // The descriptors were taken over nevertheless.
  for (const int fd : {small, large, unsealed}) EXPECT_NE(close(fd), 0);
}

}  // namespace
}  // namespace cuvette::os
