// SPDX-License-Identifier: Apache-2.0
// Each program in vulkan.def gets one report, and no other. Its repaired twin gets none, nor does
// anybody without CUVETTE_CHECK=aliases.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/wrong/outcome.hpp"

namespace {

constexpr const char* lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

const char* const programs[] = {
#define PROGRAM(name) #name,
#include "tests/wrong/vulkan/vulkan.def"
#undef PROGRAM
};

class VulkanProgram : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (access(lavapipe, R_OK) != 0) GTEST_SKIP() << lavapipe << " is missing";
  }
  Outcome run(const std::string& twin, const std::string& check) {
    return run_program(std::string(VULKAN_PROGRAMS " ") + GetParam() + " " + twin,
                       "CUVETTE_CHECK=" + check);
  }
};

TEST_P(VulkanProgram, IsReported) {
  for (const char* check : {"aliases", "all"}) {
    const Outcome outcome = run("wrong", check);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
    EXPECT_EQ(outcome.reports[0]["report"], "owned-by-vulkan");
    const std::string place = outcome.reports[0]["facts"]["submitted at"];
    EXPECT_EQ(place.find(GetParam()), 0u) << place;
  }
}

TEST_P(VulkanProgram, IsLeftInPeaceOnceRepaired) {
  const Outcome outcome = run("repaired", "all");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.reports.size(), 0u) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("cuvette: "), std::string::npos) << outcome.errors;
}

TEST_P(VulkanProgram, IsReportedOnRequestAlone) {
  for (const char* check : {"", "races,host,api"}) {
    const Outcome outcome = run("wrong", check);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.reports.size(), 0u) << outcome.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(All, VulkanProgram, testing::ValuesIn(programs),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
