// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/spinner.hpp"

#include <gtest/gtest.h>

namespace cuvette::exec {
namespace {

// Oversubscription belongs to the whole process, so each test begins long after the previous one.
class OversubscriptionTest : public testing::Test {
 protected:
  static inline int64_t now_ = 1'000'000'000'000'000'000;
  void SetUp() override { now_ += 100'000'000'000; }
};

TEST_F(OversubscriptionTest, IsNoticedByLongWaitsAlone) {
  Oversubscription::waited(now_ - Oversubscription::long_turn, now_);
  EXPECT_FALSE(Oversubscription::seen(now_));
  Oversubscription::waited(now_ - Oversubscription::long_turn - 1, now_);
  EXPECT_TRUE(Oversubscription::seen(now_));
  EXPECT_TRUE(Oversubscription::seen(now_ + 4'000'000));
  EXPECT_FALSE(Oversubscription::seen(now_ + 6'000'000)) << "one wait says little";
}

// Returns how long nobody spins after a long wait.
int64_t span_after_wait(int64_t now) {
  Oversubscription::waited(now - 1'000'000, now);
  int64_t span = 0;
  while (Oversubscription::seen(now + span)) span += 1'000'000;
  return span;
}

TEST_F(OversubscriptionTest, IsTakenToLastWhenItShowsAgain) {
  int64_t span = span_after_wait(now_), all = span;
  for (int i = 0; i < 5; ++i) {
    const int64_t next = span_after_wait(now_ + all);
    EXPECT_EQ(next, 2 * span);
    span = next;
    all += span;
  }
  for (int i = 0; i < 5; ++i) all += span = span_after_wait(now_ + all);
  EXPECT_EQ(span, 500'000'000) << "no longer than that";
  EXPECT_EQ(span_after_wait(now_ + all + 60'000'000'000), 5'000'000) << "another time";
}

TEST_F(OversubscriptionTest, IsNotLengthenedWhileItIsKnown) {
  const int64_t span = span_after_wait(now_);
  for (int i = 0; i < 10; ++i) Oversubscription::waited(now_ - 1'000'000, now_ + 1'000'000);
  EXPECT_FALSE(Oversubscription::seen(now_ + span));
}

// Uses the real clock, which may pass the end of the span before the spinner looks.
TEST_F(OversubscriptionTest, KeepsSpinnersFromSpinning) {
  Spinner spinner(Spinner::usual);
  bool kept = false;
  for (int i = 0; i < 1000 && !kept; ++i) {
    const int64_t now = os::now_ns();
    Oversubscription::waited(now - 1'000'000, now);
    EXPECT_TRUE(Oversubscription::seen(now));
    kept = !spinner.spin();
    spinner.restart();
  }
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace cuvette::exec
