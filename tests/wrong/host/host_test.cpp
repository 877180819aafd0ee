// SPDX-License-Identifier: Apache-2.0
// For each program in host.def, that its host threads touch memory wrongly is reported, with the
// function that does it. Nothing is reported for its repaired twin.
#include <gtest/gtest.h>

#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

struct Mistake {
  const char* name;
  const char* report;
  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }
};
const Mistake mistakes[] = {
#define HOST(name, report) {#name, report},
#include "tests/wrong/host/host.def"
#undef HOST
};

Outcome run(const std::string& programs, const std::string& name, const std::string& twin,
            const std::string& environment) {
  return run_program(programs + " " + name + " " + twin, environment + " CUVETTE_HOST_ACCESS=warn");
}

class HostProgram : public testing::TestWithParam<Mistake> {};

TEST_P(HostProgram, IsFoundOut) {
  const Outcome outcome = run(HOST_PROGRAMS, GetParam().name, "wrong", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_FALSE(outcome.reports.empty());
  for (const auto& report : outcome.reports) {
    EXPECT_EQ(report["report"], GetParam().report) << outcome.errors;
    // "name(Twin)+0x1f (file)", or the call by which it was found; what a lambda or a thread does
    // has a name of its own.
    const auto& facts = report["facts"];
    const auto place =
        facts[facts.contains("instruction") ? "instruction" : "found at"].get<std::string>();
    // A sanitizer copies for the program.
    EXPECT_TRUE(place.find(GetParam().name) != std::string::npos ||
                place.find("touch_in_thread") != std::string::npos ||
                (CUVETTE_SANITIZED && place.find("san.so") != std::string::npos))
        << outcome.errors;
  }
}

TEST_P(HostProgram, IsLeftInPeaceOnceRepaired) {
  const Outcome outcome = run(HOST_PROGRAMS, GetParam().name, "repaired", "CUVETTE_CHECK=all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(All, HostProgram, testing::ValuesIn(mistakes),
                         [](const auto& info) { return std::string(info.param.name); });

// A schedule that holds work back shows the same as one that does not.
TEST(HostCheck, NeedsNoLuck) {
  for (const char* schedule : {"lazy", "eager"})
    for (const char* name : {"writes_what_a_copy_reads", "waits_for_another_stream"}) {
      const std::string check = std::string("CUVETTE_CHECK=host CUVETTE_SCHEDULE=") + schedule;
      EXPECT_EQ(run(HOST_PROGRAMS, name, "wrong", check).reports.size(), 1u)
          << name << " " << schedule;
      EXPECT_EQ(run(HOST_PROGRAMS, name, "repaired", check).reports.size(), 0u)
          << name << " " << schedule;
    }
}

// Programs that wait for what they touch, in many ways, and leave memory to the end of the process.
TEST(HostCheck, LeavesOrderedProgramsInPeaceAsOthersDo) {
  for (const char* name : {
#define ORDERING(name, ...) #name,
#include "tests/ordering/orderings.def"
#undef ORDERING
       }) {
    // Nothing promises that the host may poll what a fill writes.
    if (std::string(name) == "polls_a_flag_that_is_set_before_the_data") continue;
    const Outcome outcome =
        run(ORDERING_PROGRAMS, name, "right", "CUVETTE_CHECK=all CUVETTE_SUPPRESS=leaked-memory");
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_EQ(outcome.reports.size(), 0u) << name << "\n" << outcome.errors;
  }
}

TEST(HostCheck, AsksTheDeviceAboutManagedMemory) {
  for (const char* name :
       {"touches_managed_memory_that_no_kernel_uses", "attaches_no_managed_memory"}) {
    const Outcome outcome =
        run(HOST_PROGRAMS, name, "wrong", "CUVETTE_CHECK=all CUVETTE_DEVICE=h200");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.reports.size(), 0u) << outcome.errors;
    const Outcome lazy =
        run(HOST_PROGRAMS, name, "wrong", "CUVETTE_CHECK=host CUVETTE_SCHEDULE=lazy");
    ASSERT_EQ(lazy.reports.size(), 1u) << lazy.errors;
    EXPECT_EQ(lazy.reports[0]["facts"]["command"], "kernel fill");
    EXPECT_NE(lazy.reports[0]["sentence"].get<std::string>().find("concurrentManagedAccess"),
              std::string::npos);
  }
}

TEST(HostCheck, LooksForNothingUnasked) {
  const Outcome outcome = run(HOST_PROGRAMS, "writes_what_a_copy_reads", "wrong", "CUVETTE_CHECK=");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.reports.size(), 0u) << outcome.errors;
}

}  // namespace
