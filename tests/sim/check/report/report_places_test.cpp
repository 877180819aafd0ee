// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_places.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/check/report/project_path.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/report_frames.hpp"
#include "sim/check/report/report_identity.hpp"
#include "tests/sim/check/report/report_files.hpp"

namespace cuvette::check {
namespace {

const Report race{ReportId::unordered_access,
                  "A copy reads what a fill writes.",
                  {{"kernel", "void sum<float>(float*, int)"},
                   {"source", "/src/sum.cu:7"},
                   {"submitted at",
                    "app::load(int) const (/src/app.cpp:12, libapp.so.2), called from main "
                    "(/src/main.cpp:40)"},
                   {"earlier submitted at", "fill(char*)+0x1f (/bin/program+0x114f)"}}};

TEST(frames_on_lines, GivesEachFrameALine) {
  EXPECT_EQ(frames_on_lines("a (x:1), called from b (y:2), called from c", "  "),
            "a (x:1)\n  called from b (y:2)\n  called from c");
  EXPECT_EQ(frames_on_lines("unknown", "  "), "unknown");
  EXPECT_NE(race.text().find("  submitted at: app::load(int) const (/src/app.cpp:12, libapp.so.2)\n"
                             "    called from main (/src/main.cpp:40)\n  earlier"),
            std::string::npos)
      << race.text();
}

TEST(names_place, KnowsFunctionsAndFiles) {
  for (const char* const pattern : {"app::load",
                                    "app::load(int) const",
                                    "*load*",
                                    "main",
                                    "fill",
                                    "fill(char*)",
                                    "sum<float>",
                                    "void sum<float>",
                                    "sum<*>",
                                    "sum.cu",
                                    "/src/sum.cu",
                                    "sum.cu:7",
                                    "app.cpp:12",
                                    "src/app.cpp:12",
                                    "/src/*",
                                    "program",
                                    "*",
                                    "fun:main",
                                    "fun:sum<*>",
                                    "lib:program",
                                    "lib:libapp",
                                    "lib:libapp.so",
                                    "lib:libapp.so.2",
                                    "lib:*app*",
                                    "app.cpp:12"})
    EXPECT_TRUE(names_place(race, pattern)) << pattern;
  for (const char* const pattern :
       {"load", "mai", "main2", "fil", "sum", "sum.cu:70", "sum.c", "src", "copy", "0x1f", "",
        "fun:sum.cu", "fun:program", "lib:main", "lib:libap", "src/main.cpp:4", "rc/app.cpp",
        "libapp.so.2"})
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
  EXPECT_EQ(Suppressions("fun:f,lib:g.so,unordered-access:src/pipeline.cu:22").complaint(), "");
  EXPECT_EQ(Suppressions("thread-race:fun:f,unordered-access:lib:g").complaint(), "");
  for (const char* const nothing : {"fun:", "lib:", "thread-race:fun:", "func:f"})
    EXPECT_NE(Suppressions(nothing).complaint(), "") << nothing;
}

// The line below a report suppresses it, and nothing that it does not name.
TEST(Suppressions, AreProposedByReports) {
  const struct {
    Report report;
    const char* line;
  } rows[] = {
      {race, "unordered-access:/src/sum.cu:7"},
      {{ReportId::thread_race, "s", {{"kernel", "void sum<int, 2>(int*)"}}},
       "thread-race:fun:void sum<int, 2>"},
      {{ReportId::host_access, "s", {{"instruction", "f(int)+0x1 (/bin/program+0x2)"}}},
       "host-access:fun:f"},
      {{ReportId::host_access, "s", {{"instruction", "/lib/libx.so.1+0x2"}}},
       "host-access:lib:libx.so.1"},
      {{ReportId::host_race, "s", {{"submitted at", "main::{lambda(int)#1}::f() (/bin/p+0x2)"}}},
       "host-race:fun:main::{lambda(int)#1}::f"},
      {{ReportId::not_on_cuvette, "s", {}, "", "/home/me/tests"}, "not-on-cuvette:lib:tests"},
      {{ReportId::host_access, "s", {}}, "host-access"},
      {{ReportId::leaked_memory,
        "s",
        {{"allocated at", "f (/src/a.cu:7)"}, {"ended at", "main (/src/main.cu:9)"}}},
       "leaked-memory:/src/a.cu:7"},
  };
  const int call = 0;
  std::string file = (std::filesystem::temp_directory_path() / "suppressions-XXXXXX").string();
  close(mkstemp(file.data()));
  for (const auto& [report, line] : rows) {
    EXPECT_EQ(suppression_of(report), line);
    std::ofstream(file) << line << "  # known\n";
    Reporter reporter({file, ""});
    EXPECT_EQ(make(reporter, report, &call), "") << line;
    EXPECT_EQ(reporter.count(report.id).suppressed, 1u) << line;
  }
  std::filesystem::remove(file);
}

TEST_F(ReportFiles, NameFilesAsTheirProjectDoes) {
  std::filesystem::create_directories(folder_ / "src" / "deep");
  const std::string file = folder_ / "src" / "deep" / "a.cu";
  EXPECT_EQ(project_path(file), file);
  std::filesystem::create_directories(folder_ / ".git");
  EXPECT_EQ(project_path(file), "src/deep/a.cu");
  EXPECT_EQ(project_path("./a.cu"), "a.cu");
  setenv("CI_PROJECT_DIR", (folder_ / "src").c_str(), 1);
  EXPECT_EQ(project_path(file), "deep/a.cu");
  EXPECT_EQ(project_path((folder_ / "srcs" / "a.cu").string()), "srcs/a.cu");
  unsetenv("CI_PROJECT_DIR");
}

// --- Identity ---

TEST_F(ReportFiles, KnowAMistakeWhereItsLinesHaveMoved) {
  const std::string file = folder_ / "a.cu";
  const auto report = [&](int line, const char* function) {
    return Report{
        ReportId::unordered_access,
        "A copy at 0x" + std::to_string(line) + " reads what a fill writes.",
        {{"address", "0x" + std::to_string(line)},
         {"submitted at", std::string(function) + " (" + file + ":" + std::to_string(line) +
                              "), called from main (b.cpp:" + std::to_string(line) + ")"}}};
  };
  const std::string unread = fingerprint_of(report(2, "f"));
  std::ofstream(file) << "one();\n  two();\n";
  const std::string before = fingerprint_of(report(2, "f"));
  std::ofstream(file) << "\n\none();\n\ttwo(); \n";
  EXPECT_EQ(fingerprint_of(report(4, "f")), before);
  EXPECT_NE(fingerprint_of(report(3, "f")), before) << "another line of the function";
  EXPECT_NE(fingerprint_of(report(4, "g")), before) << "another function";
  EXPECT_FALSE(same_mistake(fingerprint_of(report(3, "f")), before));
  EXPECT_FALSE(same_mistake(fingerprint_of(report(4, "g")), before));
  // Where the source cannot be read, the rest decides.
  EXPECT_NE(unread, before);
  EXPECT_TRUE(same_mistake(unread, before));
  EXPECT_TRUE(same_mistake(before, unread));
  Report other = report(4, "f");
  other.id = ReportId::host_race;
  EXPECT_FALSE(same_mistake(fingerprint_of(other), before));
}

// A fingerprint that changed from release to release would make every baseline worthless.
// All of them end at the same place: where the context does.
TEST(Fingerprint, TellsLeaksApartByTheirAllocations) {
  const auto leak = [](const char* allocated) {
    return Report{ReportId::leaked_memory,
                  "s",
                  {{"allocated at", allocated}, {"ended at", "main (/src/main.cu:9)"}}};
  };
  EXPECT_NE(fingerprint_of(leak("f (/src/a.cu:7)")), fingerprint_of(leak("g (/src/a.cu:11)")));
  EXPECT_EQ(fingerprint_of(leak("f (/src/a.cu:7)")), fingerprint_of(leak("f (/src/a.cu:8)")));
}

TEST(Fingerprint, StaysWhatItIs) { EXPECT_EQ(fingerprint_of(race), "6c44b46522b77d54"); }

}  // namespace
}  // namespace cuvette::check
