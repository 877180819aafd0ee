// SPDX-License-Identifier: Apache-2.0
#include "sim/os/output.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <thread>

namespace cuvette::os {
namespace {

std::string said(const std::string& text, int number) {
  testing::internal::CaptureStderr();
  say("%s, %d.", text.c_str(), number);
  return testing::internal::GetCapturedStderr();
}

TEST(say, WritesOneLine) { EXPECT_EQ(said("a sentence", 7), "cuvette: a sentence, 7.\n"); }

// A short sentence is written from the stack. Both sides of the limit, and what is far above it.
TEST(say, WritesAllOfALongSentence) {
  for (const size_t length : {1000, 1017, 1018, 1019, 1020, 1021, 1024, 1025, 100000}) {
    const std::string text(length, 'x');
    EXPECT_EQ(said(text, -1), "cuvette: " + text + ", -1.\n") << length;
  }
}

TEST(say, TakesNoLockOfStdio) {
  testing::internal::CaptureStderr();
  flockfile(stderr);
  std::thread([] { say("%s", "another thread is inside stderr"); }).join();
  funlockfile(stderr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cuvette: another thread is inside stderr\n");
}

}  // namespace
}  // namespace cuvette::os
