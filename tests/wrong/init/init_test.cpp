// SPDX-License-Identifier: Apache-2.0
// For each program in init.def and programs.def, that unwritten memory decides something is
// reported, for every check at once. Nothing is reported for its repaired twin, or without
// CUVETTE_CHECK.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

Outcome run(const std::string& name, const std::string& twin, const std::string& environment) {
  return run_program(INIT_PROGRAMS " " + name + " " + twin, environment);
}

constexpr const char* kernels[] = {
#define UNWRITTEN(name, blocks, threads, filled) #name,
#include "tests/wrong/init/init.def"
#undef UNWRITTEN
};
constexpr const char* programs[] = {
#define UNWRITTEN_ON_HOST(name) #name,
#include "tests/wrong/init/programs.def"
#undef UNWRITTEN_ON_HOST
};

class Unwritten : public testing::TestWithParam<const char*> {};

TEST_P(Unwritten, IsFoundOut) {
  const Outcome outcome = run(GetParam(), "wrong", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_FALSE(outcome.reports.empty());
  for (const auto& report : outcome.reports) {
    EXPECT_EQ(report["report"], "uninitialised-read") << outcome.errors;
    const auto& facts = report["facts"];
    if (!facts.contains("kernel")) continue;  // a copy
    EXPECT_TRUE(facts.contains("source")) << outcome.errors;
  }
}

TEST_P(Unwritten, IsLeftInPeaceOnceRepaired) {
  const Outcome outcome = run(GetParam(), "repaired", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

const auto name_of = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Kernels, Unwritten, testing::ValuesIn(kernels), name_of);
INSTANTIATE_TEST_SUITE_P(Programs, Unwritten, testing::ValuesIn(programs), name_of);

TEST(UnwrittenReads, NameThreadAndPlace) {
  const Outcome outcome = run("covers_too_little", "wrong", "CUVETTE_CHECK=init");
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  const auto& facts = outcome.reports[0]["facts"];
  EXPECT_EQ(facts["kernel"], "covers_too_little_wrong");
  EXPECT_EQ(facts["thread"], "(0, 0, 0)");
  EXPECT_EQ(facts["bytes"], 4);
  EXPECT_EQ(facts["offset"], 255 * 4) << outcome.errors;
}

TEST(UnwrittenReads, NameVariablesInSharedMemory) {
  const Outcome outcome = run("loads_part_of_its_tile", "wrong", "CUVETTE_CHECK=init");
  std::set<std::string> variables;
  for (const auto& report : outcome.reports) {
    EXPECT_NE(report["sentence"].get<std::string>().find("shared memory at tile["),
              std::string::npos)
        << outcome.errors;
    variables.insert(report["facts"]["variable"].get<std::string>());
  }
  EXPECT_TRUE(variables.contains("tile, byte 0 of 1032")) << outcome.errors;
}

// Random stores, loads and moves of bytes: the kernels that are reported are those that a plain
// account of bytes calls wrong.
TEST(UnwrittenReads, AreThoseOfAPlainAccount) {
  const char* const longer = std::getenv("CUVETTE_TEST_SEEDS");
  const int seeds = longer ? 50 * std::atoi(longer) : 3;
  int all = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    // What is only noted for the race check is told later.
    const char* const check = seed % 2 ? "CUVETTE_CHECK=init" : "CUVETTE_CHECK=init,races";
    const Outcome outcome = run("random", std::to_string(seed), check);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::istringstream lines(outcome.output);
    std::set<std::string> wrong, reported;
    for (std::string name; std::getline(lines, name);) wrong.insert(name);
    for (const auto& report : outcome.reports) reported.insert(report["facts"]["kernel"]);
    EXPECT_EQ(reported, wrong) << "seed " << seed;
    all += static_cast<int>(wrong.size());
  }
  EXPECT_GT(all, 3 * seeds);
  EXPECT_LT(all, 13 * seeds);
}

TEST(UnwrittenReads, AreNobodysBusinessUnasked) {
  const Outcome outcome = run(kernels[0], "wrong", "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

}  // namespace
