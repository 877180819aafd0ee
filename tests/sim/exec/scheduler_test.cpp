// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/scheduler.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <random>
#include <semaphore>
#include <set>
#include <sstream>
#include <vector>

#include "sim/exec/host_thread.hpp"
#include "tests/api/driver/child.hpp"
#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

using namespace std::chrono_literals;

// Queues, and a log of the items that ran, in a process with this schedule.
class Program {
 public:
  explicit Program(size_t queues) {
    for (size_t i = 0; i < queues; ++i) queues_.push_back(make_ref<WorkQueue>());
  }

  // A whole call of the program, which submits an item that logs itself as "letter of the queue,
  // number".
  std::string submit(size_t queue, const Edge& after = {}, std::function<void()> body = {}) {
    const std::string name = add(queue, after, std::move(body));
    Scheduler::get()->before_return();
    return name;
  }
  // The same call, except for its end.
  std::string add(size_t queue, const Edge& after = {}, std::function<void()> body = {}) {
    std::string name(1, static_cast<char>('a' + queue));
    name += std::to_string(++submitted_[queue]);
    queues_[queue]->submit(
        [this, name, body = std::move(body)] {
          if (body) body();
          note(name);
        },
        after);
    return name;
  }
  void wait(size_t queue, uint64_t number) {
    help_until(*queues_[queue], number, Patience::automatic);
    EXPECT_TRUE(queues_[queue]->reached(number));
  }
  void wait(size_t queue) { wait(queue, submitted_[queue]); }
  void wait() {
    for (size_t queue = 0; queue < queues_.size(); ++queue) wait(queue);
  }
  bool ask(size_t queue) {
    if (queues_[queue]->reached(submitted_[queue])) return true;
    Scheduler::get()->asked_for(*queues_[queue], submitted_[queue]);
    return false;
  }
  Edge at(size_t queue, uint64_t number) { return queues_[queue]->at(number); }
  uint64_t submitted(size_t queue) { return submitted_[queue]; }

  void note(const std::string& name) {
    MutexLock lock(mutex_);
    log_ += log_.empty() ? name : " " + name;
  }
  std::string log() {
    MutexLock lock(mutex_);
    return log_;
  }

 private:
  std::vector<Ref<WorkQueue>> queues_;
  std::map<size_t, uint64_t> submitted_;
  Mutex mutex_;
  std::string log_ GUARDED_BY(mutex_);
};

// Runs `body` in a process of its own and returns what that wrote to stderr.
std::string under(const std::string& schedule, const std::function<void()>& body) {
  return run_in_child({}, [&] {
    Scheduler::start(*Schedule::parse(schedule));
    body();
  });
}

TEST(Scheduler, RunsWhatIsDueAtTheEndOfTheCall) {
  under("eager", [] {
    Program p(2);
    p.add(0);
    EXPECT_EQ(p.log(), "") << "inside the call";
    Scheduler::get()->before_return();
    EXPECT_EQ(p.log(), "a1");
    p.submit(1);
    p.submit(0);
    EXPECT_EQ(p.log(), "a1 b1 a2");
  });
}

TEST(Scheduler, RunsInTheOrderOfSubmissionWhatIsDueTogether) {
  under("eager", [] {
    Program p(3);
    for (const size_t queue : {2, 0, 1, 0, 2}) p.add(queue);
    Scheduler::get()->before_return();
    EXPECT_EQ(p.log(), "c1 a1 b1 a2 c2");
  });
}

TEST(Scheduler, RunsNothingUnderLazyThatNobodyNeeds) {
  under("lazy", [] {
    Program p(3);
    for (int i = 0; i < 2; ++i)
      for (size_t queue = 0; queue < 3; ++queue) p.submit(queue);
    EXPECT_EQ(p.log(), "");
    p.wait(1, 1);
    EXPECT_EQ(p.log(), "b1") << "not even the rest of its queue";
    p.wait(2);
    EXPECT_EQ(p.log(), "b1 c1 c2");
    p.wait();
  });
}

TEST(Scheduler, RunsWhatIsNeededByWayOfOthers) {
  under("lazy", [] {
    Program p(4);
    p.submit(0);
    p.submit(0);
    p.submit(1, p.at(0, 1));
    p.submit(2, p.at(1, 1));
    p.submit(3);
    p.wait(2);
    EXPECT_EQ(p.log(), "a1 b1 c1");
    p.wait();
  });
}

TEST(Scheduler, RunsAStarvedQueueOnlyWhenItIsNeeded) {
  under("starve:1", [] {
    Program p(3);
    p.submit(1);
    p.submit(0);
    p.submit(2, p.at(1, 1));
    p.submit(0);
    EXPECT_EQ(p.log(), "a1 a2");
    p.wait(2);
    EXPECT_EQ(p.log(), "a1 a2 b1 c1");
  });
}

TEST(Scheduler, RunsWhatIsHeldBackLessLongBeforeWhatIsNeeded) {
  under("switch:0:1:1", [] {
    Program p(2);
    p.submit(0);
    p.submit(1);
    p.submit(0);
    p.submit(1);
    EXPECT_EQ(p.log(), "b1");
    p.wait(1);
    EXPECT_EQ(p.log(), "b1 a1 a2 b2");
  });
}

TEST(Scheduler, HoldsBackForAsManyStepsAsItShould) {
  under("replay:0.1+2,2.1+1", [] {
    Program p(3);
    p.submit(0);
    EXPECT_EQ(p.log(), "");
    p.submit(1);
    EXPECT_EQ(p.log(), "b1");
    p.submit(2);
    EXPECT_EQ(p.log(), "b1 a1") << "two steps have passed";
    p.submit(1);
    EXPECT_EQ(p.log(), "b1 a1 c1 b2");
  });
}

TEST(Scheduler, RunsNothingInFrontOfItsEdge) {
  under("eager", [] {
    Program p(2);
    p.submit(1, p.at(0, 1));
    p.submit(1);
    EXPECT_EQ(p.log(), "") << "the queue is blocked";
    p.submit(0);
    EXPECT_EQ(p.log(), "a1 b1 b2");
  });
}

TEST(Scheduler, ComesToAnEndWhereTheProgramAsksAgainAndAgain) {
  under("lazy", [] {
    Program p(2);
    for (int i = 0; i < 5; ++i) p.submit(0);
    p.submit(1, p.at(0, 3));
    int questions = 0;
    while (!p.ask(1)) ASSERT_LT(++questions, 20);
    EXPECT_EQ(p.log(), "a1 a2 a3 b1") << "one step at a time, and none that is not on the way";
    EXPECT_GE(questions, 4);
    p.wait();
  });
}

// The edge is on a timeline that no queue advances: another thread writes its value.
TEST(Scheduler, WaitsForASignalOfAnotherThread) {
  struct Signal final : Timeline {
    void set() { advance(1); }
  };
  for (const char* schedule : {"eager", "lazy", "random:1"})
    under(schedule, [] {
      const auto signal = make_ref<Signal>();
      Program p(2);
      p.submit(0, {Ref<Timeline>(signal.get()), 1});
      p.submit(1, p.at(0, 1));
      std::thread thread([&] {
        std::this_thread::sleep_for(30ms);
        p.note("signal");
        signal->set();
      });
      p.wait(1);
      thread.join();
      EXPECT_EQ(p.log(), "signal a1 b1");
    });
}

TEST(Scheduler, LetsThreadsWaitForEachOthersWork) {
  for (const char* schedule : {"eager", "lazy", "starve:1", "random:3", "pct:2:3"})
    under(schedule, [] {
      constexpr size_t threads = 4, rounds = 60;
      Program p(0);
      std::vector<Ref<WorkQueue>> queues;
      for (size_t i = 0; i < threads; ++i) queues.push_back(make_ref<WorkQueue>());
      std::atomic<uint64_t> ran{0};
      std::vector<std::thread> all;
      for (size_t i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
          for (uint64_t round = 1; round <= rounds; ++round) {
            // Waits for the neighbour's previous round, which may not be submitted yet.
            queues[i]->submit([&] { ++ran; }, queues[(i + 1) % threads]->at(round - 1));
            Scheduler::get()->before_return();
            if (round % 5 == 0) help_until(*queues[i], round, Patience::automatic);
          }
        });
      for (std::thread& thread : all) thread.join();
      for (const auto& queue : queues) {
        EXPECT_TRUE(queue->reached(rounds));
        EXPECT_FALSE(queue->two_runners);
      }
      EXPECT_EQ(ran, threads * rounds);
    });
}

// --- What the scheduler does not see ---

TEST(Scheduler, TakesAStepForAProgramThatIsBlockedElsewhere) {
  under("lazy", [] {
    Program p(1);
    std::binary_semaphore done(0);
    p.submit(0);
    p.submit(0, {}, [&] { done.release(); });
    done.acquire();
    p.wait();
    EXPECT_EQ(p.log(), "a1 a2");
  });
}

class Call final : public HostItem {
 public:
  explicit Call(std::function<void()> body) : body_(std::move(body)) {}
  void call_host() override { body_(); }
  void host_called(bool) override {}

 private:
  std::function<void()> body_;
};

TEST(Scheduler, TakesNoStepWhileAHostItemIsAtWork) {
  under("eager", [] {
    Program p(2);
    const Ref<HostThread> thread = make_ref<HostThread>();
    Call call([&] {
      const auto until = std::chrono::steady_clock::now() + 60ms;
      while (std::chrono::steady_clock::now() < until) {
      }
      p.note("call");
    });
    p.add(0, {}, [&] { thread->post(call); });
    p.add(1);
    Scheduler::get()->before_return();
    EXPECT_EQ(p.log(), "a1 call b1");
    thread->stop();
  });
}

// The item waits for later work, so waiting for the item would never end.
TEST(Scheduler, GoesOnWhileAHostItemIsBlocked) {
  under("eager", [] {
    Program p(2);
    const Ref<HostThread> thread = make_ref<HostThread>();
    std::binary_semaphore gate(0);
    Call call([&] {
      gate.acquire();
      p.note("call");
    });
    p.add(0, {}, [&] { thread->post(call); });
    p.add(1, {}, [&] { gate.release(); });
    Scheduler::get()->before_return();
    thread->stop();
    EXPECT_TRUE(p.log().starts_with("a1 ")) << p.log();
    EXPECT_NE(p.log().find("b1"), std::string::npos);
    EXPECT_NE(p.log().find("call"), std::string::npos);
  });
}

// A program that looks only now and then has time to see it before the next step.
TEST(Scheduler, LetsAProgramSeeWhatAHostItemHasTold) {
  under("lazy", [] {
    Program p(1);
    const Ref<HostThread> thread = make_ref<HostThread>();
    std::atomic<bool> told{false};
    Call call([&] { told = true; });
    p.submit(0, {}, [&] { thread->post(call); });
    p.submit(0);
    while (!told) std::this_thread::sleep_for(10ms);
    EXPECT_EQ(p.log(), "a1");
    p.wait();
    EXPECT_EQ(p.log(), "a1 a2");
    thread->stop();
  });
}

// A program that is stopped for longer than a busy one is waited for has not shown that it waits.
TEST(Scheduler, DoesNotTakeAStandstillForWaiting) {
  under("lazy", [] {
    Program p(1);
    const pid_t stopped = getpid();
    const pid_t waker = fork();
    if (waker == 0) {
      std::this_thread::sleep_for(20ms);
      kill(stopped, SIGSTOP);
      std::this_thread::sleep_for(3500ms);
      kill(stopped, SIGCONT);
      _exit(0);
    }
    p.submit(0);
    for (const auto until = std::chrono::steady_clock::now() + 3600ms;
         std::chrono::steady_clock::now() < until;) {
    }
    EXPECT_EQ(p.log(), "");
    waitpid(waker, nullptr, 0);
    p.wait();
  });
}

// On a busy machine the host item's thread may be slow to start; that is no reason to go on without
// it.
TEST(Scheduler, TakesNoStepBeforeAHostItemHasBegun) {
  under("eager", [] {
    Program p(2);
    Scheduler& scheduler = *Scheduler::get();
    std::thread late;
    p.add(0, {}, [&] {
      scheduler.host_item_posted();
      late = std::thread([&] {
        std::this_thread::sleep_for(150ms);
        scheduler.host_item_begins();
        p.note("call");
        scheduler.host_item_done();
      });
    });
    p.add(1);
    scheduler.before_return();
    late.join();
    EXPECT_EQ(p.log(), "a1 call b1");
  });
}

// --- What holds for all schedules ---

std::vector<std::string> all_kinds() {
  std::vector<std::string> all{"eager", "lazy", "switch:0:1:3", "switch:2:0:2"};
  for (int i = 0; i < 4; ++i) all.push_back("starve:" + std::to_string(i));
  for (int i = 1; i <= 12; ++i) all.push_back("random:" + std::to_string(i));
  for (int i = 1; i <= 6; ++i) all.push_back("pct:" + std::to_string(i) + ":3");
  return all;
}

// Runs a random program and writes the order of its items to stderr.
void random_program(unsigned seed) {
  constexpr size_t queues = 4;
  Program p(queues);
  std::mt19937 random(seed);
  std::map<std::string, std::set<std::string>> after;  // direct predecessors
  for (int step = 0; step < 60; ++step) {
    const size_t queue = random() % queues;
    Edge edge;
    std::string needs;
    const size_t other = random() % queues;
    if (random() % 3 == 0 && p.submitted(other) > 0) {
      const uint64_t number = 1 + random() % p.submitted(other);
      edge = p.at(other, number);
      needs = std::string(1, static_cast<char>('a' + other)) + std::to_string(number);
    }
    const std::string before =
        std::string(1, static_cast<char>('a' + queue)) + std::to_string(p.submitted(queue));
    const std::string name = p.submit(queue, edge);
    if (p.submitted(queue) > 1) after[name].insert(before);
    if (!needs.empty()) after[name].insert(needs);
    if (random() % 12 == 0) p.wait(random() % queues);
    if (random() % 12 == 0) p.ask(random() % queues);
  }
  p.wait();
  std::set<std::string> ran;
  std::istringstream log(p.log());
  for (std::string name; log >> name;) {
    for (const std::string& earlier : after[name])
      EXPECT_TRUE(ran.contains(earlier)) << name << " ran before " << earlier;
    EXPECT_TRUE(ran.insert(name).second) << name << " ran twice";
  }
  EXPECT_EQ(ran.size(), 60u);
  fputs(p.log().c_str(), stderr);
}

TEST(Scheduler, KeepsToTheEdgesAndDoesTheSameAgain) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::set<std::string> orders;
    for (const std::string& schedule : all_kinds()) {
      SCOPED_TRACE(schedule);
      const std::string first = under(schedule, [&] { random_program(seed); });
      EXPECT_EQ(under(schedule, [&] { random_program(seed); }), first);
      orders.insert(first);
    }
    EXPECT_GE(orders.size(), 12u) << "schedules that change nothing";
  }
}

// With one schedule per starved queue, every pair of unordered items is seen in both orders.
TEST(Scheduler, ShowsEveryPairInBothOrdersByStarving) {
  constexpr size_t queues = 3, each = 2;
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t starved = 0; starved < queues; ++starved) {
    std::istringstream log(under("starve:" + std::to_string(starved), [&] {
      Program p(queues);
      for (size_t i = 0; i < each; ++i)
        for (size_t queue = 0; queue < queues; ++queue) p.submit(queue);
      p.wait();
      fputs(p.log().c_str(), stderr);
    }));
    std::vector<std::string> ran;
    for (std::string name; log >> name; ran.push_back(name))
      for (const std::string& earlier : ran) seen.emplace(earlier, name);
  }
  // All ordered pairs of items from different queues, and the pairs of one queue in their order.
  EXPECT_EQ(seen.size(), queues * (queues - 1) * each * each + queues * each * (each - 1) / 2);
}

}  // namespace
}  // namespace cuvette::exec
