// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/launch_observer.hpp"

#include <gtest/gtest.h>

namespace cuvette::watch {
namespace {

struct Curious final : KernelObserver {
  bool wants_touched() const override { return wants; }
  bool wants = false;
};

TEST(LaunchObserver, WhatKernelsTouchIsWantedOrNot) {
  const auto wanted = [] {
    return LaunchObserver::get().kernel_observers().any(&KernelObserver::wants_touched);
  };
  EXPECT_FALSE(wanted());
  static Curious one, other;
  LaunchObserver::get().kernel_observers().attach(one);
  LaunchObserver::get().kernel_observers().attach(other);
  EXPECT_FALSE(wanted());
  other.wants = true;
  EXPECT_TRUE(wanted());
  LaunchObserver::get().kernel_observers().detach(other);
  EXPECT_FALSE(wanted());
}

}  // namespace
}  // namespace cuvette::watch
