// SPDX-License-Identifier: Apache-2.0
// Each program that lacks a wait is right in the order of submission, and wrong in another legal
// order, which is found after as many tries as orderings.def says. Its twin is right in all of
// them.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/ordering/schedules.hpp"

namespace {

struct Ordering {
  const char* name;
  const char* schedule;
  size_t runs;

  bool found() const { return runs > 0; }
  friend void PrintTo(const Ordering& ordering, std::ostream* out) { *out << ordering.name; }
};

const Ordering orderings[] = {
#define ORDERING(name, schedule, runs) {#name, schedule, runs},
#include "tests/ordering/orderings.def"
#undef ORDERING
};

std::vector<std::string> seeds(const char* family, int count, const char* rest = "") {
  std::vector<std::string> all;
  for (int seed = 1; seed <= count; ++seed) all.push_back(family + std::to_string(seed) + rest);
  return all;
}

class OrderingProgram : public testing::TestWithParam<Ordering> {};

TEST_P(OrderingProgram, IsRightInTheOrderOfSubmission) {
  EXPECT_EQ(run(GetParam().name, "wrong", "eager"), (Outcome{0, ""}));
}

TEST_P(OrderingProgram, IsFoundOutAsSoonAsTheTableSays) {
  const Ordering& ordering = GetParam();
  const std::vector<std::string> schedules = schedules_to_try(ordering.found() ? 100 : 20);
  if (!ordering.found()) {
    // The table names no schedule yet, but the program must end.
    for (const Outcome& outcome : run(ordering.name, "wrong", schedules))
      EXPECT_EQ(outcome, (Outcome{0, ""})) << "The table may name a schedule now.";
    return;
  }
  ASSERT_LE(ordering.runs, schedules.size());
  EXPECT_EQ(schedules[ordering.runs - 1], ordering.schedule);
  for (size_t i = 0; i < ordering.runs; ++i) {
    const Outcome outcome = run(ordering.name, "wrong", schedules[i]);
    const bool last = i + 1 == ordering.runs;
    EXPECT_EQ(outcome.status, last ? 1 : 0) << schedules[i] << ": " << outcome.output;
    EXPECT_EQ(outcome.output.starts_with("There is "), last) << schedules[i];
  }
}

TEST_P(OrderingProgram, IsRightOnceRepaired) {
  std::vector<std::string> schedules = schedules_to_try(100);
  schedules.insert(schedules.end(), {"concurrent", "concurrent", "eager"});
  for (const std::string& one : seeds("pct:", 10, ":3")) schedules.push_back(one);
  const std::vector<Outcome> outcomes = run(GetParam().name, "right", schedules);
  for (size_t i = 0; i < schedules.size(); ++i)
    EXPECT_EQ(outcomes[i], (Outcome{0, ""})) << schedules[i];
}

TEST_P(OrderingProgram, DoesTheSameAgainUnderTheSameSchedule) {
  const Ordering& ordering = GetParam();
  std::vector<std::string> schedules = seeds("random:", 8);
  for (const std::string& one : seeds("pct:", 4, ":2")) schedules.push_back(one);
  schedules.emplace_back(ordering.found() ? ordering.schedule : "lazy");
  const std::vector<Outcome> first = run(ordering.name, "wrong", schedules);
  const std::vector<Outcome> second = run(ordering.name, "wrong", schedules);
  for (size_t i = 0; i < schedules.size(); ++i) EXPECT_EQ(first[i], second[i]) << schedules[i];
}

// The mistake is also found without knowing which streams matter.
TEST_P(OrderingProgram, IsFoundOutByRandomOrdersAsWell) {
  const Ordering& ordering = GetParam();
  if (!ordering.found()) return;
  for (const std::string& schedule : seeds("random:", 100))
    if (run(ordering.name, "wrong", schedule).status == 1) return;
  ADD_FAILURE() << "by none of 100";
}

INSTANTIATE_TEST_SUITE_P(Waits, OrderingProgram, testing::ValuesIn(orderings),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
