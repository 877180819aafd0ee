// SPDX-License-Identifier: Apache-2.0
// Each wrong program causes exactly the reports and the result in misuses.def; its repaired twin
// causes none.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
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

struct Outcome {
  int status;
  std::string answer, errors;
  std::vector<Json> reports;

  std::vector<std::string> identifiers() const {
    std::vector<std::string> identifiers;
    for (const Json& report : reports) identifiers.push_back(report["report"]);
    return identifiers;
  }
};

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Runs one form of a program in a process of its own.
Outcome run(const Misuse& misuse, const char* twin, How how) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("cuvette-wrong-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string answer = folder / "answer", errors = folder / "errors",
                    reports = folder / "reports";
  const std::string program = std::string(WRONG_PROGRAMS) + " " + misuse.name + " " + twin;
  const std::string line = "CUVETTE_EXPLAIN=1 CUVETTE_REPORT='" + reports + "' " +
                           (how == How::checked ? "CUVETTE_CHECK=races " : "") +
                           (how == How::watched ? CUVETTE_COMMAND " run -- " : "") + program +
                           " >'" + answer + "' 2>'" + errors + "'";
  const int status = std::system(line.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
                  read(answer),
                  read(errors),
                  {}};
  std::istringstream lines(read(reports));
  for (std::string text; std::getline(lines, text);) outcome.reports.push_back(Json::parse(text));
  fs::remove_all(folder);
  return outcome;
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
  EXPECT_EQ(outcome.answer, std::string(misuse.code) + "\n") << outcome.errors;
  EXPECT_EQ(outcome.identifiers(), words(misuse.reports)) << outcome.errors;
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
    EXPECT_EQ(outcome.answer, "CUDA_SUCCESS\n") << outcome.errors;
    EXPECT_EQ(outcome.identifiers(), std::vector<std::string>{});
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
    EXPECT_EQ(outcome.answer, "CUDA_ERROR_INVALID_VALUE\n") << outcome.errors;
    EXPECT_EQ(outcome.identifiers(), words(misuse.reports)) << outcome.errors;
    EXPECT_NE(outcome.errors.find("is unmapped"), std::string::npos) << outcome.errors;
  }
  unsetenv("CUVETTE_CONTRACT");
}

INSTANTIATE_TEST_SUITE_P(Graphics, WrongProgram, testing::ValuesIn(misuses),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
