// SPDX-License-Identifier: Apache-2.0
// For each program in memory.def and lives.def, that it leaves its memory is reported, for every
// check at once. Nothing is reported for its repaired twin.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

// Everything but `api`: these programs leave memory to the end of the process.
constexpr const char* checked = "CUVETTE_CHECK=races,host,memory,init,sync,aliases";

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::vector<nlohmann::json> reports;
  std::string errors;
};

Outcome run(const std::string& name, const std::string& twin, const std::string& environment) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("cuvette-memory-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string errors = folder / "errors", reports = folder / "reports";
  const int status =
      std::system((environment + " CUVETTE_REPORT='" + reports + "' " MEMORY_PROGRAMS " " + name +
                   " " + twin + " 2>'" + errors + "'")
                      .c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), {}, ""};
  std::ifstream in(errors);
  outcome.errors.assign(std::istreambuf_iterator<char>(in), {});
  std::ifstream lines(reports);
  for (std::string text; std::getline(lines, text);)
    outcome.reports.push_back(nlohmann::json::parse(text));
  fs::remove_all(folder);
  return outcome;
}

struct Case {
  const char* name;
  const char* report;
};
constexpr Case cases[] = {
#define LEAVES(name, report) {#name, report},
#include "tests/wrong/memory/memory.def"
#undef LEAVES
#define LIVES(name) {#name, "outside-life"},
#include "tests/wrong/memory/lives.def"
#undef LIVES
};

class Leaves : public testing::TestWithParam<Case> {};

TEST_P(Leaves, ItsMemory) {
  // In the order of submission; else the memory may be gone before it is used too late.
  const Outcome outcome =
      run(GetParam().name, "wrong", std::string(checked) + " CUVETTE_SCHEDULE=eager");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  EXPECT_EQ(outcome.reports[0]["report"], GetParam().report) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("unexpected"), std::string::npos) << outcome.errors;
}

TEST_P(Leaves, NothingOnceRepaired) {
  const Outcome outcome = run(GetParam().name, "repaired", checked);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Programs, Leaves, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SharedVariables, AreNamedWithTheirSize) {
  const Outcome outcome = run("writes_behind_a_shared_array", "wrong", "CUVETTE_CHECK=memory");
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  const std::string sentence = outcome.reports[0]["sentence"];
  EXPECT_NE(sentence.find("first"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("which has 1024 bytes"), std::string::npos) << sentence;
}

}  // namespace
