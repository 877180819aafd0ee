// SPDX-License-Identifier: Apache-2.0
// When the work of streams ends.
#include "tools/cuvette/cost/stream_clocks.hpp"

#include <gtest/gtest.h>

namespace cuvette::tools {
namespace {

constexpr auto in = Engine::from_host, out = Engine::to_host, kernels = Engine::kernels,
               none = Engine::none;

TEST(StreamClocks, RunOneAfterTheOther) {
  StreamClocks clocks(7);
  EXPECT_EQ(clocks.submit(0, 1, kernels, 100, 0, 10), 110);
  EXPECT_EQ(clocks.submit(0, 1, kernels, 101, 0, 10), 120);
  EXPECT_EQ(clocks.submit(0, 1, none, 102, 0, 10), 130);
  EXPECT_EQ(clocks.submit(0, 1, kernels, 500, 0, 10), 510) << "the stream was idle";
  EXPECT_EQ(clocks.ready(1), 510);
  EXPECT_EQ(clocks.ready(2), 0);
}

TEST(StreamClocks, WaitForOtherStreams) {
  StreamClocks clocks(7);
  EXPECT_EQ(clocks.submit(0, 1, kernels, 100, 300, 10), 310);
}

TEST(StreamClocks, LoseTimeBetweenEngines) {
  StreamClocks clocks(7);
  clocks.submit(0, 1, in, 100, 0, 10);
  EXPECT_EQ(clocks.submit(0, 1, kernels, 101, 0, 10), 110 + 7 + 10);
  EXPECT_EQ(clocks.submit(0, 1, none, 102, 0, 0), 127);
  EXPECT_EQ(clocks.submit(0, 1, out, 103, 0, 10), 127 + 7 + 10);
  EXPECT_EQ(clocks.submit(0, 1, in, 900, 0, 10), 910) << "an idle stream loses nothing";
}

TEST(StreamClocks, ShareTheDevicesCopies) {
  StreamClocks clocks(7);
  EXPECT_EQ(clocks.submit(0, 1, in, 100, 0, 50), 150);
  EXPECT_EQ(clocks.submit(0, 2, in, 101, 0, 50), 200);
  EXPECT_EQ(clocks.submit(0, 3, out, 102, 0, 50), 152) << "the other direction is free";
  EXPECT_EQ(clocks.submit(1, 4, in, 103, 0, 50), 153) << "so is another device";
}

TEST(StreamClocks, ForgetWhatTheHostKnowsToHaveEnded) {
  StreamClocks clocks(7);
  const double first = clocks.submit(0, 1, kernels, 100, 0, 10);
  clocks.submit(0, 1, kernels, 101, 0, 10);
  clocks.waited(1, first);
  EXPECT_EQ(clocks.ready(1), 120) << "there is more in the stream";
  clocks.waited(1, 120);
  EXPECT_EQ(clocks.ready(1), 0);
}

}  // namespace
}  // namespace cuvette::tools
