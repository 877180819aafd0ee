// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/spinner.hpp"

#include <gtest/gtest.h>

namespace cuvette::exec {
namespace {

// Crowds belong to the whole process, so each test begins long after the previous one.
class CrowdTest : public testing::Test {
 protected:
  static inline int64_t now_ = 1'000'000'000'000'000'000;
  void SetUp() override { now_ += 100'000'000'000; }
};

TEST_F(CrowdTest, IsNoticedByLongWaitsAlone) {
  Crowd::waited(now_ - Crowd::long_turn, now_);
  EXPECT_FALSE(Crowd::seen(now_));
  Crowd::waited(now_ - Crowd::long_turn - 1, now_);
  EXPECT_TRUE(Crowd::seen(now_));
  EXPECT_TRUE(Crowd::seen(now_ + 4'000'000));
  EXPECT_FALSE(Crowd::seen(now_ + 6'000'000)) << "one wait says little";
}

// Returns how long nobody spins after a long wait.
int64_t span_after_wait(int64_t now) {
  Crowd::waited(now - 1'000'000, now);
  int64_t span = 0;
  while (Crowd::seen(now + span)) span += 1'000'000;
  return span;
}

TEST_F(CrowdTest, IsTakenToLastWhenItShowsAgain) {
  int64_t span = span_after_wait(now_), all = span;
  for (int i = 0; i < 5; ++i) {
    const int64_t next = span_after_wait(now_ + all);
    EXPECT_EQ(next, 2 * span);
    span = next;
    all += span;
  }
  for (int i = 0; i < 5; ++i) all += span = span_after_wait(now_ + all);
  EXPECT_EQ(span, 500'000'000) << "no longer than that";
  EXPECT_EQ(span_after_wait(now_ + all + 60'000'000'000), 5'000'000) << "another crowd";
}

TEST_F(CrowdTest, IsNotLengthenedWhileItIsKnown) {
  const int64_t span = span_after_wait(now_);
  for (int i = 0; i < 10; ++i) Crowd::waited(now_ - 1'000'000, now_ + 1'000'000);
  EXPECT_FALSE(Crowd::seen(now_ + span));
}

// Uses the real clock, which may pass the end of the span before the spinner looks.
TEST_F(CrowdTest, KeepsSpinnersFromSpinning) {
  Spinner spinner(Spinner::usual);
  bool kept = false;
  for (int i = 0; i < 1000 && !kept; ++i) {
    const int64_t now = os::now_ns();
    Crowd::waited(now - 1'000'000, now);
    EXPECT_TRUE(Crowd::seen(now));
    kept = !spinner.spin();
    spinner.restart();
  }
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace cuvette::exec
