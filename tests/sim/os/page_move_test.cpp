// SPDX-License-Identifier: Apache-2.0
// Pages that move from file to file. That commands notice nothing is tested with kernels, in
// tests/api/driver/interop/address_handle_test.cpp.
#include "sim/os/page_move.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>

#include "sim/os/device_access.hpp"

namespace cuvette::os {
namespace {

constexpr size_t page = 4096, pages = 8, window_bytes = pages * page;

// A reservation with a window, over a file that begins elsewhere.
struct Window {
  Window()
      : reservation(Reservation::reserve(size_t{1} << 24, size_t{1} << 22).value()),
        from(Segment::create("from", 100 * page + window_bytes).value()),
        to(Segment::create("to", 3 * page + window_bytes).value()),
        at(reservation.begin() + page) {
    EXPECT_TRUE(reservation.map(at, *from, 100 * page, window_bytes).ok());
    // The first and the last page have data; between them is a hole.
    fill(0, 'a');
    fill(pages - 1, 'z');
  }
  SegmentPlace first() { return {*from, 100 * page}; }
  SegmentPlace second() { return {*to, 3 * page}; }
  void fill(size_t number, char value) {
    const DeviceAccess access;
    std::memset(reinterpret_cast<char*>(at + number * page), value, page);
  }
  char byte(size_t offset) const {
    const DeviceAccess access;
    return *reinterpret_cast<volatile char*>(at + offset);
  }
  void expect_contents() const {
    EXPECT_EQ(byte(0), 'a');
    EXPECT_EQ(byte(page - 1), 'a');
    EXPECT_EQ(byte(page), 0);
    EXPECT_EQ(byte(window_bytes - page - 1), 0);
    EXPECT_EQ(byte(window_bytes - page), 'z');
    EXPECT_EQ(byte(window_bytes - 1), 'z');
  }

  Reservation reservation;
  const Ref<Segment> from, to;
  const uint64_t at;
};

TEST(move_pages, KeepsAddressesAndContents) {
  Window window;
  ASSERT_TRUE(
      move_pages(window.reservation, window.at, window_bytes, window.first(), window.second())
          .ok());
  EXPECT_EQ(window.from->resident(), 0u) << "the old pages are the machine's again";
  EXPECT_EQ(window.to->resident(), 2 * page) << "holes stay holes";
  window.expect_contents();
  window.fill(1, 'b');
  char byte = 0;
  EXPECT_TRUE(window.to->read(3 * page + page, &byte, 1));
  EXPECT_EQ(byte, 'b');
  window.fill(1, 0);
  ASSERT_TRUE(
      move_pages(window.reservation, window.at, window_bytes, window.second(), window.first())
          .ok());
  window.expect_contents();
  EXPECT_EQ(window.to->resident(), 0u);
}

TEST(move_pages, IsNotHeldUpByALimitOfFileSizes) {
  Window window;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit low{page, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  EXPECT_TRUE(
      move_pages(window.reservation, window.at, window_bytes, window.first(), window.second())
          .ok());
  EXPECT_TRUE(
      move_pages(window.reservation, window.at, window_bytes, window.second(), window.first())
          .ok());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  window.expect_contents();
}

TEST(move_pages, LeavesAllInPlaceIfItFails) {
  Window window;
  // An offset inside a page cannot be mapped.
  const auto small = Segment::create("small", page).value();
  EXPECT_FALSE(
      move_pages(window.reservation, window.at, window_bytes, window.first(), {*small, 1}).ok());
  window.expect_contents();
  window.fill(2, 'c');
  EXPECT_EQ(window.byte(2 * page), 'c');
}

}  // namespace
}  // namespace cuvette::os
