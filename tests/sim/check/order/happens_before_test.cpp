// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events and waits of the host: HappensBefore must agree with a plain
// model, in which every rule is an arrow, and order is reachability along the arrows.
#include "sim/check/order/happens_before.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/host_call.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/transfer.hpp"

namespace cuvette::check {
namespace {

using device::Context;
using device::EdgeWait;
using device::Event;
using device::HostCall;
using device::Machine;
using device::Operation;
using device::OperationKind;
using device::Stream;
using device::StreamKind;

// Reports what happens to a HappensBefore, and keeps the points.
class Teller final : public device::Observer {
 public:
  void submitted(const Stream& stream, uint64_t number, const Operation& operation) override {
    MutexLock lock(mutex);
    points[{stream.id(), number}] = happens.submitted(stream, number, operation);
  }
  void started(const Stream& stream, uint64_t number, const Operation& operation) override {
    MutexLock lock(mutex);
    if (operation.kind == OperationKind::host_function) happens.calls_host(stream, number);
  }
  void waited_for(const Stream& stream, uint64_t number) override {
    MutexLock lock(mutex);
    happens.waited_for(stream, number);
  }
  void synchronising(const Context& context, device::Streams which) override {
    MutexLock lock(mutex);
    pending =
        which == device::Streams::all ? happens.all_of(context) : happens.blocking_of(context);
  }
  void synchronised(const Context&, device::Streams) override {
    MutexLock lock(mutex);
    happens.host_learns(pending);
  }
  void ended(const Stream& stream) override {
    MutexLock lock(mutex);
    happens.ended(stream);
  }
  bool wants_edges() const override { return true; }

  Point point(const Stream& stream, uint64_t number) {
    MutexLock lock(mutex);
    return points.at({stream.id(), number});
  }
  size_t streams() {
    MutexLock lock(mutex);
    return happens.streams();
  }
  bool ordered(const Point& a, const Point& b) {
    MutexLock lock(mutex);
    return happens.ordered(a, b);
  }

  Mutex mutex;
  HappensBefore happens;
  Clock pending;  // one is enough, since the tests have one host thread
  std::map<std::pair<uint64_t, uint64_t>, Point> points;
};

class HappensBeforeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Machine::start().ok());
    context_ = new_context();
    // It must not be deleted after it is detached.
    teller_ = new Teller;
    device::observers().attach(*teller_);
  }
  void TearDown() override {
    context_->tear_down();
    device::observers().detach(*teller_);
    static auto* const kept = new std::vector<Teller*>;
    kept->push_back(teller_);
  }

  static Ref<Context> new_context() {
    return make_ref<Context>(*Machine::get().devices()[0], 0u, false);
  }
  static Ref<Stream> stream(Context& context, StreamKind kind = StreamKind::non_blocking) {
    return context.make_stream(kind, 0);
  }
  Ref<Stream> stream(StreamKind kind = StreamKind::non_blocking) { return stream(*context_, kind); }
  Ref<Event> event() { return make_ref<Event>(Ref<Context>(context_), Event::Options{}, nullptr); }
  Point mark(Stream& stream) {
    const uint64_t number = stream.context().submit(stream, EdgeWait(nullptr));
    return teller_->point(stream, number);
  }
  bool ordered(const Point& a, const Point& b) { return teller_->ordered(a, b); }

  Ref<Context> context_;
  Teller* teller_ = nullptr;
};

// --- One rule each ---

TEST_F(HappensBeforeTest, StreamsOfTheirOwnAreNotOrdered) {
  const auto a = stream(), b = stream();
  const Point first = mark(*a), second = mark(*b), third = mark(*a);
  EXPECT_FALSE(ordered(first, second));
  EXPECT_TRUE(ordered(first, third));
  EXPECT_FALSE(ordered(second, third));
}

TEST_F(HappensBeforeTest, AnEventOrdersAlsoWhatIsOverAlready) {
  const auto a = stream(), b = stream();
  const auto done = event();
  const Point before = mark(*a);
  EXPECT_TRUE(done->record(*a, nullptr).ok());
  const Point after = mark(*a);
  context_->wait_for_submitted();  // the program has not asked for this wait, so it promises
                                   // nothing
  const Point early = mark(*b);
  EXPECT_TRUE(done->wait_in(*b, nullptr).ok());
  const Point late = mark(*b);
  EXPECT_FALSE(ordered(before, early));
  EXPECT_TRUE(ordered(before, late));
  EXPECT_FALSE(ordered(after, late));
}

TEST_F(HappensBeforeTest, AWaitIsForTheRecordOfTheTime) {
  const auto a = stream(), b = stream(), c = stream();
  const auto done = event();
  EXPECT_TRUE(done->record(*a, nullptr).ok());
  EXPECT_TRUE(done->wait_in(*b, nullptr).ok());
  const Point work = mark(*a);
  EXPECT_TRUE(done->record(*a, nullptr).ok());
  const Point in_b = mark(*b);
  EXPECT_TRUE(done->wait_in(*c, nullptr).ok());
  EXPECT_FALSE(ordered(work, in_b));
  EXPECT_TRUE(ordered(work, mark(*c)));
}

TEST_F(HappensBeforeTest, EventsMeanWhatWasKnownThen) {
  const auto a = stream(), b = stream(), c = stream();
  const auto early = event(), link = event();
  const Point in_a = mark(*a);
  EXPECT_TRUE(early->record(*b, nullptr).ok());
  EXPECT_TRUE(link->record(*a, nullptr).ok());
  EXPECT_TRUE(link->wait_in(*b, nullptr).ok());  // from here on b knows of a
  EXPECT_TRUE(early->wait_in(*c, nullptr).ok());
  EXPECT_FALSE(ordered(in_a, mark(*c)));
  EXPECT_TRUE(ordered(in_a, mark(*b)));
}

TEST_F(HappensBeforeTest, TheHostKnowsWhatItHasWaitedFor) {
  const auto a = stream(), b = stream(), c = stream();
  const Point in_a = mark(*a), in_c = mark(*c);
  const Point unaware = mark(*b);
  context_->wait_for(*a, a->submitted());
  const Point aware = mark(*b);
  EXPECT_FALSE(ordered(in_a, unaware));
  EXPECT_TRUE(ordered(in_a, aware));
  EXPECT_FALSE(ordered(in_c, aware));
  context_->synchronise();
  EXPECT_TRUE(ordered(in_c, mark(*b)));
}

TEST_F(HappensBeforeTest, WhoWaitsForTheLegacyStreamWaitsForBlockingStreams) {
  const auto a = stream(StreamKind::blocking), b = stream(), free = stream();
  const Point in_a = mark(*a), in_free = mark(*free);
  Stream& legacy = context_->legacy_stream();
  context_->synchronise(legacy, legacy.submitted());
  const Point later = mark(*a), aware = mark(*b);
  EXPECT_TRUE(ordered(in_a, aware));
  EXPECT_FALSE(ordered(in_free, aware));
  EXPECT_FALSE(ordered(later, aware));
  context_->wait_for(*a, a->submitted(), 0);
  EXPECT_TRUE(legacy.answer_idle());
  EXPECT_TRUE(ordered(later, mark(*b)));
}

TEST_F(HappensBeforeTest, AContextIsWaitedForWithWhatItsStreamsWaitedFor) {
  const auto other = new_context();
  const auto theirs = stream(*other), ours = stream(), third = stream(*other);
  const Point far = mark(*theirs);
  const auto done = event();
  EXPECT_TRUE(done->record(*theirs, nullptr).ok());
  EXPECT_TRUE(done->wait_in(*ours, nullptr).ok());
  context_->synchronise();
  EXPECT_TRUE(ordered(far, mark(*third)));
  const Point unknown = mark(*theirs);
  context_->synchronise();
  EXPECT_FALSE(ordered(unknown, mark(*third)));
  other->tear_down();
}

TEST_F(HappensBeforeTest, TheLegacyStreamIsOrderedWithBlockingStreams) {
  const auto a = stream(StreamKind::blocking), b = stream(StreamKind::blocking), free = stream();
  Stream& legacy = context_->legacy_stream();
  const Point in_a = mark(*a), in_free = mark(*free);
  const Point unordered = mark(*b);
  const Point in_legacy = mark(legacy);
  const Point later_b = mark(*b), later_free = mark(*free);
  EXPECT_FALSE(ordered(in_a, unordered));
  EXPECT_TRUE(ordered(in_a, in_legacy));
  EXPECT_FALSE(ordered(in_free, in_legacy));
  EXPECT_TRUE(ordered(in_a, later_b));
  EXPECT_TRUE(ordered(in_legacy, later_b));
  EXPECT_FALSE(ordered(in_legacy, later_free));
}

TEST_F(HappensBeforeTest, WhatABlockingStreamWaitedForIsBeforeTheLegacyStream) {
  const auto blocking = stream(StreamKind::blocking), free = stream(), other = stream();
  const Point in_free = mark(*free);
  const auto done = event();
  EXPECT_TRUE(done->record(*free, nullptr).ok());
  const Point not_known = mark(*free);
  EXPECT_TRUE(done->wait_in(*blocking, nullptr).ok());
  const Point in_legacy = mark(context_->legacy_stream());
  EXPECT_TRUE(ordered(in_free, in_legacy));
  EXPECT_FALSE(ordered(not_known, in_legacy));
}

TEST_F(HappensBeforeTest, HostFunctionsTellTheHost) {
  const auto a = stream(), b = stream();
  const Point before = mark(*a);
  std::atomic<bool> called{false};
  const device::HostFunction tell = [](void* data) {
    *static_cast<std::atomic<bool>*>(data) = true;
  };
  context_->submit(*a, HostCall(tell, &called, nullptr));
  const Point after = mark(*a);
  while (!called) std::this_thread::yield();
  const Point later = mark(*b);
  EXPECT_TRUE(ordered(before, later));
  EXPECT_FALSE(ordered(after, later));
}

TEST_F(HappensBeforeTest, SynchronousCopiesPromiseWhatIsDocumented) {
  const memory::Requester requester{context_->generation(), 0, nullptr};
  const auto memory = Machine::get().memory().allocate(64, requester);
  ASSERT_TRUE(memory.ok());
  const device::CopyOperand there{memory::Region::linear(memory.value()->address, 64),
                                  device::MemoryType::device};
  char bytes[64] = {};
  const device::CopyOperand here{
      memory::Region::linear(reinterpret_cast<memory::DevicePtr>(bytes), 64),
      device::MemoryType::host};
  const auto a = stream(), b = stream();
  const Point before = mark(*a);
  // A synchronous copy from pageable memory to the device: earlier work is over, but the copy
  // itself may not be.
  ASSERT_TRUE(device::copy({*context_, *a, false, nullptr}, there, here).ok());
  const Point copy = teller_->point(*a, a->submitted());
  const Point after = mark(*b);
  EXPECT_TRUE(ordered(before, after));
  EXPECT_FALSE(ordered(copy, after));
  // A synchronous copy from the device to the host is over.
  ASSERT_TRUE(device::copy({*context_, *a, false, nullptr}, here, there).ok());
  EXPECT_TRUE(ordered(teller_->point(*a, a->submitted()), mark(*b)));
  // An asynchronous copy to pageable memory may or may not be synchronous.
  ASSERT_TRUE(device::copy({*context_, *a, true, nullptr}, here, there).ok());
  EXPECT_FALSE(ordered(teller_->point(*a, a->submitted()), mark(*b)));
}

TEST_F(HappensBeforeTest, BetweenIsBehindWhatIsThereAndBeforeWhatComes) {
  const auto a = stream(), b = stream(), c = stream(), d = stream();
  const auto before = event(), after = event();
  EXPECT_TRUE(before->record(*a, nullptr).ok());
  Point between;
  {
    MutexLock lock(teller_->mutex);
    between = teller_->happens.between(*a);
  }
  EXPECT_TRUE(after->record(*a, nullptr).ok());
  EXPECT_TRUE(before->wait_in(*b, nullptr).ok());
  EXPECT_TRUE(after->wait_in(*c, nullptr).ok());
  EXPECT_FALSE(ordered(between, mark(*b)));
  EXPECT_TRUE(ordered(between, mark(*c)));
  EXPECT_FALSE(ordered(between, mark(*d)));
  context_->wait_for(*a, a->submitted());
  EXPECT_TRUE(ordered(between, mark(*d)));
}

// --- All rules together ---

// A graph with arrows between all events: commands, and what the host learns.
class Model {
 public:
  explicit Model(size_t streams) : last_(streams, none) {}
  static constexpr size_t none = SIZE_MAX;

  size_t command(size_t stream, StreamKind kind, const std::vector<size_t>& after) {
    const size_t node = add();
    arrow(last_[stream], node);
    arrow(host_, node);
    for (size_t other = 0; other < last_.size(); ++other)
      if ((kind == StreamKind::legacy && blocks_[other] == StreamKind::blocking) ||
          (kind == StreamKind::blocking && blocks_[other] == StreamKind::legacy))
        arrow(last_[other], node);
    for (const size_t one : after) arrow(one, node);
    last_[stream] = node;
    return node;
  }
  void host_learns(const std::vector<size_t>& what) {
    const size_t node = add();
    arrow(host_, node);
    for (const size_t one : what) arrow(one, node);
    host_ = node;
  }
  void set_kind(size_t stream, StreamKind kind) { blocks_[stream] = kind; }
  size_t last(size_t stream) const { return last_[stream]; }
  const std::vector<size_t>& last_of_all() const { return last_; }
  bool before(size_t a, size_t b) const { return reached_[b][a]; }

 private:
  size_t add() {
    const size_t node = reached_.size();
    reached_.emplace_back(node + 1, false);
    return node;
  }
  // Arrows lead to the newest node, so everything before their tail is already known.
  void arrow(size_t from, size_t to) {
    if (from == none) return;
    reached_[to][from] = true;
    for (size_t i = 0; i < reached_[from].size(); ++i)
      if (reached_[from][i]) reached_[to][i] = true;
  }

  std::vector<size_t> last_;
  std::map<size_t, StreamKind> blocks_;
  size_t host_ = none;
  std::vector<std::vector<bool>> reached_;
};

class RandomProgram : public HappensBeforeTest, public testing::WithParamInterface<unsigned> {};

TEST_P(RandomProgram, IsOrderedAsTheModelIs) {
  std::mt19937 random(GetParam());
  const std::vector<StreamKind> kinds = {
      StreamKind::legacy,       StreamKind::blocking,     StreamKind::blocking,
      StreamKind::blocking,     StreamKind::non_blocking, StreamKind::non_blocking,
      StreamKind::non_blocking,
  };
  Model model(kinds.size());
  std::vector<Ref<Stream>> streams;
  for (size_t i = 0; i < kinds.size(); ++i) {
    model.set_kind(i, kinds[i]);
    streams.push_back(kinds[i] == StreamKind::legacy ? Ref<Stream>(&context_->legacy_stream())
                                                     : stream(kinds[i]));
  }
  std::vector<Ref<Event>> events;
  std::vector<size_t> recorded(4, Model::none);
  for (size_t i = 0; i < recorded.size(); ++i) events.push_back(event());
  struct Told {
    Point point;
    size_t node;
  };
  std::vector<Told> told;
  const auto tell = [&](size_t s, const std::vector<size_t>& after) {
    told.push_back(
        {teller_->point(*streams[s], streams[s]->submitted()), model.command(s, kinds[s], after)});
  };
  for (int step = 0; step < 300; ++step) {
    const size_t s = random() % streams.size(), e = random() % events.size();
    switch (random() % 16) {
      case 0:
        context_->wait_for(*streams[s], streams[s]->submitted());
        model.host_learns({model.last(s)});
        break;
      case 1:
        EXPECT_TRUE(events[e]->synchronise().ok());
        model.host_learns({recorded[e]});
        break;
      case 2:
        if (events[e]->query().ok()) model.host_learns({recorded[e]});
        break;
      case 3:
        if (streams[s]->answer_completed(streams[s]->submitted()))
          model.host_learns({model.last(s)});
        break;
      case 4:
        if (random() % 4 != 0) break;
        context_->synchronise();
        model.host_learns(model.last_of_all());
        break;
      case 5:
        context_->wait_for_submitted();
        break;
      case 6:
        // Replaces a stream by a new one; the old one's work goes on.
        if (s == 0) break;
        // The model has one row for both streams, so they must be ordered.
        context_->wait_for(*streams[s], streams[s]->submitted());
        model.host_learns({model.last(s)});
        streams[s] = stream(kinds[s]);
        break;
      case 7:
      case 8:
      case 9:
        EXPECT_TRUE(events[e]->record(*streams[s], nullptr).ok());
        tell(s, {});
        recorded[e] = told.back().node;
        break;
      case 10:
      case 11:
      case 12:
        EXPECT_TRUE(events[e]->wait_in(*streams[s], nullptr).ok());
        tell(s, {recorded[e]});
        break;
      default:
        mark(*streams[s]);
        tell(s, {});
    }
    if (told.empty()) continue;
    const Told& newest = told.back();
    for (const Told& one : told) {
      if (&one == &newest) continue;
      ASSERT_EQ(ordered(one.point, newest.point), model.before(one.node, newest.node))
          << "step " << step << ": command " << one.point.position / 2 << " of stream "
          << one.point.stream << " and " << newest.point.position / 2 << " of "
          << newest.point.stream;
    }
  }
  // Compares all pairs once more, now that the later clocks are in the past.
  const auto lives = [&](uint64_t id) {
    return std::any_of(streams.begin(), streams.end(),
                       [&](const auto& stream) { return stream->id() == id; });
  };
  for (size_t b = 0; b < told.size(); ++b)
    for (size_t a = 0; a < b && lives(told[b].point.stream); ++a)
      ASSERT_EQ(ordered(told[a].point, told[b].point), model.before(told[a].node, told[b].node));
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range(0u, 40u));

// --- Ten thousand streams ---

// If any cost grew with the square of the streams, this would hardly end.
TEST_F(HappensBeforeTest, TenThousandStreamsAreCheap) {
  constexpr size_t count = 10'000;
  std::vector<Ref<Stream>> streams;
  for (size_t i = 0; i < count; ++i)
    streams.push_back(stream(i % 2 ? StreamKind::blocking : StreamKind::non_blocking));
  Point in_blocking, in_free, after;
  for (int round = 0; round < 2; ++round) {
    for (const auto& one : streams) mark(*one);
    in_free = teller_->point(*streams[0], streams[0]->submitted());
    in_blocking = teller_->point(*streams[1], streams[1]->submitted());
    after = mark(context_->legacy_stream());
    EXPECT_TRUE(ordered(in_blocking, after));
    EXPECT_FALSE(ordered(in_free, after));
    for (const auto& one : streams) mark(*one);
    context_->synchronise();
    EXPECT_TRUE(ordered(in_free, mark(*streams[2])));
    // A chain of events through all streams; then the host waits for each stream by itself.
    const auto link = event();
    for (const auto& one : streams) {
      EXPECT_TRUE(link->wait_in(*one, nullptr).ok());
      EXPECT_TRUE(link->record(*one, nullptr).ok());
    }
    EXPECT_TRUE(
        ordered(teller_->point(*streams[1], streams[1]->submitted()), mark(*streams[count - 1])));
    for (const auto& one : streams) context_->wait_for(*one, one->submitted());
  }
  EXPECT_GE(teller_->streams(), count);
  streams.clear();
  mark(context_->legacy_stream());  // waits for the blocking streams, and drops those that ended
  context_->synchronise();
  // Workers may still hold some of them.
  for (int i = 0; i < 5000 && teller_->streams() >= 100; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LT(teller_->streams(), 100u) << "streams that have ended are forgotten";
}

}  // namespace
}  // namespace cuvette::check
