// SPDX-License-Identifier: Apache-2.0
// docs/reports.md shows each report as a program prints it. Reports advise what fits their cause.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "sim/check/report/report_kinds.hpp"
#include "tests/wrong/outcome.hpp"
#include "tests/wrong/page.hpp"

namespace {

struct Example {
  const char *identifier, *folder, *program, *environment;
  friend void PrintTo(const Example& example, std::ostream* out) { *out << example.identifier; }
};
const Example examples[] = {
#define EXAMPLE(identifier, folder, program, environment) \
  {identifier, #folder, program, environment},
#include "tests/wrong/examples.def"
#undef EXAMPLE
};

// Nothing causes it so far: what a kernel may not use is refused when its module is loaded.
constexpr const char* without_example = "kernel-not-supported";

constexpr const char* lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

std::string page() { return text_of(REPORTS_PAGE); }

// "" if it is not built here.
std::string programs_of(const std::string& folder) {
  const std::map<std::string, std::string> programs = {
      {"api", API_PROGRAMS},
      {"faults", FAULT_PROGRAMS},
      {"hints", HINT_PROGRAMS},
      {"host", HOST_PROGRAMS},
      {"init", INIT_PROGRAMS},
      {"memory", MEMORY_PROGRAMS},
      {"races", RACE_PROGRAMS},
      {"threads", THREAD_PROGRAMS},
      {"standstill", STANDSTILL_PROGRAMS},
      {"graphics", GRAPHICS_PROGRAMS},
      {"vulkan", access(lavapipe, R_OK) == 0 ? VULKAN_PROGRAMS : ""},
  };
  if (folder == "elsewhere") return CUVETTE_COMMAND " run -- env -i " API_PROGRAMS;
  if (folder != "watched_graphics") return programs.at(folder);
  return std::string(GRAPHICS_PROGRAMS).empty() ? "" : CUVETTE_COMMAND " run -- " GRAPHICS_PROGRAMS;
}

class ReportsPage : public testing::TestWithParam<Example> {};

TEST_P(ReportsPage, ShowsWhatIsPrinted) {
  const Example& example = GetParam();
  const std::string programs = programs_of(example.folder);
  if (programs.empty()) GTEST_SKIP() << "there is no OpenGL, or no Vulkan";
  if (CUVETTE_SANITIZED && (example.folder == std::string("watched_graphics") ||
                            example.folder == std::string("elsewhere")))
    GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  const Outcome outcome = run_program(programs + " " + example.program + " wrong",
                                      std::string("CUVETTE_CHECK=all ") + example.environment);
  const auto printed = printed_reports(outcome.errors), shown = shown_reports(page());
  ASSERT_EQ(printed.count(example.identifier), 1u) << outcome.errors;
  ASSERT_EQ(shown.count(example.identifier), 1u);
  EXPECT_EQ(first_difference(shown.find(example.identifier)->second,
                             printed.find(example.identifier)->second),
            "")
      << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(All, ReportsPage, testing::ValuesIn(examples), [](const auto& info) {
  std::string name = info.param.identifier;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

struct Advice {
  const char *folder, *program, *environment, *identifier, *advice;
  friend void PrintTo(const Advice& one, std::ostream* out) { *out << one.program; }
};
const Advice advices[] = {
#define ADVICE(folder, program, environment, identifier, advice) \
  {#folder, #program, environment, identifier, advice},
#include "tests/wrong/advice.def"
#undef ADVICE
};

class ReportAdvice : public testing::TestWithParam<Advice> {};

TEST_P(ReportAdvice, FitsTheCause) {
  const Advice& one = GetParam();
  const Outcome outcome = run_program(programs_of(one.folder) + " " + one.program + " wrong",
                                      std::string("CUVETTE_CHECK=all ") + one.environment);
  size_t found = 0;
  for (const auto& report : outcome.reports)
    if (report["report"] == one.identifier &&
        report["what to do"].get<std::string>().find(one.advice) != std::string::npos)
      ++found;
  EXPECT_GT(found, 0u) << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(All, ReportAdvice, testing::ValuesIn(advices),
                         [](const auto& info) { return std::string(info.param.program); });

TEST(ReportsPage, ShowsEachReportOnce) {
  std::multiset<std::string> shown, wanted = {without_example}, all;
  for (const auto& [identifier, lines] : shown_reports(page())) shown.insert(identifier);
  for (const Example& example : examples) wanted.insert(example.identifier);
  for (const cuvette::check::ReportKind& kind : cuvette::check::report_kinds)
    all.insert(kind.identifier);
  EXPECT_EQ(wanted, all);
  wanted.erase(without_example);
  EXPECT_EQ(shown, wanted);
}

// The rows for those that there are: tests/sim/check/report/report_test.cpp.
TEST(ReportsPage, HasNoRowForAnotherReport) {
  const std::string text = page();
  const size_t begin = text.find("| Identifier |"), end = text.find("\n\n", begin);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                       text.begin() + static_cast<std::ptrdiff_t>(end), '\n'),
            std::ssize(cuvette::check::report_kinds) + 1);
}

// Its values are of the report that is shown as text; "..." stands for the rest of a string.
TEST(ReportsPage, ShowsAReportAsData) {
  const std::string text = page();
  const size_t begin = text.find("```json\n") + 8;
  const auto shown = nlohmann::json::parse(text.substr(begin, text.find("```", begin) - begin));
  const Outcome outcome = run_program(HOST_PROGRAMS " writes_device_memory wrong",
                                      "CUVETTE_CHECK=host CUVETTE_HOST_ACCESS=warn");
  ASSERT_EQ(outcome.reports.size(), 1u) << outcome.errors;
  const auto& printed = outcome.reports[0];
  EXPECT_EQ(shown.size(), printed.size()) << printed;
  for (const auto& [key, value] : shown.items()) {
    EXPECT_EQ(value.type(), printed[key].type()) << key;
    if (!value.is_string()) continue;
    EXPECT_EQ(first_difference({value}, {printed[key]}), "");
  }
  for (const auto& [key, value] : shown["facts"].items()) {
    if (key == "address") continue;
    EXPECT_EQ(value, printed["facts"][key]) << key;
  }
}

}  // namespace
