// SPDX-License-Identifier: Apache-2.0
// For each program in faults.def, what stops its work is reported, and no more, with every check
// and with none; the wait for its context says so, too. Nothing is reported for its repaired twin.
#include <cuda.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

struct Fault {
  const char* name;
  const char* report;
  CUresult result;
  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};
constexpr Fault faults[] = {
#define FAULTY_KERNEL(name, report, result) {#name, report, result},
#define FAULTY_PROGRAM FAULTY_KERNEL
#include "tests/wrong/faults/faults.def"
#undef FAULTY_PROGRAM
#undef FAULTY_KERNEL
};

class FaultyProgram : public testing::TestWithParam<Fault> {
 protected:
  static Outcome run(const char* twin, const char* environment) {
    return run_program(std::string(FAULT_PROGRAMS " ") + GetParam().name + " " + twin, environment);
  }
};

TEST_P(FaultyProgram, IsToldOf) {
  for (const char* environment : {"", "CUVETTE_CHECK=all"}) {
    const Outcome outcome = run("wrong", environment);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, std::to_string(GetParam().result) + "\n") << outcome.errors;
    ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
    EXPECT_EQ(outcome.reports[0]["report"], GetParam().report) << outcome.errors;
  }
}

TEST_P(FaultyProgram, IsLeftInPeaceOnceRepaired) {
  const Outcome outcome = run("repaired", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "0\n");
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(All, FaultyProgram, testing::ValuesIn(faults),
                         [](const auto& info) { return std::string(info.param.name); });

// The oldest calls go, as many as it takes: 680 of 768 fit.
TEST(PrintOverflow, SaysHowMuchIsLost) {
  const Outcome outcome = run_program(FAULT_PROGRAMS " prints_more_than_fits wrong", "");
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  const auto& facts = outcome.reports[0]["facts"];
  EXPECT_EQ(facts["limit"], 512 << 10);
  EXPECT_EQ(facts["lost calls"], 768 - (512 << 10) / 771);
  EXPECT_EQ(facts["lost bytes"], (768 - (512 << 10) / 771) * 771);
  EXPECT_EQ(facts["kernel"], "prints_at_length");
}

}  // namespace
