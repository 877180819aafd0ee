// SPDX-License-Identifier: Apache-2.0
#include "sim/os/placeholder_fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace cuvette::os {
namespace {

TEST(place_file_on, TakesAFreeNumber) {
  const int number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Segment::Identity null = identity_of_fd(number);
  EXPECT_EQ(place_file_on(number).inode, 0u) << "something is there";
  EXPECT_EQ(identity_of_fd(number), null);
  close(number);
  const Segment::Identity first = place_file_on(number);
  EXPECT_NE(first.inode, 0u);
  EXPECT_EQ(identity_of_fd(number), first);
  EXPECT_NE(fcntl(number, F_GETFD) & FD_CLOEXEC, 0);
  close(number);
  const Segment::Identity second = place_file_on(number);
  EXPECT_FALSE(first == second);
  close(number);
  EXPECT_EQ(place_file_on(1 << 30).inode, 0u);
}

// Nothing is left open, wherever the number is.
TEST(place_file_on, LeavesNoOtherDescriptor) {
  const int lowest = dup(1);
  close(lowest);
  for (const int number : {lowest, lowest + 1, lowest + 20, 700}) {
    place_file_on(number);
    close(number);
    const int next = dup(1);
    EXPECT_EQ(next, lowest) << number;
    close(next);
  }
}

}  // namespace
}  // namespace cuvette::os
