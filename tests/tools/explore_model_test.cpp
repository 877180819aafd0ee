// SPDX-License-Identifier: Apache-2.0
// Which orders `cuvette explore` takes for the same.
#include "tools/cuvette/explore_model.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "tools/cuvette/explore_orders.hpp"

namespace cuvette::tools {
namespace {

// Two streams: a fill, and a copy of the same bytes; `ordered`: the copy waits.
std::string fill_and_copy(bool ordered, const char* copied = "7") {
  return std::string(
             "queued\t1.1\tfill\tblocking\tA\t1\t1\ntouches\t1.1\twrite\t7\t0\t64\nbegan\t1.1\n"
             "queued\t2.1\tcopy\tblocking\tB\t1\t1\n") +
         (ordered ? "after\t2.1\t1.1\n" : "") + "touches\t2.1\tread\t" + copied +
         "\t32\t96\nbegan\t2.1\nwaited\t2.1\t1\n";
}

Model model_of(const std::string& log) { return Model(Order::parse(log)); }

TEST(Model, FindsOneOrderWhereTheProgramOrdersWhatMeets) {
  EXPECT_TRUE(model_of(fill_and_copy(true)).has_one_order());
  EXPECT_TRUE(model_of(fill_and_copy(false, "8")).has_one_order());
  EXPECT_FALSE(model_of(fill_and_copy(false)).has_one_order());
}

TEST(Model, KnowsWhatTheHostHasWaitedFor) {
  const std::string second =
      "queued\t3.1\tfill\tblocking\tC\t1\t1\ntouches\t3.1\twrite\t7\t0\t64\nbegan\t3.1\n";
  EXPECT_TRUE(model_of(fill_and_copy(true) + second).has_one_order());
  // Another thread may not know it.
  const std::string other =
      "queued\t3.1\tfill\tblocking\tC\t1\t2\n" + second.substr(second.find('\n') + 1);
  EXPECT_FALSE(model_of(fill_and_copy(true) + other).has_one_order());
  EXPECT_FALSE(model_of(fill_and_copy(true) + other).can_predict());
}

TEST(Model, TakesAKernelForOneThatTouchesEverything) {
  const std::string log =
      "queued\t1.1\tkernel\tblocking\tA\t1\t1\nopaque\t1.1\tkernels\nbegan\t1.1\n"
      "queued\t2.1\tfill\tblocking\tB\t1\t1\ntouches\t2.1\twrite\t7\t0\t64\nbegan\t2.1\n";
  EXPECT_FALSE(model_of(log).has_one_order());
  EXPECT_TRUE(model_of(log).would_gain_by_watching());
  const std::string watched = log + "touches\t1.1\twrite\t8\t0\t64\nwatched\t1.1\n";
  EXPECT_TRUE(model_of(watched).has_one_order());
}

TEST(Model, StarvesLanesWhoseOrderTheHostMaySee) {
  const auto log = [](bool seen, bool ordered) {
    std::string text;
    for (const std::string lane : {"1", "2"}) {
      const std::string name = lane + ".1";
      text += "queued\t" + name + "\tcopy\tblocking\tA\t1\t1\n";
      if (ordered && lane == "2") text += "after\t2.1\t1.1\n";
      text += "touches\t" + name + "\twrite\t" + lane + "\t0\t4\n";
      if (seen) text += "seen\t" + name + "\n";
      text += "began\t" + name + "\n";
    }
    return text;
  };
  const auto starved = [](const std::string& text) {
    const auto schedules = choose_orders(model_of(text), Order::parse(text), {}).schedules;
    return std::ranges::count(schedules, "starve:1") + std::ranges::count(schedules, "starve:2");
  };
  EXPECT_TRUE(model_of(log(true, false)).has_one_order());
  EXPECT_EQ(starved(log(true, false)), 2);
  EXPECT_EQ(starved(log(true, true)), 0);
  EXPECT_EQ(starved(log(false, false)), 0);
}

TEST(Model, PredictsWhichOfTwoComesFirst) {
  const Model model = model_of(fill_and_copy(false));
  const auto predicted = [&](const char* schedule) {
    return model.predict(*exec::Schedule::parse(schedule));
  };
  EXPECT_EQ(predicted("eager"), "1");
  EXPECT_EQ(predicted("starve:1"), "2");
  EXPECT_EQ(predicted("starve:2"), "1");
  EXPECT_EQ(predicted("replay:1.1+1"), "1") << "it is due before the copy is";
}

// What comes between the steps of a launch is before some and after others.
TEST(Model, DoesNotPredictWhatComesBetweenTheStepsOfAGraph) {
  std::string log = fill_and_copy(false);
  EXPECT_TRUE(model_of(log).can_predict());
  log.replace(log.find("fill"), 4, "graph");
  EXPECT_FALSE(model_of(log).can_predict());
  std::string ordered = fill_and_copy(true);
  ordered.replace(ordered.find("fill"), 4, "graph");
  EXPECT_TRUE(model_of(ordered).has_one_order());
  EXPECT_FALSE(model_of(ordered + "steps\t1.1\n").has_one_order());
}

TEST(Model, FindsEachOrderOfSmallPrograms) {
  const Model two = model_of(fill_and_copy(false));
  ASSERT_TRUE(two.all_orders(10));
  EXPECT_EQ(two.all_orders(10)->size(), 2u);
  EXPECT_FALSE(two.all_orders(1));
  // Three that all meet each other have six.
  const std::string third =
      "queued\t3.1\tfill\tblocking\tC\t1\t1\ntouches\t3.1\twrite\t7\t40\t50\nbegan\t3.1\n"
      "waited\t*\t1\t1\n";
  std::string log = fill_and_copy(false);
  log.resize(log.find("waited"));
  const Model three = model_of(log + third);
  const auto all = three.all_orders(10);
  ASSERT_TRUE(all);
  std::set<std::string> answers;
  for (const std::string& schedule : *all) {
    ASSERT_TRUE(exec::Schedule::parse(schedule)) << schedule;
    answers.insert(three.predict(*exec::Schedule::parse(schedule)));
  }
  EXPECT_EQ(answers.size(), 6u);
}

TEST(Model, PredictsNothingWhereSeveralProcessesWriteTheLog) {
  const std::string log = fill_and_copy(false), one_order = fill_and_copy(true);
  EXPECT_FALSE(model_of(log + log).can_predict());
  EXPECT_TRUE(model_of(log).can_predict());
  EXPECT_FALSE(model_of(one_order + one_order).has_one_order());
  EXPECT_TRUE(model_of(one_order).has_one_order());
}

TEST(choose_orders, LeavesOutWhatIsLikeAnother) {
  const Order order = Order::parse(fill_and_copy(false));
  const Orders orders = choose_orders(Model(order), order, {});
  // There are two orders: `eager` has one, and `lazy` the other.
  EXPECT_EQ(orders.schedules, (std::vector<std::string>{"lazy"}));
  EXPECT_GE(orders.same.size(), 64u);
}

// Runs a program of random work in a schedule, and returns its log.
Order run_random(int seed, const std::string& schedule) {
  const std::string log =
      std::string(testing::TempDir()) + "/cuvette-order-" + std::to_string(getpid());
  std::remove(log.c_str());
  const std::string line = "CUVETTE_SCHEDULE=" + schedule + " CUVETTE_ORDER_LOG='" + log +
                           "' '" EXPLORED_PROGRAM "' random " + std::to_string(seed);
  EXPECT_EQ(std::system(line.c_str()), 0) << line;
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  std::remove(log.c_str());
  return Order::parse(text.str());
}

TEST(Model, PredictsWhatHappens) {
  size_t different = 0;
  for (int seed = 1; seed <= 4; ++seed) {
    const Model model(run_random(seed, "eager"));
    ASSERT_TRUE(model.can_predict());
    std::set<std::string> answers;
    for (const char* schedule : {"eager", "lazy", "starve:1", "starve:2", "switch:1:3:2",
                                 "random:1", "random:2", "random:3", "pct:1:3"}) {
      const Order order = run_random(seed, schedule);
      const std::string predicted = model.predict(*exec::Schedule::parse(schedule));
      EXPECT_EQ(predicted, model.answers(order.began)) << "seed " << seed << ", " << schedule;
      answers.insert(predicted);
    }
    different += answers.size();
  }
  EXPECT_GE(different, 16u) << "too little to tell";
}

}  // namespace
}  // namespace cuvette::tools
