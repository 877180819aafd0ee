// SPDX-License-Identifier: Apache-2.0
// `cuvette explore` in parts: what is planned, how a failure is made small, how a log is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tools/cuvette/duration.hpp"
#include "tools/cuvette/explore_plan.hpp"
#include "tools/cuvette/minimise.hpp"
#include "tools/cuvette/order.hpp"
#include "tools/cuvette/output_difference.hpp"

namespace cuvette::tools {
namespace {

// --- minimise() ---

// The fewest of 1 to `count` that include all of `needed`.
std::vector<int> least(int count, const std::set<int>& needed, size_t* questions = nullptr) {
  std::vector<int> items(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) items[static_cast<size_t>(i)] = i + 1;
  size_t asked = 0;
  auto found = minimise(
      items,
      [&](const std::vector<int>& some) {
        ++asked;
        return std::all_of(needed.begin(), needed.end(), [&](int one) {
          return std::find(some.begin(), some.end(), one) != some.end();
        });
      },
      100'000);
  if (questions) *questions = asked;
  return found;
}

TEST(minimise, FindsOneOfMany) {
  for (int needed = 1; needed <= 20; ++needed)
    EXPECT_EQ(least(20, {needed}), std::vector<int>{needed});
}

TEST(minimise, FindsSeveralThatAreNeededTogether) {
  EXPECT_EQ(least(100, {3, 50, 98}), (std::vector<int>{3, 50, 98}));
  EXPECT_EQ(least(7, {1, 2, 3, 4, 5, 6, 7}), (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(minimise, FindsNothingWhereNothingIsNeeded) { EXPECT_TRUE(least(50, {}).empty()); }

TEST(minimise, AsksForOneOfAThousandAboutAsOftenAsBisection) {
  size_t questions = 0;
  least(1000, {777}, &questions);
  EXPECT_LT(questions, 60u);
}

TEST(minimise, StopsAfterSoManyQuestions) {
  size_t questions = 0;
  const auto found = minimise(
      std::vector<int>(64, 1),
      [&](const std::vector<int>& some) {
        ++questions;
        return some.size() >= 60;
      },
      10);
  EXPECT_LE(questions, 11u);
  EXPECT_GE(found.size(), 60u);
}

// --- plan() ---

const Branches branches{{{1, 1}, 3}, {{1, 2}, 1}, {{7, 1}, 2}};

TEST(plan, StarvesEachLaneBeforeAnythingElse) {
  const auto schedules = plan({{0, 2}, {3, 1}}, {}, {});
  ASSERT_GE(schedules.size(), 3u);
  EXPECT_EQ(schedules[0], "lazy");
  EXPECT_EQ(schedules[1], "starve:0");
  EXPECT_EQ(schedules[2], "starve:3");
  EXPECT_EQ(schedules[3], "switch:3:0:1");
}

TEST(plan, KeepsToItsLimits) {
  const auto schedules = plan({{0, 100}, {1, 100}, {2, 100}}, {}, {.switches = 10, .seeds = 5});
  EXPECT_EQ(schedules.size(), 4u + 10 + 5);
}

TEST(plan, NamesOnlySchedulesThatThereAre) {
  for (const std::string& schedule : plan({{0, 5}, {1, 5}, {7, 2}}, branches, {}))
    EXPECT_TRUE(exec::Schedule::parse(schedule)) << schedule;
}

TEST(plan, HasNoOrderTwice) {
  const auto schedules = plan({{0, 5}, {1, 5}, {7, 2}}, branches, {});
  EXPECT_EQ(std::set<std::string>(schedules.begin(), schedules.end()).size(), schedules.size());
}

// For a lane with one branch, this would be the same as starving the lane.
TEST(plan, StarvesEachBranchBehindTheLanes) {
  const auto schedules = plan({{0, 2}, {1, 2}, {7, 2}}, branches, {});
  const std::vector<std::string> first(schedules.begin(), schedules.begin() + 6);
  EXPECT_EQ(first, (std::vector<std::string>{"lazy", "starve:0", "starve:1", "starve:7",
                                             "starve:1/1", "starve:1/2"}));
}

TEST(plan, SwitchesBetweenBranchesAndOtherLanes) {
  const auto schedules = plan({{0, 2}, {1, 2}, {7, 2}}, branches, {});
  const auto has = [&](const char* schedule) {
    return std::find(schedules.begin(), schedules.end(), schedule) != schedules.end();
  };
  EXPECT_TRUE(has("switch:1/2:1/1:2"));
  EXPECT_TRUE(has("switch:0:1/1:1"));
  EXPECT_TRUE(has("switch:7/1:0:1"));
  EXPECT_FALSE(has("switch:1/1:1:1")) << "a branch is a part of its lane";
}

// --- Order ---

TEST(Order, IsReadFromTheLog) {
  const Order order = Order::parse(
      "queued\t1.1\tfill\tblocking\tmain+1\nheld\t1.1*2\nyes\t4\nqueued\t2.1\tcopy\tlegacy\tmain+"
      "2\n"
      "began\t2.1\nqueued\t2.2\tco");
  ASSERT_EQ(order.queued.size(), 2u);
  EXPECT_EQ(order.queued[1].kind, "copy");
  EXPECT_EQ(order.began, (std::vector<Order::Name>{{2, 1}}));
  EXPECT_EQ(order.decisions.print(), "1.1*2,?4");
  EXPECT_EQ(order.lanes(), (std::map<uint32_t, uint64_t>{{1, 1}, {2, 1}}));
}

TEST(Order, HasTheStepsOfGraphs) {
  const Order order = Order::parse(
      "queued\t1.1\tgraph\tblocking\tA\nbegan\t1.1\nqueued\t1.1.1\tfill\tblocking\tA\t1\t1\n"
      "queued\t1.1.2\tcopy\tblocking\tA\t2\t1\nheld\t1.1.1*1+3\nbegan\t1.1.2\nbegan\t1.1.1\n");
  EXPECT_EQ(order.began, (std::vector<Order::Name>{{1, 1}, {1, 1, 2}, {1, 1, 1}}));
  EXPECT_EQ(order.decisions.print(), "1.1.1*1+3");
  EXPECT_EQ(order.lanes(), (Lanes{{1, 1}}));
  EXPECT_EQ(order.branches(), (Branches{{{1, 1}, 1}, {{1, 2}, 1}}));
  const std::string table = order.table(order.decisions, 10);
  EXPECT_NE(table.find("3 >1.1.1      fill"), std::string::npos) << table;
  EXPECT_NE(table.find("2  1.1.2      copy"), std::string::npos) << table;
}

TEST(Order, ComparesWhatTheHostGot) {
  const std::string queued = "queued\t1.1\tcopy\tblocking\tmain+1\t1\t1\n";
  const Order one = Order::parse(queued + "copied\t1.1\tab\t4\nshared\t2.1\tcd\t64\tmain+2\n");
  const Order same = one;
  EXPECT_TRUE(one.differences(same, {}).empty());
  const Order other = Order::parse(queued + "copied\t1.1\tff\t4\nshared\t2.1\tff\t64\tmain+2\n");
  EXPECT_EQ(one.differences(other, {}),
            (std::vector<std::string>{"Copy 1.1 to the host (called at main+1) has other bytes.",
                                      "Memory that the host shares with devices (allocated at "
                                      "main+2), after wait 2 for all work, has other bytes."}));
  EXPECT_EQ(one.differences(other, {"1.1", "wait 2.1"}).size(), 0u);
  EXPECT_EQ(one.differences(Order::parse(queued), {"wait 2.1"}),
            (std::vector<std::string>{"There is no copy 1.1 to the host (called at main+1)."}));
  EXPECT_EQ(
      Order::parse(queued).differences(one, {"wait 2.1"}),
      (std::vector<std::string>{"There is another copy 1.1 to the host (called at main+1)."}));
}

TEST(Order, KnowsWhichKernelsRanInAnotherOrder) {
  const Order order = Order::parse(
      "queued\t0.1\tkernel\tlegacy\tA\t1\t1\nbegan\t0.1\ngrid\t0.1\t8\t1\t^0.1:5\nno\t1\n");
  EXPECT_TRUE(order.about.at({0, 1}).is_grid);
  EXPECT_EQ(order.decisions.print(), "^0.1:5");
  const std::string table = order.table(order.decisions, 10);
  EXPECT_NE(table.find("1 ^0.1"), std::string::npos) << table;
}

TEST(Order, ShortensTheNamesOfKernels) {
  const std::string name = "kernel add(" + std::string(600, 'x') + ")";
  const Order order = Order::parse("queued\t0.1\t" + name +
                                   "\tlegacy\tA\t1\t1\nqueued\t0.2\tkernel f(int*, int "
                                   "const*)\tlegacy\tB\t1\t1\nbegan\t0.1\nbegan\t0.2\n");
  EXPECT_EQ(order.rows({})[0].kind, name);
  exec::Decisions held;
  held.held.push_back({0, 2, 2, {0, 1}});
  const std::string table = order.table(held, 40);
  EXPECT_NE(table.find("1  0.1        " + name.substr(0, 45) + "...  legacy          A\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("2 >0.2        kernel f(int*, int const*) "), std::string::npos) << table;
}

TEST(Order, LeavesOutWhatMakesNoSense) {
  const Order order =
      Order::parse("\n\t\t\nqueued\nqueued\tx\ty\tz\tw\nheld\t1\nbegan\t1.x\nyes\tno\n");
  EXPECT_TRUE(order.queued.empty());
  EXPECT_TRUE(order.began.empty());
  EXPECT_EQ(order.decisions.print(), "");
}

TEST(Order, ShowsWhatNeverTookPlaceLast) {
  const Order order =
      Order::parse("queued\t1.1\tfill\tblocking\tA\nqueued\t2.1\tcopy\tlegacy\tB\nbegan\t2.1\n");
  exec::Decisions held;
  held.held.push_back({1, 1, 1, {0, 1}});
  const std::string table = order.table(held, 40);
  EXPECT_LT(table.find("copy"), table.find("fill"));
  EXPECT_NE(table.find("never >1.1"), std::string::npos) << table;
}

// --- words ---

TEST(output_difference, NamesTheFirstLine) {
  EXPECT_EQ(output_difference("a\nb\n", "a\nc\n"), "line 2 is \"c\", not \"b\"");
  EXPECT_EQ(output_difference("a\n", ""), "line 1 is missing: \"a\"");
  EXPECT_EQ(output_difference("a\n", "a\nb\x1b[m\n"), "line 2 is one more: \"b?[m\"");
  EXPECT_EQ(output_difference("a", "a\n"), "its end has another number of bytes");
}

TEST(seconds_of, TakesUnits) {
  EXPECT_EQ(seconds_of("90"), 90.0);
  EXPECT_EQ(seconds_of("90s"), 90.0);
  EXPECT_EQ(seconds_of("1.5m"), 90.0);
  EXPECT_EQ(seconds_of("2h"), 7200.0);
  for (const char* wrong : {"", "s", "0", "-1", "1d", "1 s", "inf", "1e3", "1ms", "0x10"})
    EXPECT_FALSE(seconds_of(wrong)) << wrong;
}

}  // namespace
}  // namespace cuvette::tools
