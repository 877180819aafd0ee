// SPDX-License-Identifier: Apache-2.0
// For each program the report in api.def is made, and no other, and it names the line that the
// program marks. Nothing is reported for its repaired twin, or without CUVETTE_CHECK.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

struct Program {
  const char* name;
  const char* report;
  friend void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }
};
const Program programs[] = {
#define API(name, report) {#name, report},
#include "tests/wrong/api/api.def"
#undef API
};

struct Answer {
  int status;
  std::set<std::string> reports;
  bool at_the_line = false;  // whether a place in a report is the one that the program marks
  std::string errors;
};

Answer run(const std::string& command, const std::string& environment) {
  const Outcome outcome = run_program(command, environment);
  Answer answer{outcome.status, {}, false, outcome.errors};
  const std::filesystem::path mark = outcome.output.substr(0, outcome.output.find('\n'));
  const std::string line = mark.filename();
  for (const auto& report : outcome.reports) {
    answer.reports.insert(report["report"]);
    for (const auto& [key, value] : report["facts"].items())
      if (!line.empty() && value.is_string() &&
          value.get<std::string>().find(line) != std::string::npos)
        answer.at_the_line = true;
  }
  return answer;
}

class ApiProgram : public testing::TestWithParam<Program> {
 protected:
  Answer run_twin(const char* twin, const char* check = "all") {
    return run(std::string(API_PROGRAMS " ") + GetParam().name + " " + twin,
               std::string("CUVETTE_CHECK=") + check);
  }
};

TEST_P(ApiProgram, IsFoundOut) {
  const Answer outcome = run_twin("wrong");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  std::istringstream words(GetParam().report);
  const std::set<std::string> reports{std::istream_iterator<std::string>(words), {}};
  EXPECT_EQ(outcome.reports, reports) << outcome.errors;
  EXPECT_TRUE(outcome.at_the_line || reports.empty()) << outcome.errors;
}

TEST_P(ApiProgram, IsLeftInPeaceOnceRepaired) {
  const Answer outcome = run_twin("repaired");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.reports, std::set<std::string>()) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(All, ApiProgram, testing::ValuesIn(programs),
                         [](const auto& info) { return info.param.name; });

TEST(ApiCheck, SeesTheProgramThroughTheRuntime) {
  const struct {
    const char *name, *report, *words;
  } programs[] = {
      {"leaks", "leaked-memory", ""},
      {"frees_twice", "double-free", "cudaFree is given"},
      {"frees_host_memory", "wrong-handle", "cudaFree is given"},
      {"ignores_an_error", "ignored-error", "cudaMalloc fails with cudaErrorMemoryAllocation"},
      {"frees_after_a_reset", "leaked-memory", ""},
      {"leaves_memory_to_a_static_object", "leaked-memory", ""},
      {"leaks_beside_a_kernel", "leaked-memory", ""},
      {"asks_for_the_last_error", "", ""}};
  for (const auto& [name, report, words] : programs) {
    const std::string command = std::string(API_RUNTIME_PROGRAMS " ") + name;
    const Answer wrong = run(command + " wrong", "CUVETTE_CHECK=all");
    const std::set<std::string> expected =
        *report ? std::set<std::string>{report} : std::set<std::string>();
    EXPECT_EQ(wrong.status, 0) << wrong.errors;
    EXPECT_EQ(wrong.reports, expected) << name << "\n" << wrong.errors;
    EXPECT_TRUE(wrong.at_the_line || !*report) << wrong.errors;
    EXPECT_NE(wrong.errors.find(words), std::string::npos) << words << "\n" << wrong.errors;
    const Answer repaired = run(command + " repaired", "CUVETTE_CHECK=all");
    EXPECT_EQ(repaired.status, 0) << repaired.errors;
    EXPECT_EQ(repaired.errors, "");
  }
}

// The run that needs the report most.
TEST(ApiCheck, SeesIgnoredErrorsOfAProcessThatFails) {
  const std::string command = API_RUNTIME_PROGRAMS " ignores_an_error_and_fails";
  const Answer wrong = run(command + " wrong", "CUVETTE_CHECK=api");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(wrong.reports, std::set<std::string>{"ignored-error"}) << wrong.errors;
  EXPECT_TRUE(wrong.at_the_line) << wrong.errors;
  EXPECT_EQ(run(command + " repaired", "CUVETTE_CHECK=api").errors, "");
}

TEST(ApiCheck, ReadsCodeThatIsNotOptimised) {
  for (const char* name : {"throws_a_result_away", "throws_a_result_away_at_the_end"}) {
    const std::string command = std::string(API_PROGRAMS_UNOPTIMISED " ") + name;
    const Answer wrong = run(command + " wrong", "CUVETTE_CHECK=api");
    EXPECT_EQ(wrong.reports, std::set<std::string>{"ignored-error"}) << wrong.errors;
    EXPECT_TRUE(wrong.at_the_line) << wrong.errors;
    EXPECT_EQ(run(command + " repaired", "CUVETTE_CHECK=api").errors, "");
  }
  // The result is kept in a variable, which counts as looking.
  const Answer kept =
      run(API_PROGRAMS_UNOPTIMISED " looks_at_a_result_on_one_way wrong", "CUVETTE_CHECK=api");
  EXPECT_EQ(kept.errors, "");
}

TEST(ApiCheck, NamesTheKernel) {
  const Outcome outcome =
      run_program(API_PROGRAMS " never_asks_for_a_sticky_error wrong", "CUVETTE_CHECK=all");
  for (const auto& report : outcome.reports) {
    if (report["report"] == "illegal-address") continue;
    EXPECT_EQ(report["facts"]["command"], "kernel store") << outcome.errors;
  }
  EXPECT_EQ(outcome.reports.size(), 3u) << outcome.errors;
}

TEST(ApiCheck, NothingIsLookedForUnasked) {
  for (const char* name : {"leaks_device_memory", "frees_memory_twice", "moves_bytes_up"}) {
    const Answer outcome = run(std::string(API_PROGRAMS " ") + name + " wrong", "");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.errors, "");
  }
}

}  // namespace
