// SPDX-License-Identifier: Apache-2.0
// Each wrong program causes exactly the reports and the result in misuses.def, with and without
// checks; its repaired twin causes none.
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/wrong/outcome.hpp"

namespace {

using Json = nlohmann::json;

enum class How { alone, watched };

struct Misuse {
  const char* name;
  How how;
  const char* code;
  const char* reports;
  const char* checked;
  const char* explanation;

  friend void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.name; }
};

const Misuse misuses[] = {
#define MISUSE(name, how, code, reports, checked, explanation) \
  {#name, How::how, #code, reports, checked, explanation},
#include "tests/wrong/misuses.def"
#undef MISUSE
};

// In an order of their own: what a check looks for is found sooner or later than the rest.
std::multiset<std::string> identifiers(const Outcome& outcome) {
  std::multiset<std::string> identifiers;
  for (const Json& report : outcome.reports) identifiers.insert(report["report"]);
  return identifiers;
}

enum class Checks { none, all };

// Runs one form of a program in a process of its own.
Outcome run(const Misuse& misuse, const char* twin, How how, Checks checks) {
  return run_program(
      (how == How::watched ? CUVETTE_COMMAND " run --quiet -- " : "") +
          std::string(GRAPHICS_PROGRAMS) + " " + misuse.name + " " + twin,
      std::string("CUVETTE_EXPLAIN=1") + (checks == Checks::all ? " CUVETTE_CHECK=all" : ""));
}

std::multiset<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

class WrongProgram : public testing::TestWithParam<Misuse> {};

TEST_P(WrongProgram, IsFoundOut) {
  const Misuse& misuse = GetParam();
  if (misuse.how == How::watched && CUVETTE_SANITIZED)
    GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  const auto expect = [&](const Outcome& outcome, const std::string& reports) {
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, std::string(misuse.code) + "\n") << outcome.errors;
    EXPECT_EQ(identifiers(outcome), words(reports)) << outcome.errors;
  };
  expect(run(misuse, "wrong", misuse.how, Checks::none), misuse.reports);
  const Outcome outcome = run(misuse, "wrong", misuse.how, Checks::all);
  expect(outcome, std::string(misuse.reports) + " " + misuse.checked);
  EXPECT_NE(outcome.errors.find(misuse.explanation), std::string::npos) << outcome.errors;
  for (const Json& report : outcome.reports) {
    EXPECT_FALSE(report["what to do"].get<std::string>().empty()) << report;
    // A report about graphics says which object it is, and where it was registered.
    if (!report["report"].get<std::string>().starts_with("graphics-")) continue;
    const Json& facts = report["facts"];
    EXPECT_TRUE(facts.contains("resource")) << report;
    EXPECT_TRUE(facts.contains("registered at")) << report;
    EXPECT_NE(report["sentence"].get<std::string>().find(facts.value("resource", "?")),
              std::string::npos)
        << report;
  }
}

TEST_P(WrongProgram, IsLeftInPeaceOnceRepaired) {
  const Misuse& misuse = GetParam();
  std::vector<std::pair<How, Checks>> ways = {{How::alone, Checks::none},
                                              {How::alone, Checks::all}};
  if (!CUVETTE_SANITIZED) ways.emplace_back(How::watched, Checks::all);
  for (const auto& [how, checks] : ways) {
    const Outcome outcome = run(misuse, "repaired", how, checks);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "CUDA_SUCCESS\n") << outcome.errors;
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
    const Outcome outcome = run(misuse, "wrong", How::alone, Checks::none);
    EXPECT_EQ(outcome.output, "CUDA_ERROR_INVALID_VALUE\n") << outcome.errors;
    EXPECT_EQ(identifiers(outcome), words(misuse.reports)) << outcome.errors;
    EXPECT_NE(outcome.errors.find("is unmapped"), std::string::npos) << outcome.errors;
  }
  unsetenv("CUVETTE_CONTRACT");
}

INSTANTIATE_TEST_SUITE_P(Graphics, WrongProgram, testing::ValuesIn(misuses),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
