// SPDX-License-Identifier: Apache-2.0
// `cuvette cost` as a user meets it.
#include <gtest/gtest.h>

#include "tests/tools/shell.hpp"

namespace {

// A folder for the files of a test, gone at the end of the line: $D.
std::string in_folder(const std::string& line) {
  return "D=$(mktemp -d); trap 'rm -rf $D' EXIT; " + line;
}

TEST(CostCommand, RunsAProgramAndSaysWhatItsCallsWouldCost) {
  const Outcome outcome = shell("$C cost -- '" EXPLORED_PROGRAM "' blocks_right");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "on NVIDIA H200, driver 580.")) << outcome.output;
  EXPECT_TRUE(has(outcome, "  cuLaunchKernel")) << outcome.output;
  EXPECT_TRUE(has(outcome, "Kernels' time on the device is not estimated")) << outcome.output;
}

TEST(CostCommand, JsonIsReadByPythonAndCompared) {
  const Outcome outcome = shell(in_folder(
      "$C cost --json -- '" EXPLORED_PROGRAM
      "' blocks_right > $D/a; $C cost --json "
      "--calls=$D/calls -- '" EXPLORED_PROGRAM
      "' blocks_right > $D/b; python3 -c \"import json, sys; "
      "a = json.load(open(sys.argv[1])); print(a['gpu'], sum(l['calls'] for l in a['lines']) == "
      "a['calls'], a['there']['median_ns'] > 1000)\" $D/a; $C cost --compare $D/a $D/b; "
      "$C cost --compare $D/a $D/b --json | python3 -c 'import json, sys; "
      "print(len(json.load(sys.stdin)[\"lines\"]) > 3)'; head -1 $D/calls"));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "NVIDIA H200 True True\n")) << outcome.output;
  EXPECT_TRUE(has(outcome, " before, ")) << outcome.output;
  EXPECT_TRUE(has(outcome, "\nTrue\nfunction,call site,here ns,")) << outcome.output;
}

TEST(CostCommand, ReadsARecordThatWasKept) {
  const Outcome outcome = shell(in_folder("CUVETTE_RECORD=$D $C run --quiet -- '" EXPLORED_PROGRAM
                                          "' right > /dev/null; $C cost --from=$D"));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(has(outcome, "cuvette cost: ")) << outcome.output;
}

TEST(CostCommand, KeepsTheProgramsExitStatus) {
  const Outcome outcome = shell("$C cost -- sh -c \"'" EXPLORED_PROGRAM "' blocks_right; exit 7\"");
  EXPECT_EQ(outcome.status, 7) << outcome.output;
}

TEST(CostCommand, SaysThatAProgramMadeNoCallAndKeepsItsExitStatus) {
  for (const int status : {0, 7}) {
    const Outcome outcome = shell("$C cost -- sh -c 'exit " + std::to_string(status) + "'");
    EXPECT_EQ(outcome.status, status) << outcome.output;
    EXPECT_TRUE(has(outcome,
                    "cuvette cost: the program made no CUDA call, so there is nothing to estimate; "
                    "`cuvette doctor -- sh` says why"))
        << outcome.output;
    EXPECT_FALSE(has(outcome, "0 calls took")) << outcome.output;
  }
  const Outcome json = shell(
      "$C cost --json -- true 2> /dev/null | python3 -c 'import json, sys; "
      "print(json.load(sys.stdin)[\"calls\"])'");
  EXPECT_EQ(json.output, "0\n");
  const Outcome missing = shell("$C cost -- /nowhere");
  EXPECT_EQ(missing.status, 127) << missing.output;
  EXPECT_FALSE(has(missing, "made no CUDA call")) << missing.output;
}

TEST(CostCommand, SaysWhatIsWrongWithAFile) {
  const auto refused = [](const std::string& line, const std::string& sentence) {
    const Outcome outcome = shell(in_folder(line));
    EXPECT_EQ(outcome.status, 125) << outcome.output;
    EXPECT_TRUE(has(outcome, sentence)) << outcome.output;
  };
  refused("$C cost --table=/nowhere -- true",
          "cuvette cost: /nowhere cannot be read: No such file or directory");
  refused("echo '{\"format\": 1}' > $D/t; $C cost --table=$D/t -- true", "/t: it has no \"gpu\"");
  refused("$C cost --from=/nowhere",
          "cuvette cost: --from=/nowhere: there is no such folder; CUVETTE_RECORD=FOLDER in the "
          "environment of a program makes such a folder");
  refused("touch $D/a; $C cost --from=$D/a", "/a: this is no folder; ");
  refused("$C cost --from=$D", "there is no call in this folder; CUVETTE_RECORD=FOLDER");
  refused("$C cost --compare /nowhere /nowhere", "/nowhere cannot be read");
  refused("printf '{\n  nonsense' > $D/a; $C cost --compare $D/a $D/a",
          "/a: it is no JSON from line 2, column 4 on; --compare reads files that `cuvette cost "
          "--json -- PROGRAM > FILE` has made");
  refused("echo '{\"format\": 1}' > $D/a; $C cost --compare $D/a $D/a",
          "/a: it has no \"program\"; --compare reads files that");
  refused("$C cost", "PROGRAM: there is none");
  refused("$C cost --compare /nowhere", "--compare");
}

}  // namespace
