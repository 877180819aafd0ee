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
  void call_host() override {}
  // Comes last: once the body has run, the item may be gone.
  void host_called(bool) override { body_(); }

 private:
  std::function<void()> body_;
};

// Stops the thread in the end, as a context does.
class Owner {
 public:
  ~Owner() { host_->stop(); }
  HostThread* operator->() const { return host_.get(); }

 private:
  const Ref<HostThread> host_ = make_ref<HostThread>();
};

class HostThreadTest : public testing::Test {
 protected:
  void SetUp() override { start_workers(); }
};

TEST_F(HostThreadTest, RunsInOrderOnOneThreadOfItsOwn) {
  const Owner host;
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
    host->post(calls.back());
  }
  ASSERT_TRUE(eventually([&] { return ran == 1000; }));
  host->stop();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(HostThreadTest, WakesAfterItSlept) {
  const Owner host;
  std::atomic<int> ran{0};
  Call call([&] { ++ran; });
  for (int i = 1; i <= 20; ++i) {
    host->post(call);
    ASSERT_TRUE(eventually([&] { return ran == i; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // longer than the thread spins
  }
}

TEST_F(HostThreadTest, StopsWithoutAThreadAndComesBack) {
  const Owner host;
  host->stop();
  std::atomic<int> ran{0};
  Call call([&] { ++ran; });
  for (int i = 1; i <= 3; ++i) {
    host->post(call);
    ASSERT_TRUE(eventually([&] { return ran == i; }));
    host->stop();
    host->stop();
  }
}

TEST_F(HostThreadTest, TakesItemsFromItself) {
  const Owner host;
  std::atomic<int> left{500};
  Call call([] {});
  std::function<void()> again = [&] {
    if (--left > 0) host->post(call);
  };
  call = Call(again);
  host->post(call);
  EXPECT_TRUE(eventually([&] { return left == 0; }));
}

TEST_F(HostThreadTest, LosesNothingUnderRace) {
  const Owner host;
  constexpr int posters = 4, each = 1000;
  std::deque<Call> calls[posters];
  int ran = 0;  // not atomic: only the host thread touches it
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < posters; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        calls[t].emplace_back([&] {
          ++ran;
          ++done;
        });
        host->post(calls[t].back());
        if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return done == posters * each; }));
  host->stop();
  EXPECT_EQ(ran, posters * each);
}

// Items posted while the thread ends are run by the next thread: a context may be reset while other
// threads use it.
TEST_F(HostThreadTest, LosesNothingWhileItIsStopped) {
  const Owner host;
  constexpr int posters = 3, each = 3000;
  std::deque<Call> calls[posters];
  std::atomic<int> done{0}, inside{0};
  std::atomic<bool> two{false}, ended{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < posters; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        calls[t].emplace_back([&] {
          if (++inside != 1) two = true;
          --inside;
          ++done;
        });
        host->post(calls[t].back());
        if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  std::thread stopping([&] {
    while (!ended) host->stop();
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return done == posters * each; }));
  ended = true;
  stopping.join();
  EXPECT_FALSE(two) << "two functions ran at once";
}

// A function that ends its thread counts as called, and the functions after it are called, too.
TEST_F(HostThreadTest, GoesOnWithoutTheThreadThatAFunctionEnds) {
  class Ending final : public HostItem {
   public:
    void call_host() override {
      if (number % 3 == 0) pthread_exit(nullptr);
      if (number % 3 == 1) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
      }
    }
    void host_called(bool returned) override {
      if (returned != (number % 3 == 2)) wrong = true;
      ++*done;
    }
    int number = 0;
    std::atomic<int>* done = nullptr;
    bool wrong = false;
  };
  const Owner host;
  std::atomic<int> done{0};
  std::deque<Ending> calls(300);
  for (int i = 0; i < 300; ++i) {
    calls[i].number = i;
    calls[i].done = &done;
    host->post(calls[i]);
    if (i % 100 == 50) host->stop();
  }
  EXPECT_TRUE(eventually([&] { return done == 300; }));
  host->stop();
  for (const Ending& call : calls) EXPECT_FALSE(call.wrong) << call.number;
}

// The last reference to a context may be dropped on its own host thread.
TEST_F(HostThreadTest, MayBeStoppedByItself) {
  class Last final : public HostItem {
   public:
    void call_host() override {
      EXPECT_TRUE(eventually([this] { return alone.load(); }));
    }
    void host_called(bool) override {
      host->stop();
      host = nullptr;
      stopped = true;
    }
    Ref<HostThread> host = make_ref<HostThread>();
    std::atomic<bool> alone{false}, stopped{false};
  } last;
  {
    const Ref<HostThread> host = last.host;
    host->post(last);
  }
  last.alone = true;
  EXPECT_TRUE(eventually([&] { return last.stopped.load(); }));
}

}  // namespace
}  // namespace cuvette::exec
