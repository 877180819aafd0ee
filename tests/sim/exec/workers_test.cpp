// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "sim/os/threads.hpp"
#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

class Tally final : public Pieces {
 public:
  explicit Tally(size_t count) : times(count) {}
  void run(size_t index) override { times[index].fetch_add(1, std::memory_order_relaxed); }
  std::vector<std::atomic<int>> times;
};

class WorkersTest : public testing::Test {
 protected:
  void SetUp() override { start_workers(); }
};

TEST_F(WorkersTest, RunEachPieceOnce) {
  for (const size_t count : {1, 2, 3, 4, 5, 64, 1000}) {
    Tally tally(count);
    Workers::get().run_pieces(count, tally);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(tally.times[i], 1) << i << " of " << count;
  }
}

TEST_F(WorkersTest, ShareThePiecesAmongThreads) {
  class Meeting final : public Pieces {
   public:
    // Returns once a second thread is inside, too.
    void run(size_t) override {
      ++inside;
      if (!eventually([&] { return inside >= 2; })) alone = true;
    }
    std::atomic<int> inside{0};
    std::atomic<bool> alone{false};
  } meeting;
  Workers::get().run_pieces(2, meeting);
  EXPECT_FALSE(meeting.alone) << "no worker came to help";
}

// A member that has no processor would otherwise get one only when the caller's time slice ends.
TEST_F(WorkersTest, SleepWhileAMemberIsAtALongPiece) {
  class Uneven final : public Pieces {
   public:
    void run(size_t) override {
      ++inside;
      if (!eventually([&] { return inside >= 2; })) return;
      if (std::this_thread::get_id() == caller) {
        // Set only now, since new threads inherit the name.
        pthread_setname_np(pthread_self(), "the caller");
        return;
      }
      slept = eventually([] {
        const auto threads = os::thread_activities();
        return std::any_of(threads.begin(), threads.end(), [](const os::ThreadActivity& thread) {
          return thread.name == "the caller" && thread.state == os::ThreadActivity::State::waiting;
        });
      });
    }
    std::thread::id caller;
    std::atomic<int> inside{0};
    std::atomic<bool> slept{false};
  } uneven;
  std::thread([&] {
    uneven.caller = std::this_thread::get_id();
    Workers::get().run_pieces(2, uneven);
  }).join();
  EXPECT_TRUE(uneven.slept);
}

TEST_F(WorkersTest, RunPiecesWhileAllAreBusy) {
  std::atomic<bool> open{false};
  std::atomic<unsigned> busy{0};
  std::vector<Ref<WorkQueue>> queues;
  for (unsigned i = 0; i < Workers::get().count(); ++i) {
    queues.push_back(make_ref<WorkQueue>());
    queues.back()->submit([&] {
      ++busy;
      while (!open) std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  }
  ASSERT_TRUE(eventually([&] { return busy == Workers::get().count(); }))
      << "as many queues as workers run at once";
  Tally tally(100);
  Workers::get().run_pieces(100, tally);
  for (auto& times : tally.times) EXPECT_EQ(times, 1);
  open = true;
  for (auto& queue : queues) EXPECT_TRUE(eventually([&] { return queue->reached(1); }));
}

// Pieces run inside queues, several teams at a time, while other queues come and go.
TEST_F(WorkersTest, NestTeamsUnderStress) {
  std::atomic<size_t> total{0};
  std::vector<Ref<WorkQueue>> queues;
  for (int i = 0; i < 8; ++i) queues.push_back(make_ref<WorkQueue>(i));
  class Sum final : public Pieces {
   public:
    explicit Sum(std::atomic<size_t>& total) : total_(total) {}
    void run(size_t) override { total_.fetch_add(1, std::memory_order_relaxed); }

   private:
    std::atomic<size_t>& total_;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        Sum sum(total);
        Workers::get().run_pieces(7, sum);
      }
    });
  for (int i = 0; i < 100; ++i)
    for (auto& queue : queues)
      queue->submit([&] {
        Sum sum(total);
        Workers::get().run_pieces(5, sum);
      });
  for (std::thread& thread : threads) thread.join();
  for (auto& queue : queues) ASSERT_TRUE(eventually([&] { return queue->reached(100); }));
  EXPECT_EQ(total, 2u * 200 * 7 + 8u * 100 * 5);
}

// The same few threads do all the work, however many queues there are.
TEST_F(WorkersTest, AreNoMoreThanTheyShould) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::vector<Ref<WorkQueue>> queues;
  for (int i = 0; i < 500; ++i) {
    queues.push_back(make_ref<WorkQueue>());
    queues.back()->submit([&] {
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  for (auto& queue : queues) ASSERT_TRUE(eventually([&] { return queue->reached(1); }));
  EXPECT_LE(threads.size(), Workers::get().count());
}

// Work that arrives just as the last pump leaves must not be forgotten: bursts, with pauses about
// as long as an idle pump spins.
TEST_F(WorkersTest, ComeBackAfterIdleness) {
  const auto queue = make_ref<WorkQueue>();
  uint64_t last = 0;
  for (int i = 0; i < 2000; ++i) {
    last = queue->submit([] {});
    const auto pause = std::chrono::steady_clock::now() + std::chrono::microseconds(20 + i % 60);
    while (std::chrono::steady_clock::now() < pause) {
    }
  }
  EXPECT_TRUE(eventually([&] { return queue->reached(last); }));
}

}  // namespace
}  // namespace cuvette::exec
