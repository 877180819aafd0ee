// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/host_thread.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>
#include <vector>

#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

class Call final : public HostItem {
 public:
  explicit Call(std::function<void()> body) : body_(std::move(body)) {}
  void run_on_host_thread() override { body_(); }

 private:
  std::function<void()> body_;
};

class HostThreadTest : public testing::Test {
 protected:
  void SetUp() override { start_workers(); }
};

TEST_F(HostThreadTest, RunsInOrderOnOneThreadOfItsOwn) {
  HostThread host;
  std::vector<int> order;
  std::set<std::thread::id> threads;
  std::deque<Call> calls;
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) {
    calls.emplace_back([&, i] {
      order.push_back(i);
      threads.insert(std::this_thread::get_id());
      ++ran;
    });
    host.post(calls.back());
  }
  ASSERT_TRUE(eventually([&] { return ran == 1000; }));
  host.stop();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(HostThreadTest, WakesAfterItSlept) {
  HostThread host;
  std::atomic<int> ran{0};
  Call call([&] { ++ran; });
  for (int i = 1; i <= 20; ++i) {
    host.post(call);
    ASSERT_TRUE(eventually([&] { return ran == i; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // longer than it looks around
  }
}

TEST_F(HostThreadTest, StopsWithoutAThreadAndComesBack) {
  HostThread host;
  host.stop();
  std::atomic<int> ran{0};
  Call call([&] { ++ran; });
  for (int i = 1; i <= 3; ++i) {
    host.post(call);
    ASSERT_TRUE(eventually([&] { return ran == i; }));
    host.stop();
    host.stop();
  }
}

TEST_F(HostThreadTest, TakesItemsFromItself) {
  HostThread host;
  std::atomic<int> left{500};
  Call call([] {});
  std::function<void()> again = [&] {
    if (--left > 0) host.post(call);
  };
  call = Call(again);
  host.post(call);
  EXPECT_TRUE(eventually([&] { return left == 0; }));
}

TEST_F(HostThreadTest, LosesNothingUnderRace) {
  HostThread host;
  constexpr int posters = 4, each = 1000;
  std::deque<Call> calls[posters];
  int ran = 0;  // plain: only the host thread touches it
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < posters; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        calls[t].emplace_back([&] {
          ++ran;
          ++done;
        });
        host.post(calls[t].back());
        if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return done == posters * each; }));
  host.stop();
  EXPECT_EQ(ran, posters * each);
}

}  // namespace
}  // namespace cuvette::exec
