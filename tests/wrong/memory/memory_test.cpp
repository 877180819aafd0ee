// SPDX-License-Identifier: Apache-2.0
// For each program in memory.def, lives.def and graphs.def, that it leaves its memory is reported,
// for every check at once. Nothing is reported for its repaired twin.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

Outcome run(const std::string& name, const std::string& twin, const std::string& environment) {
  return run_program(MEMORY_PROGRAMS " " + name + " " + twin, environment);
}

struct Case {
  const char* name;
  const char* report;
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};
constexpr Case cases[] = {
#define LEAVES(name, report) {#name, report},
#include "tests/wrong/memory/memory.def"
#undef LEAVES
#define LIVES(name) {#name, "outside-life"},
#include "tests/wrong/memory/lives.def"
#undef LIVES
#define GRAPHS(name, report) {#name, report},
#include "tests/wrong/memory/graphs.def"
#undef GRAPHS
};

class Leaves : public testing::TestWithParam<Case> {};

TEST_P(Leaves, ItsMemory) {
  // In the order of submission; else the memory may be gone before it is used too late.
  const Outcome outcome = run(GetParam().name, "wrong", "CUVETTE_CHECK=all CUVETTE_SCHEDULE=eager");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  EXPECT_EQ(outcome.reports[0]["report"], GetParam().report) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("unexpected"), std::string::npos) << outcome.errors;
}

TEST_P(Leaves, NothingOnceRepaired) {
  const Outcome outcome = run(GetParam().name, "repaired", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Programs, Leaves, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

// CUVETTE_TEST_SEEDS: how many programs, from a seed that is drawn.
TEST(GraphMemory, IsUsedByDrawnProgramsAsTheModelSays) {
  const char* const more = std::getenv("CUVETTE_TEST_SEEDS");
  const unsigned long count = more ? std::stoul(more) : 25;
  const unsigned long first = more ? std::random_device()() % 1'000'000 : 1;
  for (unsigned long seed = first; seed < first + count; ++seed) {
    // Schedules too: the order of the work decides.
    const std::string schedule = seed % 3 == 0 ? " CUVETTE_SCHEDULE=lazy"
                                 : seed % 3 == 1
                                     ? " CUVETTE_SCHEDULE=random:" + std::to_string(seed)
                                     : "";
    const Outcome outcome =
        run("random_graphs", std::to_string(seed), "CUVETTE_CHECK=memory" + schedule);
    EXPECT_EQ(outcome.status, 0) << seed << "\n" << outcome.errors;
    const bool mistaken = outcome.output == "mistaken\n";
    ASSERT_EQ(outcome.reports.size(), mistaken ? 1u : 0u) << seed << "\n" << outcome.errors;
    if (mistaken) {
      EXPECT_EQ(outcome.reports[0]["report"], "illegal-address") << seed;
    }
  }
}

TEST(SharedVariables, AreNamedWithTheirSize) {
  const Outcome outcome = run("writes_behind_a_shared_array", "wrong", "CUVETTE_CHECK=memory");
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  const std::string sentence = outcome.reports[0]["sentence"];
  EXPECT_NE(sentence.find("first"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("which has 1024 bytes"), std::string::npos) << sentence;
}

}  // namespace
