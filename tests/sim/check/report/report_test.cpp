// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/check/report/report_identity.hpp"
#include "sim/check/report/report_summary.hpp"
#include "tests/sim/check/report/report_files.hpp"

namespace cuvette::check {
namespace {

namespace fs = std::filesystem;

const Report example{ReportId::host_access,
                     "A host thread reads from device memory at 0x1000.",
                     {{"address", "0x1000"}, {"offset", uint64_t{16}}}};
const int here = 0, there = 0;

TEST(Report, IsReadableAsText) {
  EXPECT_EQ(example.text(),
            "cuvette: [host-access] A host thread reads from device memory at 0x1000.\n"
            "  address: 0x1000\n"
            "  offset: 16\n"
            "  what to do: " +
                std::string(kind(ReportId::host_access).advice) + "\n  to suppress: host-access\n");
}

TEST(Report, IsOneLineOfJson) {
  Report report = example;
  report.facts.push_back({"file", "a\n\"b\"\xff"});
  const std::string line = report.json();
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["report"], "host-access");
  EXPECT_EQ(json["sentence"], report.sentence);
  EXPECT_EQ(json["facts"]["address"], "0x1000");
  EXPECT_EQ(json["facts"]["offset"], 16);
  EXPECT_EQ(json["what to do"], kind(ReportId::host_access).advice);
  EXPECT_EQ(json["process"], getpid());
  EXPECT_EQ(json["program"], fs::read_symlink("/proc/self/exe").string());
  EXPECT_EQ(json["test"], test_of(report));
  EXPECT_EQ(json["fingerprint"], fingerprint_of(report));
  EXPECT_EQ(json["to suppress"], "host-access");
  EXPECT_EQ(json["facts"]["file"].get<std::string>().substr(0, 5), "a\n\"b\"");
}

// A terminal would obey them.
TEST(Report, HasNoControlCharactersAsText) {
  Report report = example;
  report.facts.push_back({"file", "a\x1b[2Jb\x7f\n\tc"});
  EXPECT_NE(report.text().find("  file: a\\x1b[2Jb\\x7f\n\tc\n"), std::string::npos)
      << report.text();
}

TEST(Report, HasARowOfTheTableInTheDocumentation) {
  const std::string text = contents(fs::path(CUVETTE_DOCS) / "reports.md");
  for (const ReportKind& row : report_kinds)
    EXPECT_NE(text.find("| `" + std::string(row.identifier) + "` | " + row.meaning + " | " +
                        row.advice + " |\n"),
              std::string::npos)
        << "| `" << row.identifier << "` | " << row.meaning << " | " << row.advice << " |";
}

TEST(Reporter, WritesAReportOncePerPlaceAndCounts) {
  Reporter reporter({"", ""});
  EXPECT_FALSE(reporter.any());
  EXPECT_EQ(make(reporter, example, &here), example.text());
  EXPECT_EQ(make(reporter, example, &here), "");
  EXPECT_EQ(make(reporter, example, &there), example.text());
  EXPECT_EQ(make(reporter, example, &here), "");
  const Reporter::Count count = reporter.count(ReportId::host_access);
  EXPECT_EQ(count.written, 2u);
  EXPECT_EQ(count.repeated, 2u);
  EXPECT_EQ(count.suppressed, 0u);
  EXPECT_TRUE(reporter.any());
  EXPECT_EQ(reporter.summary(),
            "cuvette: not shown again: host-access 2 (from the same places).\n");
}

TEST(Reporter, TellsReportsFromOnePlaceApart) {
  Reporter reporter({"", ""});
  const Report other{ReportId::illegal_address, "A copy reads from 0x1000.", {}};
  EXPECT_NE(make(reporter, example, &here), "");
  EXPECT_NE(make(reporter, other, &here), "");
}

TEST(Reporter, TakesHintsForNoReports) {
  Reporter reporter({"", ""});
  const Report hint{ReportId::overlapping_mappings, "Two buffers overlap.", {}};
  EXPECT_EQ(hint.text().find("cuvette: [overlapping-mappings] Hint: Two buffers overlap.\n"), 0u);
  EXPECT_EQ(make(reporter, hint, &here), hint.text());
  EXPECT_EQ(make(reporter, hint, &here), "");
  EXPECT_EQ(reporter.count(ReportId::overlapping_mappings).written, 1u);
  EXPECT_FALSE(reporter.any());
  EXPECT_EQ(reporter.summary(), "");
}

TEST(Reporter, SuppressesAndCounts) {
  Reporter reporter({"lost-memory, host-*", ""});
  EXPECT_EQ(make(reporter, example, &here), "");
  EXPECT_EQ(make(reporter, example, &here), "");
  EXPECT_EQ(reporter.count(ReportId::host_access).suppressed, 2u);
  EXPECT_EQ(reporter.count(ReportId::host_access).written, 0u);
  EXPECT_FALSE(reporter.any());
  EXPECT_EQ(reporter.summary(), "cuvette: suppressed: host-access 2.\n");
}

TEST_F(ReportFiles, LetKnownReportsPass) {
  const fs::path file = folder_ / "known";
  std::ofstream(file) << baseline_head << "\n" << fingerprint_of(example) << " host-access (a)\n";
  Reporter reporter({"", "", ReportFormat::json, file.string()});
  EXPECT_EQ(make(reporter, example, &here), "");
  EXPECT_FALSE(reporter.any());
  EXPECT_EQ(reporter.summary(), "cuvette: known by the baseline: host-access 1.\n");
  const Report other{ReportId::illegal_address, "A copy reads from 0x1000.", {}};
  EXPECT_EQ(make(reporter, other, &here), other.text());
  EXPECT_TRUE(reporter.any());
}

TEST_F(ReportFiles, AreComplainedOfAsBaselines) {
  EXPECT_NE(Baseline((folder_ / "none").string()).complaint().find("cannot be read"),
            std::string::npos);
  const fs::path other = folder_ / "other";
  std::ofstream(other) << "host-access\n";
  EXPECT_NE(Baseline(other.string()).complaint().find("is no file that"), std::string::npos);
  EXPECT_EQ(Baseline("").complaint(), "");
}

TEST(Suppressions, MatchNamesAndBeginnings) {
  const Suppressions some("host-access,leak.*");
  EXPECT_TRUE(some.match("host-access"));
  EXPECT_FALSE(some.match("host-access-too"));
  EXPECT_FALSE(some.match("host"));
  EXPECT_TRUE(some.match("leak.device-memory"));
  EXPECT_FALSE(some.match("leak"));
  EXPECT_FALSE(Suppressions("").match(""));
  EXPECT_TRUE(Suppressions("*").match("anything"));
}

using SuppressionsFile = ReportFiles;
TEST_F(SuppressionsFile, HasANameOnEachLine) {
  const fs::path file = folder_ / "suppressions";
  std::ofstream(file) << "# known\nhost-access  # the old parser\n\n  leak.*\r\n";
  const Suppressions some(file.string());
  EXPECT_TRUE(some.match("host-access"));
  EXPECT_TRUE(some.match("leak.stream"));
  EXPECT_FALSE(some.match("lost-memory"));
  EXPECT_EQ(some.complaint().find("'leak.*', which is not the name of a report"), 0u)
      << some.complaint();
  EXPECT_EQ(Suppressions("host-access,graphics-*").complaint(), "");
  EXPECT_NE(Suppressions("host-acess").complaint().find("did you mean 'host-access'?"),
            std::string::npos);
}

TEST_F(SuppressionsFile, IsMissedWhenItIsNotThere) {
  const Suppressions none((folder_ / "nothing").string());
  EXPECT_NE(none.complaint().find("does not exist"), std::string::npos);
  EXPECT_FALSE(none.match("host-access"));
}

using ReportFile = ReportFiles;
TEST_F(ReportFile, GetsOneLineForEachReport) {
  const fs::path file = folder_ / "reports";
  Reporter first({"", file.string()}), second({"", file.string()});
  make(first, example, &here);
  make(first, example, &here);
  make(second, example, &here);
  EXPECT_EQ(contents(file), example.json() + example.json());
}

TEST_F(ReportFile, GetsNoHints) {
  const fs::path file = folder_ / "reports";
  Reporter reporter({"", file.string()});
  make(reporter, {ReportId::overlapping_mappings, "Two buffers overlap.", {}}, &here);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(ReportFile, BearsTheProcessIdAndStaysInItsFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  Reporter reporter({"", "reports-%p-%p"});
  fs::current_path(before);
  make(reporter, example, &here);
  const std::string number = std::to_string(getpid());
  EXPECT_EQ(contents(folder_ / ("reports-" + number + "-" + number)), example.json());
}

TEST_F(ReportFile, IsMissedOnceWhenItCannotBeWritten) {
  Reporter reporter({"", (folder_ / "no" / "folder").string()});
  EXPECT_NE(make(reporter, example, &here).find("cannot be written"), std::string::npos);
  EXPECT_EQ(make(reporter, example, &there), example.text());
}

}  // namespace
}  // namespace cuvette::check
