// SPDX-License-Identifier: Apache-2.0
// `cuvette grade --class`, from outside: submissions that hang, delete and multiply, and many that
// are mutated solutions, with the verdicts that they must get.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/course/exercises.hpp"

namespace {

class Class : public CourseTest {
 protected:
  // A solution that does something else before main() begins.
  void write_hostile(const std::string& name, const std::string& body) const {
    write("class/" + name, solution_with("void work", R"(
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__((constructor)) static void begin() { )" + body +
                                                          " }\nvoid work"));
  }

  // Grades the class; the rows by student.
  std::map<std::string, nlohmann::json> graded(const std::string& options) const {
    const Outcome outcome = shell("$C grade $E --json --class class " + options + " 2> errors");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::map<std::string, nlohmann::json> rows;
    const auto json = nlohmann::json::parse(outcome.output, nullptr, false);
    EXPECT_TRUE(json.is_object()) << outcome.output;
    if (json.is_object())
      for (const auto& row : json["submissions"]) rows[row["student"]] = row;
    return rows;
  }
};

TEST_F(Class, StopsWhatDoesNotEndAndLosesNothing) {
  NEEDS_CLANG();
  write("class/ann lee/exercise.cu", solution);
  write("class/bob.cu", solution_with(wait_call, ""));
  write("class/empty/notes.txt", "none");
  write("class/ignored.txt", "none");
  write_hostile("hangs.cu", "for (;;) pause();");
  write_hostile("prints.cu", "for (;;) if (write(1, \"for ever\\n\", 9) < 0) break;");
  // As many processes as a fork bomb makes in a moment, but not more.
  write_hostile(
      "forks.cu",
      "for (int i = 0; i < 150; ++i) if (fork() == 0) { sleep(30); _exit(0); } sleep(30);");
  write_hostile("eats.cu",
                "for (int i = 0; i < 1200; ++i) { char* p = (char*)malloc(1 << 20); "
                "for (int n = 0; n < 1 << 20; n += 4096) p[n] = 1; } sleep(30);");
  write_hostile("leaves.cu",
                "if (fork() == 0) { setsid(); if (fork() == 0) for (;;) sleep(1); _exit(0); }");
  write_hostile("deletes.cu",
                "if (system(\"rm -rf ../../../course/02-streams \\\"$KEPT\\\"; "
                "echo gone > \\\"$KEPT.new\\\"\")) {}");
  write("kept", "kept");
  const Outcome before = shell("readlink -f kept");
  const std::string kept = before.output.substr(0, before.output.find('\n'));
  setenv("KEPT", kept.c_str(), 1);
  const auto rows = graded("--seconds 60 --memory 900 --csv table.csv");
  unsetenv("KEPT");
  const auto verdict = [&](const char* name) {
    return rows.contains(name) ? rows.at(name).value("verdict", "") : "absent";
  };
  const auto message = [&](const char* name) {
    return rows.contains(name) ? rows.at(name).value("message", "") : "";
  };
  EXPECT_EQ(rows.size(), 9u);
  EXPECT_EQ(verdict("ann lee"), "passed") << message("ann lee");
  EXPECT_EQ(verdict("bob"), "failed");
  EXPECT_EQ(rows.at("bob").value("check", ""), "orders") << message("bob");
  EXPECT_EQ(message("empty"), "The folder has no exercise.cu.");
  EXPECT_EQ(verdict("hangs"), "failed");
  EXPECT_NE(message("hangs").find("did not end within 5 s"), std::string::npos) << message("hangs");
  EXPECT_NE(message("prints").find("did not end within 5 s"), std::string::npos)
      << message("prints");
  EXPECT_EQ(message("forks"), "it started more than 64 processes");
  EXPECT_EQ(message("eats"), "it used more than 900 MiB of memory");
  EXPECT_NE(verdict("leaves"), "stopped") << message("leaves");
  // Where the machine does not allow it, the command has said so.
  const Outcome said = shell("cat errors");
  if (!has(said, "can change this user's files")) {
    EXPECT_TRUE(exists("kept"));
    EXPECT_FALSE(exists("kept.new"));
    EXPECT_TRUE(exists("course/02-streams/1-wait/test.cu"));
  }
  EXPECT_TRUE(has(shell("cat table.csv"), "\"ann lee\",\"passed\"")) << said.output;
  // Nothing runs on.
  EXPECT_EQ(shell("ps ax -o args | grep -c '^[^ ]*cuvette-class-[^ ]*/program'").output, "0\n");
}

TEST_F(Class, StopsAtTheLimitOfTime) {
  NEEDS_CLANG();
  write_hostile("hangs.cu", "for (;;) pause();");
  const auto rows = graded("--seconds 3");
  EXPECT_EQ(rows.at("hangs").value("verdict", ""), "stopped");
  EXPECT_EQ(rows.at("hangs").value("message", ""), "it did not end within 3 s");
  EXPECT_LT(rows.at("hangs").value("seconds", 99.0), 10);
}

TEST_F(Class, ComplainsOfAFolderThatIsNone) {
  EXPECT_EQ(shell("$C grade $E --class nothing").status, 125);
}

// CUVETTE_GRADE_SUBMISSIONS says how many, and that each must be graded within 20 s.
TEST_F(Class, GivesMutatedSolutionsTheVerdictsThatTheyMustGet) {
  NEEDS_CLANG();
  const char* const many = getenv("CUVETTE_GRADE_SUBMISSIONS");
  const int count = many ? atoi(many) : 9;
  struct Known {
    const char *from, *to, *check;  // `check`: null if it passes
  };
  const std::vector<Known> known = {
      {"int i =", "/* the index */ int i =", nullptr},
      {"(n + 127) / 128, 128", "(n + 63) / 64, 64", nullptr},
      {"i * 3 + 1", "1 + 3 * i", nullptr},
      {"  cudaEventRecord(event, a);\n", "", "orders"},
      {"cudaStreamWaitEvent(b, event, 0)", "cudaStreamWaitEvent(a, event, 0)", "orders"},
      {"cudaEventRecord(event, a)", "cudaEventRecord(event, b)", "orders"},
      {"  cudaStreamWaitEvent(b, event, 0);\n", "", "orders"},
      {"i * 3 + 1", "i * 3 - 1", "output"},
      {"i < n", "i < n - 1", "output"},
      {"(n + 127) / 128", "n / 128", "output"},
      {"n * sizeof(int), cuda", "n, cuda", "output"},
      {"i < n", "i <= n + 200", "reports"},
      {"int* p, int n)", "int* p)", "compile"},
      {"cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToMoon", "compile"},
  };
  std::mt19937 chance(1);
  std::map<std::string, const Known*> expected;
  std::set<std::string> texts;  // mutated at random
  for (int i = 0; i < count; ++i) {
    const std::string name = "s" + std::to_string(i);
    const size_t which = static_cast<size_t>(i) % (known.size() + 6);
    if (which < known.size()) {
      expected[name] = &known[which];
      // No two are the same.
      write("class/" + name + ".cu",
            "// " + name + "\n" + solution_with(known[which].from, known[which].to));
      continue;
    }
    std::string text = solution;
    for (unsigned n = 1 + chance() % 3; n > 0; --n) {
      const size_t at = chance() % text.size();
      if (chance() % 2)
        text.erase(at, 1 + chance() % 4);
      else
        text[at] = "0123456789+-*/<>=&;,()"[chance() % 22];
    }
    texts.insert(name);
    write("class/" + name + ".cu", text);
  }
  const auto rows = graded(many ? "" : "--seconds 100");
  ASSERT_EQ(rows.size(), static_cast<size_t>(count));
  for (const auto& [name, mutation] : expected) {
    const auto& row = rows.at(name);
    EXPECT_EQ(row.value("verdict", ""), mutation->check ? "failed" : "passed") << row;
    EXPECT_EQ(row.value("check", ""), mutation->check ? mutation->check : "") << row;
  }
  // Of the others it is known whether they compile; and each has a verdict.
  for (const std::string& name : texts) {
    const auto& row = rows.at(name);
    const std::string verdict = row.value("verdict", "");
    EXPECT_TRUE(verdict == "passed" || verdict == "failed") << row;
    const Outcome compiled = shell("echo '#define EXERCISE \"'\"$PWD\"'/class/" + name +
                                   ".cu\"' > own.h; $C c++ -include own.h $E/test.cu -o compiled");
    EXPECT_EQ(compiled.status != 0, row.value("check", "") == "compile") << row << compiled.output;
  }
  for (const auto& [name, row] : rows) {
    if (many) {
      EXPECT_LT(row.value("seconds", 99.0), 20) << row;
    }
  }
}

}  // namespace
