// SPDX-License-Identifier: Apache-2.0
// The lines of `cuvette run` about its processes, and its use of their reports.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/shell.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class RunReports : public testing::Test {
 protected:
  RunReports() {
    std::string name = (fs::path(testing::TempDir()) / "run-reports-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RunReports() override { fs::remove_all(folder_); }

  Outcome in_folder(const std::string& line) {
    return shell("cd '" + folder_.string() + "'; P=" + program_ + "; " + line);
  }
  std::string file(const std::string& name) {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  // With --check=races it makes one report.
  const std::string program_ = "'" EXPLORED_PROGRAM "'";
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

// --- Which processes use Cuvette ---

TEST_F(RunReports, SayHowManyProcessesUsedCuvette) {
  EXPECT_TRUE(has(in_folder("$C run -- true"), "cuvette run: 0 of 1 processes used Cuvette.\n"));
  EXPECT_TRUE(has(in_folder("$C run -- sh -c '\"$0\" right; /bin/true; \"$0\" right; true' \"$P\""),
                  "cuvette run: 2 of 4 processes used Cuvette.\n"));
  // An inner run does not count as a process of the program, and leaves the summary to the outer
  // one.
  const Outcome nested = in_folder("$C run -- $C run -- \"$P\" right");
  EXPECT_TRUE(has(nested, "cuvette run: 1 of 1 processes used Cuvette.\n")) << nested.output;
  EXPECT_EQ(count(nested.output, "used Cuvette"), 1u) << nested.output;
  EXPECT_EQ(in_folder("$C run --quiet -- true").output, "");
}

TEST_F(RunReports, CanRequireOneThatDoes) {
  const Outcome none = in_folder("$C run --require -- sh -c 'true; true'");
  EXPECT_EQ(none.status, 122);
  EXPECT_TRUE(has(none, "cuvette run: 0 of 1 processes used Cuvette: nothing ran on Cuvette"))
      << none.output;
  EXPECT_EQ(in_folder("$C run --require -- \"$P\" right").status, 0);
  EXPECT_EQ(in_folder("$C run --require -- sh -c 'exit 77'").status, 77)
      << "a test that is skipped";
  EXPECT_EQ(in_folder("$C run --require -- /nowhere/program").status, 127);
  EXPECT_EQ(in_folder("$C run --require --no-require -- true").status, 0);
  EXPECT_EQ(in_folder("$C run --require --error-exitcode=9 -- true").status, 122);
  EXPECT_EQ(in_folder("TMPDIR=/nowhere $C run --require -- \"$P\" right").status, 125);
  const Outcome inner = in_folder("$C run -- $C run --require -- true");
  EXPECT_EQ(inner.status, 122);
  EXPECT_TRUE(has(inner, "nothing ran on Cuvette")) << inner.output;
}

// Each would be green otherwise.
TEST_F(RunReports, AreMadeOfProgramsThatLoseTheEnvironment) {
  for (const std::string start :
       {"env -i \"$0\" right", "env -u LD_LIBRARY_PATH \"$0\" right",
        "LD_LIBRARY_PATH= \"$0\" right", "LD_LIBRARY_PATH=/nowhere \"$0\" right"}) {
    // A program that finds Cuvette by its rpath does not miss it, if processes can be counted.
    const bool is_seen = start.find("env -i") == std::string::npos;
    const Outcome outcome = in_folder("$C run --error-exitcode=9 -- sh -c '" + start + "' \"$P\"");
    EXPECT_EQ(outcome.status, is_seen ? 0 : 9) << start << "\n" << outcome.output;
    EXPECT_EQ(has(outcome, "[not-on-cuvette]"), !is_seen) << start << "\n" << outcome.output;
  }
}

TEST_F(RunReports, AreMadeOfOtherDriversInEveryFormat) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer searches libraries in its own way";
  const std::string other = " -- sh -c 'LD_LIBRARY_PATH=" OTHER_DRIVER
                            ":$LD_LIBRARY_PATH \"$0\" "
                            "right >/dev/null 2>&1; true' \"$P\"";
  for (const std::string format : {"json", "text", "github", "sarif", "junit", "gitlab"}) {
    const Outcome outcome = in_folder("$C run --error-exitcode=9 --report=" + format +
                                      " --report-format=" + format + other);
    EXPECT_EQ(outcome.status, 9) << format << outcome.output;
    EXPECT_TRUE(has(outcome, "has loaded another driver")) << outcome.output;
    EXPECT_TRUE(has(outcome, "driver: " OTHER_DRIVER "/libcuda.so.1")) << outcome.output;
    EXPECT_NE(file(format).find("not-on-cuvette"), std::string::npos) << format;
  }
  EXPECT_EQ(Json::parse(file("gitlab"))[0]["severity"], "blocker");
  EXPECT_NE(file("junit").find("failures=\"1\""), std::string::npos);
  EXPECT_EQ(in_folder("$C run --error-exitcode=9 --suppress=not-on-cuvette" + other).status, 0);
  EXPECT_EQ(in_folder("$C run --error-exitcode=9 --suppress=lib:explored" + other).status, 0);
  in_folder("$C run --write-baseline=known" + other);
  EXPECT_EQ(in_folder("$C run --error-exitcode=9 --baseline=known" + other).status, 0);
  // Only once in nested runs.
  const Outcome nested =
      in_folder("$C run --error-exitcode=9 -- $C run --error-exitcode=9" + other);
  EXPECT_EQ(nested.status, 9);
  EXPECT_EQ(count(nested.output, "cuvette: [not-on-cuvette]"), 1u) << nested.output;
}

TEST_F(RunReports, AreMadeOfProgramsWithOtherRights) {
  if (getuid() != 0) GTEST_SKIP() << "only root can make such a program";
  const std::string make = "chmod 755 .; cp \"$P\" .; chown 1 explored; chmod u+s explored; ";
  for (const char* const start : {"./explored right", "sh -c './explored right; true'"}) {
    const Outcome outcome = in_folder(make + "$C run --error-exitcode=9 -- " + start);
    EXPECT_TRUE(has(outcome, "[not-on-cuvette]")) << outcome.output;
    EXPECT_TRUE(has(outcome, "set-user-ID")) << outcome.output;
  }
}

// --- Files of reports ---

TEST_F(RunReports, AreAddedWhereThatIsAsked) {
  const std::string run = "$C run --check=races --report-format=json --report=r ";
  in_folder(run + "-- \"$P\" says_nothing");
  in_folder(run + "--report-append -- \"$P\" says_nothing");
  EXPECT_EQ(count(file("r"), "\n"), 2u) << file("r");
  in_folder(run + "-- \"$P\" says_nothing");
  EXPECT_EQ(count(file("r"), "\n"), 1u) << file("r");
}

TEST_F(RunReports, FailTheRunWhereTheyCannotBeWritten) {
  const std::string run = "$C run --check=races ", program = " -- \"$P\" says_nothing";
  for (const std::string file : {"/dev/full", "none/a/b.json", "."}) {
    const Outcome outcome = in_folder(run + "--report=" + file + program);
    EXPECT_EQ(outcome.status, 123) << file << outcome.output;
    EXPECT_TRUE(has(outcome, "be written")) << file << outcome.output;
    EXPECT_EQ(in_folder(run + "--error-exitcode=9 --report=" + file + program).status, 9) << file;
  }
  for (const std::string format : {"junit", "json"}) {
    const Outcome outcome =
        in_folder("mkdir -p d; " + run + "--report=d/r --report-format=" + format +
                  " -- sh -c '\"$0\" says_nothing; rm -r d' \"$P\"");
    EXPECT_EQ(outcome.status, 123) << outcome.output;
    EXPECT_TRUE(has(outcome, "was removed")) << outcome.output;
  }
  EXPECT_EQ(in_folder(run + "--write-baseline=none/a/b" + program).status, 123);
  EXPECT_EQ(in_folder(run + "--report=none/a/b.json -- sh -c 'exit 7'").status, 7);
}

TEST_F(RunReports, ComeFromTwentyProcessesToOneFile) {
  const std::string many =
      " -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
      "CUVETTE_TEST=test_$i \"$0\" says_nothing & done; wait' \"$P\"";
  for (const std::string format : {"json", "junit"}) {
    const Outcome outcome = in_folder("$C run --check=races --error-exitcode=9 --report=" + format +
                                      " --report-format=" + format + many);
    EXPECT_EQ(outcome.status, 9) << outcome.output;
    EXPECT_TRUE(has(outcome, "20 of 21 processes used Cuvette")) << outcome.output;
  }
  EXPECT_EQ(count(file("json"), "\n"), 20u);
  for (int i = 1; i <= 20; ++i)
    EXPECT_EQ(count(file("junit"), "<testcase classname=\"test_" + std::to_string(i) + "\""), 1u)
        << i;
}

// --- Known reports ---

TEST_F(RunReports, PassIfTheBaselineHasThem) {
  const std::string race = "$C run --check=races --error-exitcode=9 --report=r ",
                    program = "-- \"$P\" says_nothing";
  EXPECT_EQ(in_folder(race + "--write-baseline=known " + program).status, 9);
  EXPECT_EQ(count(file("known"), " unordered-access "), 1u) << file("known");
  EXPECT_EQ(in_folder(race + "--write-baseline=again " + program).status, 9);
  EXPECT_EQ(file("known"), file("again"));
  const Outcome known = in_folder(race + "--baseline=known " + program);
  EXPECT_EQ(known.status, 0) << known.output;
  EXPECT_TRUE(has(known, "known by the baseline: unordered-access 1")) << known.output;
  EXPECT_EQ(file("r"), "");
  // A report that is not in the file fails the run.
  const Outcome other = in_folder(
      race + "--baseline=known -- sh -c '\"$0\" says_nothing; env -i \"$0\" right' \"$P\"");
  EXPECT_EQ(other.status, 9) << other.output;
  EXPECT_FALSE(has(other, "[unordered-access]")) << other.output;
  // The file is relative to the folder in which the command started, and must be a baseline.
  EXPECT_EQ(in_folder(race + "--baseline=known -- sh -c 'cd /; \"$0\" says_nothing' \"$P\"").status,
            0);
  for (const char* const wrong : {"none", "r"}) {
    const Outcome outcome = in_folder(race + "--baseline=" + wrong + " " + program);
    EXPECT_EQ(outcome.status, 125) << outcome.output;
  }
}

TEST_F(RunReports, AreSuppressedByTheLineBelowThem) {
  const std::string run = "$C run --check=races --error-exitcode=9 ";
  const std::string program = "-- \"$P\" says_nothing";
  const Outcome shown = in_folder(run + program);
  const std::string mark = "\n  to suppress: ";
  const size_t begin = shown.output.find(mark);
  ASSERT_NE(begin, std::string::npos) << shown.output;
  const std::string line = shown.output.substr(
      begin + mark.size(), shown.output.find('\n', begin + 1) - begin - mark.size());
  std::ofstream(folder_ / "known.txt") << "# known\n" << line << "\n";
  const Outcome suppressed = in_folder(run + "--suppress=known.txt " + program);
  EXPECT_EQ(suppressed.status, 0) << line << "\n" << suppressed.output;
  EXPECT_TRUE(has(suppressed, "suppressed: unordered-access 1")) << suppressed.output;
}

// --- GitHub ---

// Has a shell note reports as processes do.
std::string noting(size_t reports) {
  std::string text;
  for (size_t i = 0; i < reports; ++i) {
    const std::string number = std::to_string(i);
    const Json json = {{"report", "thread-race"},
                       {"sentence", "Race | " + number},
                       {"text", "cuvette: [thread-race] Race <" + number + ">\n  50% of it\n"},
                       {"test", "test_" + number},
                       {"file", "src/a.cu"},
                       {"line", i + 1},
                       {"fingerprint", number},
                       {"hint", i % 2 == 0}};
    text += "report " + json.dump() + "\n";
  }
  return text;
}

TEST_F(RunReports, AreTenAtMostForGitHub) {
  std::ofstream(folder_ / "notes") << noting(24) << noting(3);
  const std::string program = " -- sh -c 'cat notes >> $CUVETTE_RUN_NOTES; printf \"no end\"'";
  const std::string summary = "GITHUB_STEP_SUMMARY=$PWD/summary ";
  const Outcome outcome =
      in_folder("echo before > summary; " + summary + "$C run --github" + program);
  EXPECT_EQ(count(outcome.output, "\n::error "), 10u) << outcome.output;
  EXPECT_EQ(count(outcome.output, "::notice "), 0u) << "mistakes come before hints";
  EXPECT_TRUE(has(outcome,
                  "\n::error file=src/a.cu,line=2,title=cuvette%3A thread-race::cuvette: "
                  "[thread-race] Race <1>%0A  50%25 of it%0A\n"))
      << outcome.output;
  EXPECT_TRUE(has(outcome, "14 more mistakes")) << outcome.output;
  const std::string text = file("summary");
  EXPECT_TRUE(text.starts_with("before\n### Cuvette: 24 mistakes\n")) << text;
  EXPECT_EQ(count(text, "| thread-race | src/a.cu:"), 24u) << text;
  EXPECT_EQ(count(text, "| test&#95;1 | 2 | Race &#124; 1 |\n"), 1u) << text;
  // Nested, and without reports.
  const Outcome nested = in_folder("$C run -- $C run --github" + program);
  EXPECT_EQ(count(nested.output, "\n::error "), 10u) << nested.output;
  in_folder("rm summary; " + summary + "$C run --github -- true");
  EXPECT_TRUE(file("summary").starts_with("### Cuvette: no mistake was found\n"))
      << file("summary");
  EXPECT_FALSE(has(in_folder(summary + "$C run" + program), "::error"));
}

// GitHub refuses a summary of more than a mebibyte.
TEST_F(RunReports, FitIntoTheSummary) {
  std::ofstream(folder_ / "notes") << noting(20000) << "report {\"report\":\"cut o\n";
  in_folder(
      "GITHUB_STEP_SUMMARY=$PWD/summary $C run --github -- "
      "sh -c 'cat notes >> $CUVETTE_RUN_NOTES'");
  EXPECT_LT(file("summary").size(), size_t{1} << 20);
  EXPECT_GT(file("summary").size(), size_t{400} << 10);
  EXPECT_NE(file("summary").find(" more have no room here."), std::string::npos);
}

TEST_F(RunReports, AreLeftOutIfTheProgramHasDamagedThem) {
  std::ofstream(folder_ / "notes")
      << "report {\"report\": \"leak\", \"line\": \"seven\", \"hint\": 0}\n"
      << "report {\"report\": [], \"sentence\": {}, \"line\": -1}\n"
      << "report 7\nreport {\n";
  const Outcome outcome = in_folder("$C run -- sh -c 'cat notes >> $CUVETTE_RUN_NOTES'");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

// --- Names ---

TEST_F(RunReports, BearTheNameOfTheTest) {
  const std::string run = "$C run --check=races --report=r --report-format=junit ";
  in_folder(run + "-- \"$P\" says_nothing");
  EXPECT_NE(file("r").find("<testcase classname=\"explored\" name=\"unordered-access "),
            std::string::npos)
      << file("r");
  in_folder(run + "--test='my <test>' -- \"$P\" says_nothing");
  EXPECT_NE(file("r").find("<testcase classname=\"my &lt;test&gt;\" name="), std::string::npos)
      << file("r");
}

}  // namespace
