// SPDX-License-Identifier: Apache-2.0
// A position of a run: commands, memory, output, and what is said of one command.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/step/runs.hpp"
#include "tools/cuvette/step/explanation.hpp"
#include "tools/cuvette/step/plain_text.hpp"
#include "tools/cuvette/step/step_state.hpp"

namespace cuvette::tools {
namespace {

std::string states_at(const History& history, size_t position) {
  std::string text;
  const StepState state = state_at(history, position, {});
  for (const StepState::Row& row : state.rows)
    for (const StepState::Item& item : row.items)
      text += text_of(item.name) + " " + word_for(item.state) + "; ";
  return text;
}

bool has_line(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(StepHistory, SaysWhichCommandsAreDoneReadyAndWaiting) {
  const History history = two_streams_history();
  EXPECT_EQ(history.steps(), 3u);
  EXPECT_EQ(states_at(history, 0), "1.1 ready; 2.1 ready; 2.2 waits; ");
  EXPECT_EQ(states_at(history, 1), "1.1 done; 2.1 ready; 2.2 waits; ");
  EXPECT_EQ(states_at(history, 2), "1.1 done; 2.1 done; 2.2 ready; ");
  EXPECT_EQ(states_at(history, 3), "1.1 done; 2.1 done; 2.2 done; ");
  EXPECT_EQ(state_at(history, 0, {}).find({2, 2})->waits_for, "2.1 (same stream)");
}

TEST(StepHistory, ShowsMemoryAndWhatTheLastStepChanged) {
  const History history = two_streams_history();
  const StepState at_first = state_at(history, 0, {});
  ASSERT_EQ(at_first.memory.size(), 2u);
  EXPECT_EQ(at_first.memory[0].values, (std::vector<std::string>{"?", "?"}));
  EXPECT_EQ(at_first.memory[1].title, "2 sums");
  const StepState later = state_at(history, 3, {});
  EXPECT_EQ(later.memory[0].values, (std::vector<std::string>{"7", "7"}));
  EXPECT_EQ(later.memory[0].changed, (std::vector<bool>{false, false}));
  EXPECT_EQ(later.memory[1].values, (std::vector<std::string>{"7", "9"}));
  EXPECT_EQ(later.memory[1].changed, (std::vector<bool>{false, true}));
  EXPECT_EQ(later.memory[1].was[1], "7");
}

TEST(StepHistory, ShowsWatchedRangesAlone) {
  const History history = two_streams_history();
  const StepState state = state_at(history, 3, {*Watch::parse("last=sums+4:uint8[2]")});
  ASSERT_EQ(state.memory.size(), 1u);
  EXPECT_EQ(state.memory[0].title, "2 last+4");
  EXPECT_EQ(state.memory[0].values, (std::vector<std::string>{"9", "0"}));
}

TEST(StepHistory, ShowsTheOutputAsFarAsItWasPrinted) {
  const History history = two_streams_history();
  EXPECT_EQ(state_at(history, 0, {}).output, "hi\n");
  EXPECT_EQ(state_at(history, 3, {}).output, "hi\nbye\n");
}

TEST(StepHistory, SaysWhatTheProgramDoes) {
  const History history = two_streams_history();
  EXPECT_EQ(state_at(history, 0, {}).program,
            std::vector<std::string>{"is in cuCtxSynchronize, called at main (two.cpp:40)"});
  const StepState end = state_at(history, 3, {});
  EXPECT_EQ(end.end, "has ended with exit status 0");
  EXPECT_FALSE(end.next);
}

TEST(StepHistory, FindsCommandsWithoutOrderThatTouchTheSameBytes) {
  const History history = two_streams_history();
  EXPECT_FALSE(history.are_ordered(0, 1));
  EXPECT_TRUE(history.are_ordered(1, 2));
  const auto lines = explanation_of(history, 0, 1);
  EXPECT_TRUE(
      has_line(lines, "1.1 (fill) writes bytes 0 to 7 of allocation 1, which this one reads"));
  EXPECT_TRUE(has_line(explanation_of(history, 0, 2), "No command that nothing orders with it"));
}

TEST(StepHistory, KnowsThatAnEdgeOrders) {
  Record record = record_of_two_streams();
  record.edges.push_back({0, 1, Record::Edge::Why::event});
  const History history(two_streams(), record, {});
  EXPECT_TRUE(history.are_ordered(0, 1));
  EXPECT_EQ(states_at(history, 0), "1.1 ready; 2.1 waits; 2.2 waits; ");
  EXPECT_EQ(state_at(history, 0, {}).find({2, 1})->waits_for, "1.1 (event)");
}

TEST(StepHistory, KnowsThatAWaitOfTheHostOrders) {
  Record record = record_of_two_streams();
  record.calls.push_back(call_of("cuStreamSynchronize", "", 13, 15));
  record.host_waits.push_back({0, 2});
  record.commands[1].call = record.commands[2].call = 0;
  EXPECT_TRUE(History(two_streams(), record, {}).are_ordered(0, 1));
}

TEST(StepHistory, HasStepsOfAGraphInTheirBranches) {
  const History history(
      log_of({"queued 1.1 graph non-blocking main 1 1", "began 1.1",
              "queued 1.1.1 fill non-blocking main 1 1", "queued 1.1.2 fill non-blocking main 1 2",
              "queued 1.1.3 fill non-blocking main 2 1", "held 1.1.1", "began 1.1.1",
              "held 1.1.2*2", "held 1.1.3*3", "began 1.1.2", "began 1.1.3", "ended 1.1"}),
      {}, {});
  EXPECT_EQ(history.steps(), 4u);
  EXPECT_EQ(states_at(history, 0), "1.1 ready; ");
  EXPECT_EQ(states_at(history, 1), "1.1 running; 1.1.1 ready; 1.1.2 waits; 1.1.3 waits; ");
  EXPECT_EQ(states_at(history, 2), "1.1 running; 1.1.1 done; 1.1.2 ready; 1.1.3 ready; ");
  EXPECT_EQ(states_at(history, 4), "1.1 done; ");
}

TEST(StepHistory, IsEmptyForAProgramWithoutCommands) {
  const History history({}, {}, {"has ended with exit status 0", "", ""});
  const StepState state = state_at(history, 0, {});
  EXPECT_EQ(state.end, "has ended with exit status 0");
  EXPECT_NE(plain_text(state).find("step 0 of 0"), std::string::npos);
}

TEST(StepLog, LeavesOutLinesThatMakeNoSense) {
  const RunLog log = log_of({"queued", "queued 1.x copy a b", "began 4.4", "bytes 1.1 x",
                             "memory 1", "gave 1.1 0x10 4 0102", "yes 3", "held 1.1*2"});
  EXPECT_TRUE(log.works.empty());
  EXPECT_EQ(log.gifts.size(), 1u);
  EXPECT_EQ(log.decisions.print(), "1.1*2,?3");
}

}  // namespace
}  // namespace cuvette::tools
