// SPDX-License-Identifier: Apache-2.0
// Each wrong program causes exactly the reports and the result in misuses.def; its repaired twin
// causes none.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/wrong/outcome.hpp"

namespace {

using Json = nlohmann::json;

enum class How { alone, watched, checked };

struct Misuse {
  const char* name;
  How how;
  const char* code;
  const char* reports;
  const char* explanation;

  friend void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.name; }
};

const Misuse misuses[] = {
#define MISUSE(name, how, code, reports, explanation) \
  {#name, How::how, #code, reports, explanation},
#include "tests/wrong/misuses.def"
#undef MISUSE
};

std::vector<std::string> identifiers(const Outcome& outcome) {
  std::vector<std::string> identifiers;
  for (const Json& report : outcome.reports) identifiers.push_back(report["report"]);
  return identifiers;
}

// Runs one form of a program in a process of its own.
Outcome run(const Misuse& misuse, const char* twin, How how) {
  return run_program(
      (how == How::watched ? CUVETTE_COMMAND " run -- " : "") + std::string(WRONG_PROGRAMS) + " " +
          misuse.name + " " + twin,
      std::string("CUVETTE_EXPLAIN=1") + (how == How::checked ? " CUVETTE_CHECK=races" : ""));
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

class WrongProgram : public testing::TestWithParam<Misuse> {};

TEST_P(WrongProgram, IsFoundOut) {
  const Misuse& misuse = GetParam();
  if (misuse.how == How::watched && CUVETTE_SANITIZED)
    GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  const Outcome outcome = run(misuse, "wrong", misuse.how);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, std::string(misuse.code) + "\n") << outcome.errors;
  EXPECT_EQ(identifiers(outcome), words(misuse.reports)) << outcome.errors;
  EXPECT_NE(outcome.errors.find(misuse.explanation), std::string::npos) << outcome.errors;
  for (const Json& report : outcome.reports) {
    // A report says which object it is, where it was registered, and what to do.
    const Json& facts = report["facts"];
    EXPECT_TRUE(facts.contains("resource")) << report;
    EXPECT_TRUE(facts.contains("registered at")) << report;
    EXPECT_NE(report["sentence"].get<std::string>().find(facts.value("resource", "?")),
              std::string::npos)
        << report;
    EXPECT_FALSE(report["what to do"].get<std::string>().empty()) << report;
  }
}

TEST_P(WrongProgram, IsLeftInPeaceOnceRepaired) {
  const Misuse& misuse = GetParam();
  std::vector<How> ways = {How::alone, How::checked};
  if (!CUVETTE_SANITIZED) ways.push_back(How::watched);
  for (const How how : ways) {
    const Outcome outcome = run(misuse, "repaired", how);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "CUDA_SUCCESS\n") << outcome.errors;
    EXPECT_EQ(identifiers(outcome), std::vector<std::string>{});
    EXPECT_EQ(outcome.errors, "");
  }
}

// On request, uses that hardware lets pass are refused; they are still reported.
TEST(StrictContract, RefusesArraysThatAreKept) {
  ASSERT_EQ(setenv("CUVETTE_CONTRACT", "strict", 1), 0);
  for (const Misuse& misuse : misuses) {
    if (misuse.name != std::string("copies_to_an_array_after_unmap") &&
        misuse.name != std::string("maps_once_and_copies_each_frame"))
      continue;
    const Outcome outcome = run(misuse, "wrong", How::alone);
    EXPECT_EQ(outcome.output, "CUDA_ERROR_INVALID_VALUE\n") << outcome.errors;
    EXPECT_EQ(identifiers(outcome), words(misuse.reports)) << outcome.errors;
    EXPECT_NE(outcome.errors.find("is unmapped"), std::string::npos) << outcome.errors;
  }
  unsetenv("CUVETTE_CONTRACT");
}

INSTANTIATE_TEST_SUITE_P(Graphics, WrongProgram, testing::ValuesIn(misuses),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
