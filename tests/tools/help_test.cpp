// SPDX-License-Identifier: Apache-2.0
// Manual pages and completions, tested through the programs that read them.
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "tests/tools/shell.hpp"

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_there(const std::string& program) { return shell("command -v " + program).status == 0; }

constexpr const char* commands[] = {"cuvette", "run",     "explore", "trace", "doctor",
                                    "info",    "support", "smi",     "c++",   "ptxas"};

TEST(CuvetteManual, HasAPageForEachCommand) {
  for (const std::string command : commands) {
    const Outcome page = shell("$C help --man=" + command);
    EXPECT_EQ(page.status, 0) << page.output;
    for (const char* part : {".TH CUVETTE", ".SH NAME", ".SH SYNOPSIS", ".SH SEE ALSO"})
      EXPECT_TRUE(has(page.output, part)) << command << "\n" << page.output;
  }
  EXPECT_EQ(shell("$C help --man=nothing").status, 125);
  EXPECT_EQ(shell("$C help --completion=csh").status, 125);
}

TEST(CuvetteManual, SaysWhatTheHelpSays) {
  const std::string page = shell("$C help --man=run").output;
  for (const char* part : {"\\fB\\-\\-host\\-access\\fR=\\fICUVETTE_HOST_ACCESS\\fR",
                           ".SH EXAMPLES", ".SH EXIT STATUS", "127 if it was not found"})
    EXPECT_TRUE(has(page, part)) << part << "\n" << page;
  const std::string compiler = shell("$C help --man=c++").output;
  for (const char* part :
       {"\\fB\\-gencode\\fR \\fIarch=compute_XX,code=...\\fR", ".SH EXIT STATUS"})
    EXPECT_TRUE(has(compiler, part)) << part << "\n" << compiler;
}

TEST(CuvetteManual, PleasesMan) {
  const bool has_man = is_there("man"), has_mandoc = is_there("mandoc");
  if (!has_man && !has_mandoc) GTEST_SKIP() << "there is neither man nor mandoc";
  for (const std::string command : commands) {
    if (has_man) {
      EXPECT_EQ(shell("$C help --man=" + command + " | man --warnings -l - 2>&1 >/dev/null").output,
                "")
          << command;
      EXPECT_TRUE(
          has(shell("$C help --man=" + command + " | MANWIDTH=80 man -l -").output, "SYNOPSIS"));
    }
    if (has_mandoc) {
      EXPECT_EQ(shell("$C help --man=" + command + " | mandoc -T lint -W error").output, "")
          << command;
    }
  }
}

// Returns bash's proposals for the words; the last word is being typed.
std::set<std::string> bash(const std::string& words, int last) {
  const Outcome said = shell(
      "bash --norc -c 'source <($0 help --completion=bash) && complete -p cuvette >/dev/null && "
      "COMP_WORDS=(" +
      words + ") COMP_CWORD=" + std::to_string(last) +
      " && { _cuvette 2>/dev/null; printf \"%s\\n\" \"${COMPREPLY[@]}\"; }' \"$C\"");
  std::set<std::string> proposals;
  std::istringstream in(said.output);
  for (std::string word; std::getline(in, word);)
    if (!word.empty()) proposals.insert(word);
  return proposals;
}

using Words = std::set<std::string>;

TEST(CuvetteCompletion, KnowsCommandsOptionsAndValuesInBash) {
  if (!is_there("bash")) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(bash("cuvette ex", 1), Words{"explore"});
  EXPECT_EQ(bash("cuvette help doc", 2), Words{"doctor"});
  EXPECT_EQ(bash("cuvette run --host-a", 2), Words{"--host-access="});
  EXPECT_EQ(bash("cuvette run --host-access = w", 4), Words{"warn"});
  EXPECT_EQ(bash("cuvette run --host-access w", 3), Words{"warn"});
  EXPECT_EQ(bash("cuvette explore --check = races,mem", 4), Words{"races,memory"});
  EXPECT_EQ(bash("cuvette support --only = p", 4), Words{"partial"});
  EXPECT_EQ(bash("cuvette smi --list", 2), Words{"--list-gpus"});
  EXPECT_EQ(bash("cuvette run --device = t4,a100-8", 4), Words{"t4,a100-80gb"});
}

// After the program, options belong to the program.
TEST(CuvetteCompletion, LeavesTheProgramsWordsAloneInBash) {
  if (!is_there("bash")) GTEST_SKIP() << "there is no bash";
  EXPECT_TRUE(bash("cuvette run /bin/tru", 2).contains("/bin/true"));
  EXPECT_EQ(bash("cuvette run /bin/true --host-a", 3), Words{});
  EXPECT_EQ(bash("cuvette run --devices 2 -- /bin/true --host-a", 6), Words{});
  EXPECT_EQ(bash("cuvette run --devices 2 --host-a", 4), Words{"--host-access="});
}

// The file is read when completion begins, and proposes the right words.
TEST(CuvetteCompletion, IsReadByZshAndFish) {
  if (!is_there("zsh") && !is_there("fish")) GTEST_SKIP() << "there is neither zsh nor fish";
  if (is_there("zsh")) {
    EXPECT_EQ(
        shell("$C help --completion=zsh > /tmp/cuvette-zsh-$$ && zsh -n /tmp/cuvette-zsh-$$; s=$?; "
              "rm /tmp/cuvette-zsh-$$; exit $s")
            .output,
        "");
  }
  if (is_there("fish")) {
    const auto ask = [](const std::string& line) {
      return shell("$C help --completion=fish | fish --no-config -c 'source - ; complete -C \"" +
                   line + "\"'")
          .output;
    };
    EXPECT_TRUE(has(ask("cuvette ex"), "explore")) << ask("cuvette ex");
    EXPECT_TRUE(has(ask("cuvette run --host-a"), "--host-access"));
    EXPECT_TRUE(has(ask("cuvette run --host-access w"), "warn"))
        << ask("cuvette run --host-access w");
  }
}

}  // namespace
