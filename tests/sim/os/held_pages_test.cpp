// SPDX-License-Identifier: Apache-2.0
#include "sim/os/held_pages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "sim/os/fault.hpp"
#include "sim/os/page.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::os {
namespace {

FaultAction chain(const MemoryFault&) { return FaultAction::chain; }

class HeldPagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    watch_faults(chain);
    HeldPages::get().take_touches();
  }
  void TearDown() override { unmap_host_pages(begin, size); }

  volatile char& byte(size_t offset) const {
    return *reinterpret_cast<volatile char*>(begin + offset);
  }
  void read(size_t offset) const {
    const char value = byte(offset);
    asm volatile("" : : "r"(value));
  }
  void hold(size_t first, size_t last, HeldFor what) const {
    HeldPages::get().hold(begin + first * page, begin + last * page, what);
  }
  void release(size_t first, size_t last, HeldFor what) const {
    HeldPages::get().release(begin + first * page, begin + last * page, what);
  }
  static size_t touches() { return HeldPages::get().take_touches().size(); }

  const size_t page = page_size(), size = 8 * page;
  const uint64_t begin = map_host_pages(size).value();
};

TEST_F(HeldPagesTest, NotesAWriteToWhatIsRead) {
  hold(1, 3, HeldFor::reading);
  read(page);
  byte(0) = 1;
  EXPECT_EQ(touches(), 0u);
  byte(2 * page + 5) = 7;
  const std::vector<HeldTouch> touched = HeldPages::get().take_touches();
  ASSERT_EQ(touched.size(), 1u);
  EXPECT_EQ(touched[0].address, begin + 2 * page + 5);
  EXPECT_TRUE(touched[0].write);
  EXPECT_EQ(byte(2 * page + 5), 7);
  release(1, 3, HeldFor::reading);
}

TEST_F(HeldPagesTest, NotesAReadOfWhatIsWrittenEachTimeItIsAskedFor) {
  hold(0, 8, HeldFor::writing);
  read(100);
  read(200);  // the page is open
  EXPECT_EQ(touches(), 1u);
  read(100);
  EXPECT_EQ(touches(), 1u);
  release(0, 8, HeldFor::writing);
  byte(100) = 1;
  EXPECT_EQ(touches(), 0u);
}

TEST_F(HeldPagesTest, CountsHoldsThatOverlap) {
  hold(0, 4, HeldFor::reading);
  hold(2, 6, HeldFor::writing);
  hold(2, 3, HeldFor::writing);
  release(2, 6, HeldFor::writing);
  read(3 * page);  // read-only again
  byte(5 * page) = 1;
  EXPECT_EQ(touches(), 0u);
  read(2 * page);
  EXPECT_EQ(touches(), 1u);
  release(2, 3, HeldFor::writing);
  release(0, 4, HeldFor::reading);
  for (size_t i = 0; i < 8; ++i) byte(i * page) = 1;
  EXPECT_EQ(touches(), 0u);
}

TEST_F(HeldPagesTest, ADeviceCopiesWithoutANote) {
  hold(0, 8, HeldFor::writing);
  std::string here(3 * page, 'x'), back(3 * page, 0);
  HeldPages::get().copy(reinterpret_cast<char*>(begin + 50), here.data(), here.size());
  HeldPages::get().copy(reinterpret_cast<char*>(begin + 4 * page),
                        reinterpret_cast<char*>(begin + 50), here.size());
  HeldPages::get().copy(back.data(), reinterpret_cast<char*>(begin + 4 * page), back.size());
  EXPECT_EQ(back, here);
  EXPECT_EQ(touches(), 0u);
  {
    const FaultScope scope;
    byte(7 * page) = 1;  // opens the page
    EXPECT_FALSE(scope.faulted());
  }
  EXPECT_EQ(touches(), 0u);
  release(0, 8, HeldFor::writing);
}

TEST_F(HeldPagesTest, ForgetsMemoryThatIsGivenBack) {
  hold(0, 8, HeldFor::writing);
  HeldPages::get().forget(begin + 1, begin + 3 * page);  // whole pages only
  byte(page) = 1;
  byte(2 * page) = 1;
  EXPECT_EQ(touches(), 0u);
  byte(0) = 1;
  byte(3 * page) = 1;
  EXPECT_EQ(touches(), 2u);
  HeldPages::get().forget(begin, begin + size);
}

TEST_F(HeldPagesTest, NobodyIsLostWhileHoldsComeAndGo) {
  std::atomic<bool> over{false};
  std::thread host([&] {
    while (!over)
      for (size_t i = 0; i < 8; ++i) byte(i * page) = 1;
  });
  for (int round = 0; round < 300; ++round) {
    hold(0, 8, HeldFor::writing);
    std::this_thread::yield();
    touches();
    release(0, 8, HeldFor::writing);
  }
  over = true;
  host.join();
}

}  // namespace
}  // namespace cuvette::os
