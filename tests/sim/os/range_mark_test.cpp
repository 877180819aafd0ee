// SPDX-License-Identifier: Apache-2.0
#include "sim/os/range_mark.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/os/segment.hpp"

namespace cuvette::os {
namespace {

struct RangeMark : testing::Test {
  Ref<Segment> segment = Segment::create("cuvette-test", 1 << 20).value();
  int other = reopen_fd(segment->fd()).value();
  ~RangeMark() override { close_fd(other); }
};

TEST_F(RangeMark, IsSeenThroughAnotherOpening) {
  EXPECT_FALSE(has_range_mark(other, 4096, 4096));
  set_range_mark(segment->fd(), 4096, 4096);
  EXPECT_TRUE(has_range_mark(other, 4096, 4096));
  EXPECT_FALSE(has_range_mark(segment->fd(), 4096, 4096)) << "its own";
  EXPECT_FALSE(has_range_mark(other, 0, 4096));
  EXPECT_FALSE(has_range_mark(other, 8192, 4096));
  clear_range_mark(segment->fd(), 4096, 4096);
  EXPECT_FALSE(has_range_mark(other, 4096, 4096));
}

TEST_F(RangeMark, IsNotInTheWayOfWhatIsLent) {
  set_range_mark(segment->fd(), 0, 4096);
  EXPECT_FALSE(segment->is_lent(0, 4096));
  const int lent = segment->lend(0, 4096).value();
  EXPECT_TRUE(has_range_mark(lent, 0, 4096));
  clear_range_mark(segment->fd(), 0, 4096);
  EXPECT_FALSE(has_range_mark(lent, 0, 4096));
  EXPECT_TRUE(segment->is_lent(0, 4096));
  close_fd(lent);
}

TEST_F(RangeMark, EndsWithItsProcess) {
  const pid_t child = fork();
  if (child == 0) {
    set_range_mark(reopen_fd(segment->fd()).value(), 0, 4096);
    _exit(has_range_mark(segment->fd(), 0, 4096) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(has_range_mark(segment->fd(), 0, 4096));
}

}  // namespace
}  // namespace cuvette::os
