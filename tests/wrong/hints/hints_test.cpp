// SPDX-License-Identifier: Apache-2.0
// Each program in hints.def gets its hint, once, and it counts as no report. Its repaired twin gets
// none, nor does anybody without CUVETTE_CHECK=aliases.
#include <gtest/gtest.h>

#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

struct Program {
  const char *name, *hint;
  friend void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }
};
const Program programs[] = {
#define PROGRAM(name, hint) {#name, hint},
#include "tests/wrong/hints/hints.def"
#undef PROGRAM
};

Outcome run(const std::string& name, const std::string& twin, const std::string& environment) {
  return run_program(HINT_PROGRAMS " " + name + " " + twin, environment);
}

size_t count(const std::string& text, const std::string& words) {
  size_t found = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
    ++found;
  return found;
}

class HintProgram : public testing::TestWithParam<Program> {};

TEST_P(HintProgram, GetsAHintThatIsNoReport) {
  const Outcome outcome =
      run(GetParam().name, "wrong", "CUVETTE_CHECK=all CUVETTE_ERROR_EXITCODE=9");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.reports.size(), 0u) << outcome.errors;
  EXPECT_EQ(outcome.errors.find(std::string("cuvette: [") + GetParam().hint + "] Hint: "), 0u)
      << outcome.errors;
  EXPECT_EQ(count(outcome.errors, "cuvette: "), 1u) << outcome.errors;
  EXPECT_EQ(count(outcome.errors, "mapped at: map"), 2u) << outcome.errors;
}

TEST_P(HintProgram, IsLeftInPeaceOnceRepaired) {
  const Outcome outcome = run(GetParam().name, "repaired", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(All, HintProgram, testing::ValuesIn(programs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Hints, AreGivenOnRequestAlone) {
  for (const char* environment :
       {"CUVETTE_CHECK=", "CUVETTE_CHECK=races,sync", "CUVETTE_ALIASES=adversary",
        "CUVETTE_CHECK=all CUVETTE_SUPPRESS=overlapping-mappings CUVETTE_REPORT_FORMAT=json"}) {
    const Outcome outcome = run("maps_a_buffer_twice", "wrong", environment);
    EXPECT_EQ(outcome.status, 0) << environment;
    EXPECT_EQ(count(outcome.errors, "Hint"), 0u) << environment << "\n" << outcome.errors;
  }
}

// The command's own way to see whether anything was reported is the file of the reports.
TEST(Hints, AreNoFailures) {
  const std::string program = " -- " HINT_PROGRAMS " maps_a_buffer_twice wrong";
  const Outcome run =
      run_program(CUVETTE_COMMAND " run --check=all --error-exitcode=9" + program, "");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(count(run.errors, "[overlapping-mappings]"), 1u) << run.errors;
  const Outcome explored = run_program(CUVETTE_COMMAND " explore --check=all" + program, "");
  EXPECT_EQ(explored.status, 0) << explored.errors << explored.output;
}

}  // namespace
