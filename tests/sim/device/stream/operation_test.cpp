// SPDX-License-Identifier: Apache-2.0
// How a stream treats an operation's results: done, blocked, elsewhere.
#include "sim/device/stream/operation.hpp"
#include "sim/device/stream/context.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/host_call.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::device {
namespace {

// A timeline that the test advances.
class Signal final : public exec::Timeline {
 public:
  void reach(uint64_t value) { advance(value); }
};

// What an operation of the test records; it outlives the operation.
struct Counts {
  std::atomic<int> steps{0}, helped{0}, alive{0};
  std::atomic<OperationRunner*> runner{nullptr};
};

// Waits for its signal to reach 1, 2, ... `times` in turn.
class Waits final : public OperationOf<Waits> {
 public:
  Waits(Counts& counts, Ref<Signal> signal, uint64_t times)
      : OperationOf(OperationKind::event_wait, nullptr),
        counts_(&counts),
        signal_(std::move(signal)),
        times_(times) {
    ++counts_->alive;
  }
  Waits(Waits&& other) : OperationOf(std::move(other)) {
    counts_ = other.counts_;
    signal_ = std::move(other.signal_);
    times_ = other.times_;
    ++counts_->alive;
  }
  ~Waits() override { --counts_->alive; }

  Progress step(OperationRunner&) override {
    const auto step = static_cast<uint64_t>(++counts_->steps);
    if (step > times_) return Progress::done();
    return Progress::blocked({signal_, step});
  }
  bool may_block() const override { return true; }

 private:
  Counts* counts_;
  Ref<Signal> signal_;
  uint64_t times_;
};

// Finished by other threads, or by `most` calls of help().
class GivesAway final : public OperationOf<GivesAway> {
 public:
  GivesAway(Counts& counts, int most)
      : OperationOf(OperationKind::graph, nullptr), counts_(&counts), most_(most) {}

  Progress step(OperationRunner& runner) override {
    ++counts_->steps;
    runner.hand_over(true);
    counts_->runner = &runner;
    return Progress::elsewhere();
  }
  bool help() override { return ++counts_->helped == most_; }

 private:
  Counts* const counts_;
  const int most_;
};

class OperationTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Machine::start().ok());
    context_ = make_ref<Context>(*Machine::get().devices()[0], 0u, false);
    stream_ = context_->make_stream(StreamKind::non_blocking, 0);
  }
  void TearDown() override {
    stream_ = nullptr;
    context_->tear_down();
  }

  Ref<Context> context_;
  Ref<Stream> stream_;
  Counts counts_;
};

TEST_F(OperationTest, IsSteppedAgainWhenWhatBlockedItIsReached) {
  const auto signal = make_ref<Signal>();
  const uint64_t number = context_->submit(*stream_, Waits(counts_, signal, 3));
  const uint64_t behind = context_->submit(*stream_, EdgeWait(nullptr));
  for (uint64_t value = 1; value <= 3; ++value) {
    while (counts_.steps < static_cast<int>(value)) std::this_thread::yield();
    EXPECT_FALSE(stream_->reached(number)) << value;
    signal->reach(value);
  }
  context_->wait_for(*stream_, behind);
  EXPECT_EQ(counts_.steps, 4);
}

TEST_F(OperationTest, IsDestroyedOnceDone) {
  const auto signal = make_ref<Signal>();
  signal->reach(1);
  for (int i = 0; i < 100; ++i) context_->submit(*stream_, Waits(counts_, signal, 0));
  context_->synchronise();
  EXPECT_EQ(counts_.alive, 0);
  EXPECT_EQ(counts_.steps, 100);
}

TEST_F(OperationTest, IsNotSteppedBeforeItsEdgesAreReached) {
  const auto signal = make_ref<Signal>(), other = make_ref<Signal>();
  Waits operation(counts_, signal, 0);
  operation.wait_for({signal, 1});
  operation.wait_for({other, 2});
  EXPECT_EQ(operation.unreached().timeline, Ref<exec::Timeline>(signal));
  context_->submit(*stream_, std::move(operation));
  EXPECT_EQ(counts_.steps, 0);
  signal->reach(1);
  EXPECT_FALSE(stream_->answer_completed(1));
  EXPECT_EQ(counts_.steps, 0);
  other->reach(2);
  context_->wait_for(*stream_, 1);
  EXPECT_EQ(counts_.steps, 1);
}

TEST_F(OperationTest, IsFinishedByWhoeverItWasHandedTo) {
  context_->submit(*stream_, GivesAway(counts_, -1));
  std::thread other([&] {
    while (!counts_.runner) std::this_thread::yield();
    counts_.runner.load()->done_elsewhere(false);
  });
  context_->wait_for(*stream_, 1);
  other.join();
  EXPECT_EQ(counts_.steps, 1);
}

TEST_F(OperationTest, IsHelpedByWhoeverWaits) {
  context_->submit(*stream_, GivesAway(counts_, 1));
  context_->wait_for(*stream_, 1);
  EXPECT_EQ(counts_.steps, 1);
  EXPECT_EQ(counts_.helped, 1);
}

// Operations are handed over while other threads submit: none is lost, and none runs twice.
TEST_F(OperationTest, TakesTurnsWithHostCalls) {
  std::atomic<int> called{0};
  const HostFunction count = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  const auto signal = make_ref<Signal>();
  signal->reach(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        context_->submit(*stream_, HostCall(count, &called, nullptr));
        context_->submit(*stream_, EdgeWait(nullptr));
      }
    });
  for (std::thread& thread : threads) thread.join();
  context_->synchronise();
  EXPECT_EQ(called, 800);
  EXPECT_EQ(stream_->completed(), 1600u);
}

}  // namespace
}  // namespace cuvette::device
