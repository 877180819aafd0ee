// SPDX-License-Identifier: Apache-2.0
// Random programs of streams that signal timelines and wait for them, submitted in any order that
// the streams allow, even waits before their signals. Work that the program orders must never be
// called unordered; where no wait was open, the two must agree.
#include "sim/check/order/semaphore_order.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "sim/check/order/happens_before.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check {
namespace {

using device::Context;
using device::EdgeWait;
using device::Machine;
using device::Operation;
using device::OperationKind;
using device::Stream;
using device::StreamKind;

class Semaphore final : public device::ExternalSemaphore {
 public:
  explicit Semaphore(device::SemaphoreKind kind) : ExternalSemaphore(kind) {}
  Progress signal(uint64_t value) override {
    uint64_t before = value_.load();
    if (kind() == device::SemaphoreKind::binary) value = 1;
    while (before < value && !value_.compare_exchange_weak(before, value)) {
    }
    return Progress::done;
  }
  Progress wait(uint64_t value) override {
    uint64_t one = 1;
    const bool done = kind() == device::SemaphoreKind::binary
                          ? value_.compare_exchange_strong(one, 0)
                          : value_.load() >= value;
    return done ? Progress::done : Progress::pending;
  }

 private:
  ~Semaphore() override = default;
  std::atomic<uint64_t> value_{0};
};

class OrderTeller final : public device::Observer {
 public:
  void submitted(const Stream& stream, uint64_t number, const Operation& operation) override {
    MutexLock lock(mutex);
    const Point point = happens.submitted(stream, number, operation);
    known.emplace_back();
    for (const Point& earlier : points) known.back().push_back(happens.ordered(earlier, point));
    points.push_back(point);
  }
  void completed(const Stream& stream, uint64_t number, const Operation& operation) override {
    MutexLock lock(mutex);
    happens.completed(stream, number);
  }
  bool wants_edges() const override { return true; }

  Mutex mutex;
  HappensBefore happens;
  std::vector<Point> points;
  std::vector<std::vector<bool>> known;  // known[later][earlier]: whether the earlier one comes
                                         // before the later one
};

class SemaphoreOrderTest : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Machine::start().ok());
    ASSERT_TRUE(exec::Poller::get().start().ok());
    context_ = make_ref<Context>(*Machine::get().devices()[0], 0u, false);
    teller_ = new OrderTeller;  // must not be deleted after it is detached
    device::observers().attach(*teller_);
  }
  void TearDown() override {
    context_->tear_down();
    device::observers().detach(*teller_);
    static auto* const kept = new std::vector<OrderTeller*>;
    kept->push_back(teller_);
  }
  Ref<Stream> stream() { return context_->make_stream(StreamKind::non_blocking, 0); }

  size_t mark(Stream& stream) { return submit(stream, EdgeWait(nullptr)); }
  size_t act(Stream& stream, const Ref<Semaphore>& semaphore, uint64_t value, bool signals) {
    const device::SemaphoreOperation operation{semaphore, value, 0};
    return submit(
        stream,
        std::move(device::make_semaphore_call(stream, {&operation, 1}, signals, nullptr)).value());
  }
  bool ordered(size_t earlier, size_t later) {
    MutexLock lock(teller_->mutex);
    return teller_->happens.ordered(teller_->points[earlier], teller_->points[later]);
  }

  Ref<Context> context_;
  OrderTeller* teller_ = nullptr;

 private:
  size_t submit(Stream& stream, Operation&& operation) {
    context_->submit(stream, std::move(operation));
    MutexLock lock(teller_->mutex);
    return teller_->points.size() - 1;
  }
};

TEST_F(SemaphoreOrderTest, ASignalComesBeforeTheWaitsForItsValueOrLess) {
  const auto a = stream(), b = stream(), c = stream();
  const auto timeline = make_ref<Semaphore>(device::SemaphoreKind::timeline);
  const size_t first = mark(*a);
  act(*a, timeline, 4, true);
  const size_t second = mark(*a);
  act(*a, timeline, 8, true);
  act(*b, timeline, 3, false);
  const size_t early = mark(*b);
  act(*c, timeline, 5, false);
  const size_t late = mark(*c);
  EXPECT_TRUE(ordered(first, early));
  EXPECT_FALSE(ordered(second, early));
  EXPECT_TRUE(ordered(second, late));
}

// A signal from outside can follow only from what was signalled to the outside.
TEST_F(SemaphoreOrderTest, AWaitThatIsEndedFromOutsideComesAfterWhatWasSignalled) {
  const auto a = stream(), b = stream(), c = stream();
  const auto there = make_ref<Semaphore>(device::SemaphoreKind::binary),
             back = make_ref<Semaphore>(device::SemaphoreKind::timeline);
  const size_t told = mark(*a);
  act(*a, there, 0, true);
  const size_t kept = mark(*c);
  act(*b, back, 1, false);
  const size_t open = mark(*b);
  EXPECT_TRUE(ordered(kept, open)) << "nobody can say yet";
  back->signal(1);
  context_->wait_for_submitted();
  const size_t behind = mark(*b);
  EXPECT_TRUE(ordered(told, behind));
  EXPECT_FALSE(ordered(kept, behind));
}

struct Op {
  unsigned stream;
  enum { work, signal, wait } kind;
  unsigned whose = 0;  // of a wait: whose timeline it waits for
  uint64_t value = 0;
};

TEST_P(SemaphoreOrderTest, RandomProgramsAreNeverAccused) {
  std::mt19937 random(GetParam());
  const auto below = [&](size_t limit) { return static_cast<unsigned>(random() % limit); };
  constexpr unsigned streams = 5, length = 120;

  // An order in which the program can run: each wait is for a value that has been signalled before.
  std::vector<Op> ops;
  std::vector<uint64_t> values(streams, 0);
  std::vector<std::vector<size_t>> of_stream(streams);
  std::map<std::pair<unsigned, uint64_t>, size_t> signals;
  std::vector<std::vector<size_t>> before;
  for (unsigned i = 0; i < length; ++i) {
    Op op{below(streams), Op::work};
    const unsigned other = below(streams);
    if (const unsigned kind = below(4); kind == 0) {
      op = {op.stream, Op::signal, op.stream, ++values[op.stream]};
      signals[{op.stream, op.value}] = i;
    } else if (kind == 1 && other != op.stream && values[other] > 0) {
      op = {op.stream, Op::wait, other, 1 + below(values[other])};
    }
    before.emplace_back();
    if (!of_stream[op.stream].empty()) before[i].push_back(of_stream[op.stream].back());
    if (op.kind == Op::wait) before[i].push_back(signals.at({op.whose, op.value}));
    of_stream[op.stream].push_back(i);
    ops.push_back(op);
  }
  std::vector<std::vector<bool>> comes_before(length, std::vector<bool>(length, false));
  for (size_t i = 0; i < length; ++i)
    for (const size_t one : before[i]) {
      comes_before[one][i] = true;
      for (size_t j = 0; j < length; ++j)
        if (comes_before[j][one]) comes_before[j][i] = true;
    }

  // The program is submitted in another order, which only keeps that of each stream.
  std::vector<Ref<Stream>> made;
  std::vector<Ref<Semaphore>> timelines;
  for (unsigned i = 0; i < streams; ++i) {
    made.push_back(stream());
    timelines.push_back(make_ref<Semaphore>(device::SemaphoreKind::timeline));
  }
  std::vector<size_t> next(streams, 0), told;
  std::vector<bool> any_open, signalled(length, false);
  const bool in_order = GetParam() % 4 == 0;
  while (told.size() < length) {
    size_t op = told.size();
    if (!in_order) {
      const unsigned from = below(streams);
      if (next[from] == of_stream[from].size()) continue;
      op = of_stream[from][next[from]++];
    }
    const Op& one = ops[op];
    told.push_back(op);
    if (one.kind == Op::signal) signalled[op] = true;
    bool open = false;
    for (const size_t other : told)
      open = open || (ops[other].kind == Op::wait &&
                      !signalled[signals.at({ops[other].whose, ops[other].value})]);
    any_open.push_back(open);
    if (one.kind == Op::work) {
      mark(*made[one.stream]);
    } else {
      act(*made[one.stream], timelines[one.whose], one.value, one.kind == Op::signal);
    }
  }
  context_->wait_for_submitted();

  MutexLock lock(teller_->mutex);
  unsigned open = 0, unordered = 0;
  for (size_t later = 0; later < length; ++later) {
    open += any_open[later];
    for (size_t earlier = 0; earlier < later; ++earlier) {
      const size_t a = told[earlier], b = told[later];
      const bool truth = comes_before[a][b] || comes_before[b][a];
      const bool said = teller_->known[later][earlier];
      if (truth) {
        ASSERT_TRUE(said) << a << " and " << b;
      }
      // While a wait is open, unordered work may be called ordered.
      if (!truth && !any_open[later]) {
        ASSERT_FALSE(said) << a << " and " << b;
        ++unordered;
      }
    }
  }
  EXPECT_GT(unordered, 0u);
  if (in_order) {
    EXPECT_EQ(open, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SemaphoreOrderTest, testing::Range(0u, 200u));

}  // namespace
}  // namespace cuvette::check
