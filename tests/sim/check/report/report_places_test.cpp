// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_places.hpp"

#include <gtest/gtest.h>

#include "sim/check/report/report.hpp"
#include "sim/check/report/report_frames.hpp"
#include "tests/sim/check/report/report_files.hpp"

namespace cuvette::check {
namespace {

const Report race{ReportId::unordered_access,
                  "A copy reads what a fill writes.",
                  {{"kernel", "void sum<float>(float*, int)"},
                   {"source", "/src/sum.cu:7"},
                   {"submitted at",
                    "app::load(int) const (/src/app.cpp:12), called from main (/src/main.cpp:40)"},
                   {"earlier submitted at", "fill(char*)+0x1f (/bin/program+0x114f)"}}};

TEST(frames_on_lines, GivesEachFrameALine) {
  EXPECT_EQ(frames_on_lines("a (x:1), called from b (y:2), called from c", "  "),
            "a (x:1)\n  called from b (y:2)\n  called from c");
  EXPECT_EQ(frames_on_lines("unknown", "  "), "unknown");
  EXPECT_NE(race.text().find("  submitted at: app::load(int) const (/src/app.cpp:12)\n"
                             "    called from main (/src/main.cpp:40)\n  earlier"),
            std::string::npos)
      << race.text();
}

TEST(names_place, KnowsFunctionsAndFiles) {
  for (const char* const pattern :
       {"app::load", "app::load(int) const", "*load*", "main", "fill", "fill(char*)", "sum<float>",
        "void sum<float>", "sum<*>", "sum.cu", "/src/sum.cu", "sum.cu:7", "app.cpp:12", "/src/*",
        "program", "*"})
    EXPECT_TRUE(names_place(race, pattern)) << pattern;
  for (const char* const pattern :
       {"load", "mai", "main2", "fil", "sum", "sum.cu:70", "sum.c", "src", "copy", "0x1f", ""})
    EXPECT_FALSE(names_place(race, pattern)) << pattern;
}

TEST(Reporter, SuppressesByPlace) {
  const int call = 0;
  Reporter reporter({"unordered-access:app::load, host-*:nothing", ""});
  EXPECT_EQ(make(reporter, race, &call), "");
  EXPECT_EQ(reporter.count(ReportId::unordered_access).suppressed, 1u);
  EXPECT_FALSE(reporter.any());
  // The same call with another partner or caller is another mistake.
  const Report other{ReportId::unordered_access, race.sentence, {{"submitted at", "store (x:1)"}}};
  EXPECT_EQ(make(reporter, other, &call), other.text());
  EXPECT_EQ(make(reporter, other, &call), "") << "once";
  EXPECT_TRUE(reporter.any());
}

TEST(Suppressions, ComplainAboutPlacesOfNoReport) {
  EXPECT_EQ(Suppressions("unordered-access:f,*:g,host-*:a::b").complaint(), "");
  EXPECT_NE(Suppressions("unordered-acess:f").complaint(), "");
  EXPECT_NE(Suppressions("unordered-access:").complaint(), "");
}

}  // namespace
}  // namespace cuvette::check
