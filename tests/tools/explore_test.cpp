// SPDX-License-Identifier: Apache-2.0
// `cuvette explore`, from outside and in parts.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tools/cuvette/explore_plan.hpp"
#include "tools/cuvette/minimise.hpp"
#include "tools/cuvette/order.hpp"

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

// --- The command ---

struct Said {
  int status;
  std::string text;
};

Said explore(const std::string& arguments) {
  const std::string line = "'" CUVETTE_COMMAND "' explore " + arguments + " 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  Said said{-1, ""};
  std::array<char, 4096> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    said.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return said;
}

std::string program(const std::string& name) { return "-- '" EXPLORED_PROGRAM "' " + name; }

// Returns what follows "cuvette " in the line that repeats the failure.
std::string repeat_line(const Said& said) {
  const size_t at = said.text.find("cuvette run --schedule=");
  if (at == std::string::npos) return "";
  return said.text.substr(at + 8, said.text.find('\n', at) - at - 8);
}

TEST(cuvette_explore, FindsNothingInAProgramThatIsRight) {
  const Said said = explore(program("right"));
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_NE(said.text.find("passed in all of"), std::string::npos) << said.text;
}

// Returns how many orders it passed in.
int orders_of(const Said& said) {
  const size_t at = said.text.find("passed in all of ");
  return at == std::string::npos ? -1 : std::atoi(said.text.c_str() + at + 17);
}

TEST(cuvette_explore, RunsOrdersThatAreTheSameOnce) {
  for (const char* name : {"right", "ordered", "independent", "blocks_right", "warps_right"}) {
    const Said said = explore(program(name));
    EXPECT_EQ(said.status, 0) << said.text;
    EXPECT_GE(orders_of(said), 2) << said.text;
    EXPECT_LE(orders_of(said), 5) << said.text;
    EXPECT_NE(said.text.find("All orders of its commands are the same"), std::string::npos)
        << said.text;
  }
  const Said said = explore(program("says_nothing"));
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_EQ(orders_of(said), 2) << said.text;
  EXPECT_NE(said.text.find("more are the same as one of these"), std::string::npos) << said.text;
}

TEST(cuvette_explore, TurnsBlocksAndWarpsRound) {
  for (const char* name : {"blocks", "warps"}) {
    const Said said = explore(program(name));
    EXPECT_EQ(said.status, 1) << said.text;
    const std::string line = repeat_line(said);
    EXPECT_NE(line.find("--schedule='replay:^"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("^"), std::string::npos) << said.text;
    EXPECT_EQ(WEXITSTATUS(std::system(("'" CUVETTE_COMMAND "' " + line).c_str())), 1) << line;
  }
}

TEST(cuvette_explore, TakesAReportForAFailure) {
  const Said said = explore("--check=races " + program("says_nothing"));
  EXPECT_EQ(said.status, 1) << said.text;
  EXPECT_NE(said.text.find("(eager): a report: unordered-access"), std::string::npos) << said.text;
  EXPECT_EQ(explore("--check=races --no-fail-report " + program("says_nothing")).status, 0);
}

TEST(cuvette_explore, ComparesWhatTheHostGets) {
  const Said copy = explore("--differ " + program("says_nothing"));
  EXPECT_EQ(copy.status, 1) << copy.text;
  EXPECT_NE(copy.text.find("Copy 2.1 to the host"), std::string::npos) << copy.text;
  EXPECT_NE(copy.text.find("--schedule=replay:1.1 "), std::string::npos) << copy.text;
  const Said memory = explore("--differ " + program("shared_memory"));
  EXPECT_EQ(memory.status, 1) << memory.text;
  EXPECT_NE(memory.text.find("Memory that the host shares with devices"), std::string::npos)
      << memory.text;
  const Said output = explore("--differ " + program("says_so"));
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_NE(output.text.find("The standard output is another one."), std::string::npos)
      << output.text;
  EXPECT_EQ(explore("--differ " + program("ordered")).status, 0);
  EXPECT_EQ(explore("--differ " + program("blocks_right")).status, 0);
}

TEST(cuvette_explore, AnswersInJson) {
  const auto json = [](const std::string& name) {
    const Said said = explore("--json " + program(name));
    return nlohmann::json::parse(said.text, nullptr, false);
  };
  const auto failed = json("missing_wait");
  ASSERT_TRUE(failed.is_object());
  EXPECT_EQ(failed["verdict"], "failed");
  EXPECT_EQ(failed["failure"], "exit status 1");
  EXPECT_EQ(failed["decisions"], "1.1");
  EXPECT_NE(failed["repeat"].get<std::string>().find("--schedule=replay:1.1 "), std::string::npos);
  ASSERT_TRUE(failed["commands"].is_array());
  EXPECT_EQ(std::ranges::count_if(failed["commands"],
                                  [](const auto& one) { return one["held back"] == true; }),
            1);
  const auto passed = json("ordered");
  ASSERT_TRUE(passed.is_object());
  EXPECT_EQ(passed["verdict"], "passed");
  EXPECT_LE(passed["orders"].get<int>(), 5);
}

TEST(cuvette_explore, FindsAWaitThatIsMissing) {
  const Said said = explore(program("missing_wait"));
  EXPECT_EQ(said.status, 1) << said.text;
  EXPECT_NE(said.text.find("exit status 1"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("the copy came first"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("--schedule=replay:1.1 "), std::string::npos) << said.text;
}

TEST(cuvette_explore, SaysHowToRepeatTheFailure) {
  const std::string line = repeat_line(explore(program("missing_wait")));
  ASSERT_NE(line, "");
  for (int i = 0; i < 5; ++i) {
    const int status = std::system(("'" CUVETTE_COMMAND "' " + line + " >/dev/null 2>&1").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
  }
}

TEST(cuvette_explore, FindsTwoPairsThatHaveToBeTurnedRound) {
  const Said said = explore(program("two_buffers"));
  EXPECT_EQ(said.status, 1) << said.text;
}

TEST(cuvette_explore, TakesAFailureFromTheOutput) {
  EXPECT_EQ(explore(program("says_so")).status, 0);
  const Said said = explore("--fail-output='WRO+NG' " + program("says_so"));
  EXPECT_EQ(said.status, 1) << said.text;
  EXPECT_NE(said.text.find("its output says so"), std::string::npos) << said.text;
}

TEST(cuvette_explore, TakesASignalAndATimeForAFailure) {
  EXPECT_NE(explore(program("crashes")).text.find("signal 6"), std::string::npos);
  const Said said = explore("--timeout=1 " + program("hangs"));
  EXPECT_EQ(said.status, 1) << said.text;
  EXPECT_NE(said.text.find("did not end in time"), std::string::npos) << said.text;
}

TEST(cuvette_explore, SaysThatAProgramFailsInAnyCase) {
  const Said said = explore(program("fails"));
  EXPECT_EQ(said.status, 1);
  EXPECT_NE(said.text.find("(eager)"), std::string::npos) << said.text;
}

// Fails only if a file does not exist yet.
TEST(cuvette_explore, SaysThatAFailureDoesNotRepeat) {
  const std::string mark =
      std::string(testing::TempDir()) + "/cuvette-explore-" + std::to_string(getpid());
  const Said said = explore("-- sh -c 'test -e " + mark + " || { touch " + mark + "; exit 3; }'");
  std::remove(mark.c_str());
  EXPECT_EQ(said.status, 2) << said.text;
  EXPECT_NE(said.text.find("exit status 3"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("In 5 more runs of the same order it failed in none"), std::string::npos)
      << said.text;
  EXPECT_EQ(explore(program("fails")).text.find("more runs"), std::string::npos);
}

TEST(cuvette_explore, SaysThatThereIsNoProgram) {
  for (const char* missing : {"-- /nowhere/program", "-- no_such_program_anywhere"}) {
    const Said said = explore(missing);
    EXPECT_EQ(said.status, 127) << said.text;
    EXPECT_NE(said.text.find("cannot start"), std::string::npos) << said.text;
    EXPECT_EQ(said.text.find("the program fails"), std::string::npos) << said.text;
  }
  EXPECT_EQ(explore("-- /etc/passwd").status, 126);
  // What the system says only when it tries.
  const std::string script =
      std::string(testing::TempDir()) + "/cuvette-script-" + std::to_string(getpid());
  std::ofstream(script) << "#!/nowhere/shell\n";
  chmod(script.c_str(), 0700);
  const Said said = explore("-- " + script);
  std::remove(script.c_str());
  EXPECT_EQ(said.status, 127) << said.text;
  EXPECT_NE(said.text.find("cannot start"), std::string::npos) << said.text;
  EXPECT_EQ(said.text.find("the program fails"), std::string::npos) << said.text;
}

TEST(cuvette_explore, SaysThatThereIsNoWork) {
  const Said said = explore("-- true");
  EXPECT_EQ(said.status, 0);
  EXPECT_NE(said.text.find("one order only"), std::string::npos) << said.text;
}

TEST(cuvette_explore, FailsItselfWithAStatusOfItsOwn) {
  EXPECT_EQ(explore("--fail-output='(' -- true").status, 125);
  EXPECT_EQ(explore("").status, 125);
}

// The pair that matters is a launch and a fill, and the fill comes between two of its steps.
TEST(cuvette_explore, FindsWhatComesBetweenTheNodesOfALaunch) {
  const std::string program = "-- '" ORDERING_PROGRAMS "' fills_between_the_nodes_of_a_launch ";
  const Said wrong = explore(program + "wrong");
  EXPECT_EQ(wrong.status, 1) << wrong.text;
  EXPECT_NE(repeat_line(wrong), "") << wrong.text;
  const Said right = explore(program + "right");
  EXPECT_EQ(right.status, 0) << right.text;
  EXPECT_LE(orders_of(right), 5) << right.text;
}

// A copy that returned early has to be there for a call that waits for work behind it.
TEST(Schedule, RunsACopyThatItsCallDoesNotWaitFor) {
  for (const char* schedule : {"eager", "lazy", "replay:?1", "replay:?2", "replay:?1,?2"}) {
    const std::string line = std::string("timeout 60 '" CUVETTE_COMMAND "' run --schedule='") +
                             schedule + "' " + program("pageable");
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 0) << line;
  }
}

TEST(cuvette_explore, SpreadsOverRanks) {
  if (std::system("command -v mpirun >/dev/null") != 0 || CUVETTE_SANITIZED)
    GTEST_SKIP() << "there is no mpirun, or a sanitizer";
  const std::string line =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np 4 "
      "'" CUVETTE_COMMAND "' explore --jobs=1 " +
      program("missing_wait") + " 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 1) << text;
  const size_t first = text.find("cuvette explore: fails");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("cuvette explore: fails", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace cuvette::tools
