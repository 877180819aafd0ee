// SPDX-License-Identifier: Apache-2.0
// For each kernel in threads.def, that its threads race is reported, in whatever order they ran and
// for every vector unit. Nothing is reported for its repaired twin, or without CUVETTE_CHECK.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::vector<nlohmann::json> reports;
  std::string errors;
};

Outcome run(const std::string& name, const std::string& twin, const std::string& environment) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("cuvette-threads-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string errors = folder / "errors", reports = folder / "reports";
  const int status =
      std::system((environment + " CUVETTE_REPORT='" + reports + "' " THREAD_PROGRAMS " " + name +
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

class ThreadRace : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  Outcome run_twin(const char* twin) {
    return run(std::get<0>(GetParam()), twin,
               std::string("CUVETTE_CHECK=all ") + std::get<1>(GetParam()));
  }
};

TEST_P(ThreadRace, IsFoundOut) {
  const Outcome outcome = run_twin("wrong");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_FALSE(outcome.reports.empty());
  bool named = false;
  for (const auto& report : outcome.reports) {
    EXPECT_EQ(report["report"], "thread-race") << outcome.errors;
    const auto& facts = report["facts"];
    EXPECT_EQ(facts["kernel"], std::string(std::get<0>(GetParam())) + "_wrong");
    const auto of_program = [&](const char* key) {
      return facts[key].get<std::string>().find("threads.cu:") != std::string::npos;
    };
    named = named || of_program("source") || of_program("earlier source");
  }
  EXPECT_TRUE(named) << outcome.errors;
}

TEST_P(ThreadRace, IsLeftInPeaceOnceRepaired) {
  const Outcome outcome = run_twin("repaired");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

constexpr const char* names[] = {
#define THREADS(name, blocks, threads) #name,
#include "tests/wrong/threads/threads.def"
#undef THREADS
};
INSTANTIATE_TEST_SUITE_P(Ways, ThreadRace,
                         testing::Combine(testing::ValuesIn(names),
                                          testing::Values("CUVETTE_VECTORS=sse",
                                                          "CUVETTE_SCHEDULE=lazy")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) +
                                  (info.index % 2 ? "_lazy" : "_sse");
                         });

TEST(CheckKnob, ThreadsAreNotWatchedUnasked) {
  const Outcome outcome = run(names[0], "wrong", "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

}  // namespace
