// SPDX-License-Identifier: Apache-2.0
// What an observer sees of commands, and the edges that the rules between streams give them.
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/host_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/device/stream/transfer.hpp"

namespace cuvette::device {
namespace {

static_assert(sizeof(AnyOperation) <= 192, "programs queue them by the million");

struct Seen {
  int submitted = 0, started = 0, completed = 0;
  OperationKind kind{};
  memory::Region writes, reads;
  std::vector<std::pair<uint64_t, uint64_t>> edges;  // stream id and number
};

class Watcher final : public Observer {
 public:
  void submitted(const Stream& stream, uint64_t number, const Operation& operation) override {
    std::lock_guard lock(mutex_);
    Seen& seen = seen_[{stream.id(), number}];
    ++seen.submitted;
    seen.kind = operation.kind;
    seen.writes = operation.footprint().writes;
    seen.reads = operation.footprint().reads;
    const auto add = [&](const exec::Edge& edge) {
      if (edge.timeline)
        seen.edges.emplace_back(static_cast<Stream&>(*edge.timeline).id(), edge.value);
    };
    operation.each_edge(add);
    if (number != ++last_submitted_[stream.id()]) out_of_order_ = true;
  }
  void started(const Stream& stream, uint64_t number, const Operation& operation) override {
    std::lock_guard lock(mutex_);
    Seen& seen = seen_[{stream.id(), number}];
    ++seen.started;
    if (seen.submitted != 1 || number != last_completed_[stream.id()] + 1) out_of_order_ = true;
    for (const auto& [id, value] : seen.edges)
      if (last_completed_[id] < value) out_of_order_ = true;
  }
  void completed(const Stream& stream, uint64_t number, const Operation& operation) override {
    std::lock_guard lock(mutex_);
    Seen& seen = seen_[{stream.id(), number}];
    ++seen.completed;
    if (seen.started != 1 || number != ++last_completed_[stream.id()]) out_of_order_ = true;
  }
  void waited_for(const Stream& stream, uint64_t number) override {
    std::lock_guard lock(mutex_);
    waits_.emplace_back(stream.id(), number);
  }

  void synchronising(const Context&, Streams which) override {
    synchronising_ += which == Streams::all;
    synchronising_blocking_ += which == Streams::blocking;
  }
  void synchronised(const Context&, Streams which) override {
    if (which == Streams::blocking) {
      if (synchronising_blocking_ > synchronised_blocking_) ++synchronised_blocking_;
    } else if (synchronising_ == synchronised_ + 1) {
      ++synchronised_;
    }
  }
  void ended(const Stream& stream) override {
    std::lock_guard lock(mutex_);
    ended_.push_back(stream.id());
  }
  bool wants_edges() const override { return wants_edges_; }

  int synchronised() const { return synchronised_; }
  int synchronised_blocking() const { return synchronised_blocking_; }
  bool has_ended(uint64_t id) {
    std::lock_guard lock(mutex_);
    return std::find(ended_.begin(), ended_.end(), id) != ended_.end();
  }
  std::atomic<bool> wants_edges_{false};

  Seen seen(const Stream& stream, uint64_t number) {
    std::lock_guard lock(mutex_);
    return seen_[{stream.id(), number}];
  }
  size_t count() {
    std::lock_guard lock(mutex_);
    return seen_.size();
  }
  bool each_once() {
    std::lock_guard lock(mutex_);
    for (const auto& [place, seen] : seen_)
      if (seen.submitted != 1 || seen.started != 1 || seen.completed != 1) return false;
    return !out_of_order_;
  }
  bool waited(const Stream& stream, uint64_t number) {
    std::lock_guard lock(mutex_);
    for (const auto& [id, value] : waits_)
      if (id == stream.id() && value >= number) return true;
    return false;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<uint64_t, uint64_t>, Seen> seen_;
  std::map<uint64_t, uint64_t> last_submitted_, last_completed_;
  std::vector<std::pair<uint64_t, uint64_t>> waits_;
  std::atomic<int> synchronising_{0}, synchronised_{0};
  std::atomic<int> synchronising_blocking_{0}, synchronised_blocking_{0};
  std::vector<uint64_t> ended_;
  bool out_of_order_ = false;
};

using Edges = std::vector<std::pair<uint64_t, uint64_t>>;

class ObserverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Machine::start().ok());
    context_ = make_ref<Context>(*Machine::get().devices()[0], 0u, false);
    // It must not be deleted after it is detached.
    watcher_ = new Watcher;
    observers().attach(*watcher_);
  }
  void TearDown() override {
    open_ = true;
    context_->tear_down();
    observers().detach(*watcher_);
    static auto* const kept = new std::vector<Watcher*>;
    kept->push_back(watcher_);
  }

  Ref<Stream> stream(StreamKind kind) { return context_->make_stream(kind, 0); }
  uint64_t mark(Stream& stream) { return context_->submit(stream, EdgeWait(nullptr)); }
  // Holds `stream` up until `open_` is set.
  uint64_t gate(Stream& stream) {
    const HostFunction wait = [](void* open) {
      while (!*static_cast<std::atomic<bool>*>(open))
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    };
    return context_->submit(stream, HostCall(wait, &open_, nullptr));
  }
  Edges edges(Stream& stream, uint64_t number) { return watcher_->seen(stream, number).edges; }
  static std::pair<uint64_t, uint64_t> at(Stream& stream, uint64_t number) {
    return {stream.id(), number};
  }

  Ref<Context> context_;
  Watcher* watcher_ = nullptr;
  std::atomic<bool> open_{false};
};

TEST_F(ObserverTest, SeesEachCommandOnceAndInOrder) {
  const auto a = stream(StreamKind::blocking), b = stream(StreamKind::non_blocking);
  const auto event = make_ref<Event>(Ref<Context>(context_), Event::Options{}, nullptr);
  std::vector<std::thread> threads;
  std::atomic<int> called{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        mark(*a);
        EXPECT_TRUE(event->record(*b, nullptr).ok());
        EXPECT_TRUE(event->wait_in(*a, nullptr).ok());
        mark(context_->legacy_stream());
        const HostFunction count = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
        context_->submit(*b, HostCall(count, &called, nullptr));
      }
    });
  for (std::thread& thread : threads) thread.join();
  context_->synchronise();
  EXPECT_EQ(watcher_->count(), 4u * 100 * 5);
  EXPECT_TRUE(watcher_->each_once());
  EXPECT_EQ(called, 400);
}

TEST_F(ObserverTest, SeesFootprints) {
  const auto one = stream(StreamKind::non_blocking);
  const memory::Requester requester{context_->generation(), 0, nullptr};
  const auto memory = Machine::get().memory().allocate(8192, requester);
  ASSERT_TRUE(memory.ok());
  const memory::DevicePtr base = memory.value()->address;
  const Transfer transfer{*context_, *one, true, nullptr};
  ASSERT_TRUE(fill(transfer, memory::Region::linear(base + 16, 100), 7, 1).ok());
  ASSERT_TRUE(copy(transfer, {memory::Region::linear(base + 4096, 64), MemoryType::device},
                   {memory::Region::linear(base, 64), MemoryType::device})
                  .ok());
  context_->synchronise();
  const Seen filled = watcher_->seen(*one, 1), copied = watcher_->seen(*one, 2);
  EXPECT_EQ(filled.kind, OperationKind::fill);
  EXPECT_EQ(filled.writes.address, base + 16);
  EXPECT_EQ(filled.writes.extent(), 100u);
  EXPECT_TRUE(filled.reads.empty());
  EXPECT_EQ(copied.kind, OperationKind::copy);
  EXPECT_EQ(copied.writes.address, base + 4096);
  EXPECT_EQ(copied.reads.address, base);
  EXPECT_EQ(copied.reads.extent(), 64u);
}

TEST_F(ObserverTest, SeesWhatTheHostWaitedFor) {
  const auto one = stream(StreamKind::non_blocking);
  const uint64_t number = mark(*one);
  context_->wait_for(*one, number);
  EXPECT_TRUE(watcher_->waited(*one, number));
  const auto event = make_ref<Event>(Ref<Context>(context_), Event::Options{}, nullptr);
  EXPECT_TRUE(event->record(*one, nullptr).ok());
  EXPECT_TRUE(event->synchronise().ok());
  EXPECT_TRUE(watcher_->waited(*one, number + 1));
}

TEST_F(ObserverTest, SeesOnlyWaitsThatAreDocumented) {
  const auto one = stream(StreamKind::non_blocking);
  const uint64_t number = mark(*one);
  context_->wait_for_submitted();
  EXPECT_FALSE(watcher_->waited(*one, number));
  EXPECT_EQ(watcher_->synchronised(), 0);
  context_->wait_for(*one, mark(*one), number);
  EXPECT_TRUE(watcher_->waited(*one, number));
  EXPECT_FALSE(watcher_->waited(*one, number + 1));
  context_->synchronise();
  EXPECT_EQ(watcher_->synchronised(), 1);
}

TEST_F(ObserverTest, SeesThatWhoWaitsForTheLegacyStreamWaitsForBlockingOnes) {
  const auto one = stream(StreamKind::blocking);
  mark(*one);
  Stream& legacy = context_->legacy_stream();
  context_->synchronise(legacy, legacy.submitted());
  EXPECT_EQ(watcher_->synchronised_blocking(), 1);
  EXPECT_TRUE(legacy.answer_idle());
  EXPECT_EQ(watcher_->synchronised_blocking(), 2);
  context_->synchronise(*one, one->submitted());
  EXPECT_EQ(watcher_->synchronised_blocking(), 2);
  EXPECT_EQ(watcher_->synchronised(), 0);
}

TEST_F(ObserverTest, SeesWhatAQueryLearns) {
  const auto one = stream(StreamKind::non_blocking);
  const auto event = make_ref<Event>(Ref<Context>(context_), Event::Options{}, nullptr);
  gate(*one);
  EXPECT_TRUE(event->record(*one, nullptr).ok());
  EXPECT_FALSE(event->query().ok());
  EXPECT_FALSE(watcher_->waited(*one, 2));
  open_ = true;
  context_->wait_for_submitted();
  EXPECT_TRUE(event->query().ok());
  EXPECT_TRUE(watcher_->waited(*one, 2));
}

TEST_F(ObserverTest, SeesTheEndOfStreams) {
  auto one = stream(StreamKind::non_blocking);
  const uint64_t id = one->id();
  mark(*one);
  context_->synchronise();
  EXPECT_FALSE(watcher_->has_ended(id));
  one = nullptr;
  // Idle streams are dropped by the context when it synchronises, and by a worker when it looks at
  // them.
  for (int i = 0; i < 5000 && !watcher_->has_ended(id); ++i) {
    context_->synchronise();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(watcher_->has_ended(id));
}

TEST_F(ObserverTest, EdgesThatAreOverAreWantedOrNot) {
  EXPECT_FALSE(observers().want_edges());
  watcher_->wants_edges_ = true;
  EXPECT_TRUE(observers().want_edges());
}

TEST_F(ObserverTest, DetachedSeesNothingMore) {
  const auto one = stream(StreamKind::non_blocking);
  observers().detach(*watcher_);
  mark(*one);
  context_->synchronise();
  EXPECT_EQ(watcher_->count(), 0u);
  observers().attach(*watcher_);
}

TEST_F(ObserverTest, LegacyStreamWaitsForBlockingOnes) {
  const auto held = stream(StreamKind::blocking), other = stream(StreamKind::blocking),
             own = stream(StreamKind::per_thread), free = stream(StreamKind::non_blocking);
  Stream& legacy = context_->legacy_stream();
  gate(*held);
  mark(*held);
  gate(*own);
  gate(*free);
  const uint64_t first = mark(legacy);
  Edges wanted{at(*held, 2), at(*own, 1)};
  Edges got = edges(legacy, first);
  std::sort(wanted.begin(), wanted.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(edges(legacy, mark(legacy)), Edges{}) << "the stream's own order has it already";
  EXPECT_EQ(edges(*other, mark(*other)), (Edges{at(legacy, 2)}));
  EXPECT_EQ(edges(*other, mark(*other)), Edges{});
  EXPECT_EQ(edges(*free, mark(*free)), Edges{});
  EXPECT_EQ(edges(legacy, mark(legacy)), (Edges{at(*other, 2)}));
}

TEST_F(ObserverTest, WaitsAreEdgesToTheRecordOfTheTime) {
  const auto a = stream(StreamKind::non_blocking), b = stream(StreamKind::non_blocking);
  const auto event = make_ref<Event>(Ref<Context>(context_), Event::Options{}, nullptr);
  EXPECT_TRUE(event->wait_in(*b, nullptr).ok());
  EXPECT_EQ(edges(*b, 1), Edges{}) << "nothing recorded";
  gate(*a);
  EXPECT_TRUE(event->record(*a, nullptr).ok());
  EXPECT_TRUE(event->wait_in(*b, nullptr).ok());
  EXPECT_TRUE(event->record(*a, nullptr).ok());
  EXPECT_EQ(edges(*b, 2), (Edges{at(*a, 2)}));
  EXPECT_TRUE(event->wait_in(*b, nullptr).ok());
  EXPECT_EQ(edges(*b, 3), (Edges{at(*a, 3)}));
  EXPECT_FALSE(event->query().ok());
  open_ = true;
  context_->synchronise();
  EXPECT_TRUE(event->query().ok());
}

// A stream without references lives until its work is done.
TEST_F(ObserverTest, StreamsGoWithTheirWork) {
  auto one = stream(StreamKind::non_blocking);
  gate(*one);
  const uint64_t last = mark(*one);
  Stream* const raw = one.get();
  one = nullptr;
  EXPECT_EQ(raw->submitted(), last);
  open_ = true;
  context_->synchronise();
  EXPECT_TRUE(watcher_->each_once());
}

}  // namespace
}  // namespace cuvette::device
