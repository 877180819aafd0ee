// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/stream_order.hpp"

#include <gtest/gtest.h>

namespace cuvette::device {
namespace {

TEST(StreamOrder, LearnsFromEventsAndThroughThem) {
  StreamOrder::keep();
  StreamOrder b, c;
  EXPECT_EQ(b.known(), nullptr);
  b.learn(nullptr, 1, 10);
  const auto at_record = b.known();
  b.learn(nullptr, 1, 20);
  c.learn(at_record.get(), 2, 5);
  EXPECT_EQ(c.known()->last_of(1), 10u) << "what b learned after the record does not count";
  EXPECT_EQ(c.known()->last_of(2), 5u);
  EXPECT_EQ(c.known()->last_of(3), 0u);
  c.learn(nullptr, 1, 7);
  EXPECT_EQ(c.known()->last_of(1), 10u) << "nothing is forgotten for an older one";
}

TEST(StreamOrder, ForgetsTheOldestStreamsRatherThanGrow) {
  StreamOrder::keep();
  StreamOrder order;
  for (uint64_t stream = 1; stream <= 1000; ++stream) order.learn(nullptr, stream, 3);
  EXPECT_EQ(order.known()->last_of(1000), 3u);
  EXPECT_EQ(order.known()->last_of(1), 0u);
}

}  // namespace
}  // namespace cuvette::device
