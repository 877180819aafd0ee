// SPDX-License-Identifier: Apache-2.0
// A program waits for what will never happen: it gets a report and an error, and goes on. Its
// repaired twin gets neither, however long it takes.
#include <cuda.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

constexpr const char* names[] = {
#define STANDSTILL(name) #name,
#include "tests/wrong/standstill/standstill.def"
#undef STANDSTILL
};

Outcome run(const std::string& name, const char* twin) {
  return run_program(STANDSTILL_PROGRAMS " " + name + " " + twin, "CUVETTE_CHECK=all");
}

// Part of the advice that a program gets.
const char* advice_for(const std::string& program) {
  if (program == "waits_for_a_value" || program == "streams_wait_for_each_other")
    return "cuStreamWriteValue32";
  if (program == "initialises_a_barrier_again")
    return "Let each thread that a barrier in shared memory counts arrive";
  return "Write what the kernel's thread reads";
}

class StandstillPrograms : public testing::TestWithParam<const char*> {};

TEST_P(StandstillPrograms, EndsTheWait) {
  const Outcome outcome = run(GetParam(), "wrong");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, std::to_string(CUDA_ERROR_LAUNCH_TIMEOUT) + "\n");
  size_t count = 0;
  for (const auto& report : outcome.reports) count += report["report"] == "standstill";
  EXPECT_EQ(count, 1u) << outcome.errors;
  for (const auto& report : outcome.reports)
    if (report["report"] == "standstill") {
      EXPECT_NE(report["what to do"].get<std::string>().find(advice_for(GetParam())),
                std::string::npos)
          << outcome.errors;
    }
  // What ended the wait's hope is the answer.
  if (GetParam() == std::string("initialises_a_barrier_again")) {
    EXPECT_NE(outcome.errors.find(" was initialised while threads waited, standstill.cu:"),
              std::string::npos)
        << outcome.errors;
    EXPECT_NE(outcome.errors.find("[barrier-reused]"), std::string::npos) << outcome.errors;
  }
  // Which value it waits for is half of the answer.
  if (GetParam() == std::string("waits_for_a_value")) {
    EXPECT_NE(outcome.errors.find("wait for a value: for the word at 0x"), std::string::npos)
        << outcome.errors;
  }
}

TEST_P(StandstillPrograms, LeavesTheRepairedTwinInPeace) {
  const Outcome outcome = run(GetParam(), "repaired");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "0\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(StandstillObserver, TellsALoopThatComputesFromOneThatWaits) {
  const Outcome outcome = run("sorts_for_long", "repaired");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "0\n");
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Programs, StandstillPrograms, testing::ValuesIn(names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
