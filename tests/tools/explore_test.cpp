// SPDX-License-Identifier: Apache-2.0
// `cuvette explore`, from outside.
#include <gtest/gtest.h>
#include <signal.h>
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

namespace cuvette::tools {
namespace {

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
  for (const char* name :
       {"right", "ordered", "independent", "blocks_right", "warps_right", "kernels_apart"}) {
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
    EXPECT_NE(said.text.find("  kernel last  "), std::string::npos) << said.text;
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
  EXPECT_NE(output.text.find("The standard output is another one: line "), std::string::npos)
      << output.text;
  EXPECT_EQ(explore("--differ " + program("ordered")).status, 0);
  EXPECT_EQ(explore("--differ " + program("blocks_right")).status, 0);
}

TEST(cuvette_explore, SaysThatTheHostGetsSomethingElseThoughTheProgramPasses) {
  const Said copy = explore(program("says_nothing"));
  EXPECT_EQ(copy.status, 0) << copy.text;
  EXPECT_NE(copy.text.find("Copy 2.1 to the host"), std::string::npos) << copy.text;
  EXPECT_NE(copy.text.find("--differ"), std::string::npos) << copy.text;
  const Said output = explore(program("says_so"));
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_NE(output.text.find("The output is another one: line "), std::string::npos) << output.text;
  // A program that is right, or with an output that differs each time, gives no reason to say so.
  const std::string chance = "-- sh -c '\"" EXPLORED_PROGRAM "\" independent; date +%N; exit 0'";
  for (const std::string& same : {program("ordered"), program("blocks_right"), chance})
    EXPECT_EQ(explore(same).text.find("--differ"), std::string::npos) << same;
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

TEST(cuvette_explore, FindsWhatOnlyTheHostSees) {
  const Said early = explore(program("looks"));
  EXPECT_EQ(early.status, 1) << early.text;
  EXPECT_NE(repeat_line(early), "") << early.text;
  const Said late = explore(program("looks_late"));
  EXPECT_EQ(late.status, 0) << late.text;
  EXPECT_LE(orders_of(late), 5) << late.text;
}

TEST(cuvette_explore, FindsThatMemoryIsFreedInUse) {
  for (const std::string what :
       {"frees", "frees_fill", "frees_kernel", "frees_graph", "frees_node"}) {
    const Said early = explore(program(what + "_early"));
    EXPECT_EQ(early.status, 1) << what << early.text;
    EXPECT_NE(repeat_line(early), "") << what << early.text;
    const Said late = explore(program(what + "_late"));
    EXPECT_EQ(late.status, 0) << what << late.text;
  }
}

// The processes are not in step: what the other one does next has to come in between.
TEST(cuvette_explore, FindsAnEventThatTellsAnotherProcessTooEarly) {
  const Said early = explore(program("tells_early"));
  EXPECT_EQ(early.status, 1) << early.text;
  for (const char* schedule : {"eager", "lazy"}) {
    const std::string line = "'" CUVETTE_COMMAND "' run --schedule=" + std::string(schedule) + " " +
                             program("tells_late") + " >/dev/null 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << schedule;
  }
}

TEST(cuvette_explore, TakesAFailureFromTheOutput) {
  EXPECT_EQ(explore(program("says_so")).status, 0);
  const Said said = explore("--fail-output='WRO+NG' " + program("says_so"));
  EXPECT_EQ(said.status, 1) << said.text;
  EXPECT_NE(said.text.find("its output says so"), std::string::npos) << said.text;
}

TEST(cuvette_explore, TakesAReportThatItCannotReadForAFailure) {
  const Said said =
      explore("-- sh -c 'echo \"{\\\"report\\\": 7, \\\"sentence\\\": []}\" >> $CUVETTE_REPORT'");
  EXPECT_EQ(said.status, 1) << said.text;
  EXPECT_NE(said.text.find("unreadable"), std::string::npos) << said.text;
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

// A program that stops `explore`, its parent, in a run of `lazy`.
std::string stops(const std::string& name, const std::string& how) {
  return "-- sh -c '\"" EXPLORED_PROGRAM "\" " + name +
         "; s=$?; if [ $CUVETTE_SCHEDULE = lazy ]; then " + how + "; fi; exit $s'";
}

TEST(cuvette_explore, SaysWhatItHasFoundWhenASignalStopsIt) {
  const Said said = explore("--jobs=1 " + stops("says_nothing", "kill -INT $PPID; sleep 60"));
  EXPECT_EQ(said.status, 128 + SIGINT) << said.text;
  EXPECT_NE(said.text.find("passed in the 1 of 2 orders (3 streams) that were run until SIGINT"),
            std::string::npos)
      << said.text;
  const Said json =
      explore("--json --jobs=1 " + stops("says_nothing", "kill -TERM $PPID; sleep 60"));
  EXPECT_EQ(json.status, 128 + SIGTERM) << json.text;
  const auto answer = nlohmann::json::parse(json.text, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << json.text;
  EXPECT_EQ(answer["stopped by"], "SIGTERM");
  EXPECT_EQ(answer["orders run"], 1);
  const Said first = explore("-- sh -c 'kill -TERM $PPID; sleep 60'");
  EXPECT_EQ(first.status, 128 + SIGTERM) << first.text;
  EXPECT_NE(first.text.find("the first run had not ended"), std::string::npos) << first.text;
}

TEST(cuvette_explore, SaysWhichFailureItHasFoundWhenASignalStopsIt) {
  const std::string mark =
      std::string(testing::TempDir()) + "/cuvette-explore-stop-" + std::to_string(getpid());
  const Said said = explore(stops("missing_wait", "if [ -e " + mark +
                                                      " ]; then kill -INT $PPID; sleep 60; fi; "
                                                      "touch " +
                                                      mark));
  std::remove(mark.c_str());
  EXPECT_EQ(said.status, 1) << said.text;
  for (const char* text : {"fails in order 2 of 2: lazy", "the copy came first", "ended at SIGINT",
                           "cuvette run --schedule=lazy"})
    EXPECT_NE(said.text.find(text), std::string::npos) << text << "\n" << said.text;
}

TEST(cuvette_explore, EndsWhenItsTimeIsUp) {
  const Said said = explore("--time=4s --jobs=1 " + stops("says_nothing", "sleep 60"));
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_NE(said.text.find("that were run until the time of --time"), std::string::npos)
      << said.text;
  const Said first = explore("--time=0.1s -- sleep 60");
  EXPECT_EQ(first.status, 125) << first.text;
  for (const char* wrong : {"--time=", "--time=soon", "--time=0", "--time=-1s", "--time=1d"})
    EXPECT_EQ(explore(std::string(wrong) + " -- true").status, 125) << wrong;
}

TEST(cuvette_explore, NamesLinesOfPrograms) {
  const Said said = explore(program("missing_wait"));
  EXPECT_NE(said.text.find("fill_and_copy (" EXPLORED_SOURCE ":"), std::string::npos) << said.text;
  const Said copy = explore(program("says_nothing"));
  EXPECT_NE(copy.text.find("(called at fill_and_copy (" EXPLORED_SOURCE ":"), std::string::npos)
      << copy.text;
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
  // A fault that the system only finds when it tries to start the script.
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

// A copy that returned early must be complete when a call waits for later work.
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
