// SPDX-License-Identifier: Apache-2.0
// Decisions that put work in a wanted order.
#include <gtest/gtest.h>

#include "tools/cuvette/step/levels.hpp"

namespace cuvette::tools {
namespace {

std::string print(const std::vector<exec::Decision>& held) {
  exec::Decisions decisions;
  decisions.held = held;
  return decisions.print();
}

TEST(StepLevels, RiseWithTheOrder) {
  EXPECT_EQ(print(held_in_order({{{1, 1}}, {{2, 1}}, {{1, 2}}})), "1.1,2.1*2,1.2*3");
}

TEST(StepLevels, AreSharedByNeighboursOfALane) {
  EXPECT_EQ(print(held_in_order({{{1, 1}}, {{1, 2}}, {{1, 3}}, {{0, 1}}})), "1.1-3,0.1*2");
}

TEST(StepLevels, AreSharedByNeighboursOfABranch) {
  EXPECT_EQ(print(held_in_order(
                {{{1, 1}}, {{1, 1, 1}, 1}, {{1, 1, 2}, 1}, {{1, 1, 5}, 1}, {{1, 1, 3}, 2}})),
            "1.1,1.1.1-2*2,1.1.5*2,1.1.3*3");
}

TEST(StepLevels, HoldUnknownWorkLongest) {
  const std::vector<Ranked> order = {{{1, 1}}, {{0, 1}}};
  auto held = held_in_order(order);
  hold_unknown(held, order);
  EXPECT_EQ(print(held), "1.1,0.1*2,0.2-1001*3,1.2-1001*3,2.1-1000*3,3.1-1000*3");
}

}  // namespace
}  // namespace cuvette::tools
