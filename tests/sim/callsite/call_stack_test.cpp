// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/call_stack.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "sim/callsite/symbol.hpp"

namespace cuvette::callsite {
namespace {

// Stands for an entry point of the driver.
[[gnu::noinline]] const void* entry() {
  const void* const place = place_of_call(__builtin_return_address(0));
  asm volatile("");  // no tail call
  return place;
}

[[gnu::noinline]] const void* upper(int depth) {
  const void* const place = depth == 0 ? entry() : upper(depth - 1);
  asm volatile("");
  return place;
}

class CallStack : public testing::Test {
 protected:
  // For good: no other test of this program minds.
  CallStack() { keep_stacks(); }
};

TEST_F(CallStack, BeginsWithTheCallAndIsKeptOnce) {
  std::vector<const void*> places;
  for (int turn = 0; turn < 3; ++turn) places.push_back(upper(2));
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[1], places[2]);
  const auto stack = stack_of(places[0]);
  ASSERT_GT(stack.size(), 4u);
  EXPECT_NE(describe(static_cast<const char*>(stack[0]) - 1).find("upper(int)+"),
            std::string::npos);
  EXPECT_EQ(stack[1], stack[2]);  // the recursive call
}

TEST_F(CallStack, DiffersWithItsOuterFrames) {
  // The same calls come again from other depths, so what is remembered must not deceive.
  std::vector<const void*> places;
  for (int turn = 0; turn < 2; ++turn)
    for (int depth = 0; depth < 4; ++depth) places.push_back(upper(depth));
  for (size_t depth = 0; depth < 4; ++depth) {
    EXPECT_NE(places[depth], places[(depth + 1) % 4]);
    EXPECT_EQ(stack_of(places[depth]).size(), stack_of(places[0]).size() + depth);
    EXPECT_EQ(stack_of(places[depth])[0], stack_of(places[0])[0]);
  }
}

// How many frames describe_call() joins.
size_t frames_in(const std::string& text) {
  size_t count = 1;
  for (size_t at = 0; (at = text.find(", called from ", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_F(CallStack, IsDescribedWithoutTheTestFramework) {
  const std::string text = describe_call(upper(1));
  EXPECT_EQ(text.find("testing::"), std::string::npos) << text;
  EXPECT_NE(text.find("TestBody"), std::string::npos) << text;
  EXPECT_LE(frames_in(text), 4u) << text;  // two of upper(), the test, main()
}

TEST_F(CallStack, IsDescribedInTwelveFramesAtMost) {
  EXPECT_EQ(frames_in(describe_call(upper(9))), 12u);
  const std::string text = describe_call(upper(10));
  EXPECT_EQ(frames_in(text), 13u) << text;
  EXPECT_TRUE(text.ends_with(", called from ...")) << text;
}

TEST_F(CallStack, IsOfTheCallingThread) {
  const void* elsewhere = nullptr;
  std::thread([&] { elsewhere = upper(0); }).join();
  const void* const here = upper(0);
  EXPECT_NE(elsewhere, here);
  EXPECT_EQ(caller_of(elsewhere), caller_of(here));
}

TEST(stack_of, ReturnsAnAddressThatIsNoStack) {
  const void* const place = &place;
  EXPECT_EQ(stack_of(place).size(), 1u);
  EXPECT_EQ(stack_of(place)[0], place);
  EXPECT_EQ(caller_of(nullptr), nullptr);
}

}  // namespace
}  // namespace cuvette::callsite
