// SPDX-License-Identifier: Apache-2.0
// A grade in words, as JSON and as JUnit's XML, and the table of a class.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tools/cuvette/course/class_table.hpp"
#include "tools/cuvette/course/grade_text.hpp"

namespace {

using namespace cuvette::tools;

Exercise exercise() {
  Exercise exercise;
  exercise.id = "02-streams/1-wait";
  exercise.title = "Wait";
  exercise.hints = {"one", "two"};
  return exercise;
}

Grade failed() {
  Grade grade;
  grade.verdict = Grade::Verdict::failed;
  grade.passed = {CheckKind::compile};
  grade.failure = Failure{};
  grade.failure->kind = CheckKind::output;
  grade.failure->says = "The sums are <wrong>.";
  grade.failure->details = "It ended with exit status 1.";
  grade.failure->output = std::string(600, 'x') + "\x01\xff";
  grade.not_run = 2;
  return grade;
}

TEST(GradeText, TellsTheFirstFailureAndWhatWasNotRun) {
  const std::string text = text_of(exercise(), failed(), 1);
  EXPECT_NE(text.find("The sums are <wrong>."), std::string::npos);
  EXPECT_NE(text.find("Hint 2 of 2: cuvette learn hint 02-streams/1-wait"), std::string::npos);
  EXPECT_NE(text.find("Failed: output. Passed before it: compile. Not run yet: 2 checks."),
            std::string::npos);
  EXPECT_NE(text.find("102 more characters were left out"), std::string::npos) << text;
}

TEST(GradeText, CountsTheChecksThatPass) {
  Grade grade;
  grade.passed = {CheckKind::compile, CheckKind::output};
  EXPECT_EQ(text_of(exercise(), grade, 0),
            "02-streams/1-wait: Wait\nThe 2 checks of this exercise pass: compile, output.\n");
}

TEST(GradeText, CutsOutputBetweenCharacters) {
  std::string umlauts;
  for (int i = 0; i < 400; ++i) umlauts += "\xc3\xa4";
  const std::string cut = cut_output("a" + umlauts);
  EXPECT_EQ(cut.substr(0, cut.find('\n')).size(), 499u);
}

TEST(GradeJson, HasThreeStates) {
  auto json = nlohmann::json::parse(json_of(exercise(), failed()));
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["status"], "fail");
  ASSERT_EQ(json["tests"].size(), 2u);
  EXPECT_EQ(json["tests"][0]["status"], "pass");
  EXPECT_EQ(json["tests"][1]["name"], "output");
  EXPECT_EQ(json["tests"][1]["task_id"], 2);
  EXPECT_EQ(json["not_run"], 2);
  Grade grade = failed();
  grade.passed.clear();
  grade.failure->kind = CheckKind::compile;
  json = nlohmann::json::parse(json_of(exercise(), grade));
  EXPECT_EQ(json["status"], "error");
  EXPECT_FALSE(json["message"].get<std::string>().empty());
  grade = {};
  EXPECT_EQ(nlohmann::json::parse(json_of(exercise(), grade))["status"], "pass");
}

TEST(GradeJunit, IsXmlWhateverWasPrinted) {
  const std::string xml = junit_of({{"a<b", failed(), 1.5}});
  EXPECT_NE(
      xml.find("testsuite name=\"a&lt;b\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\""),
      std::string::npos)
      << xml;
  EXPECT_NE(xml.find("message=\"The sums are &lt;wrong&gt;.\""), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
}

TEST(ClassTable, QuotesWhatStudentsChose) {
  const std::vector<ClassRow> rows = {
      {"=1+1", "passed", "", "", "", 1.25},
      {"a\x1b[2J", "failed", "output", "", "No, \"never\".\nMore", 2}};
  EXPECT_EQ(class_csv(rows),
            "student,verdict,check,report,seconds,message\n"
            "\"'=1+1\",\"passed\",\"\",\"\",1.2,\"\"\n"
            "\"a\x1b[2J\",\"failed\",\"output\",\"\",2.0,\"No, \"\"never\"\".\nMore\"\n");
  const std::string text = class_text(rows);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("1 of 2 submissions pass."), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(class_json("x", rows))["submissions"].size(), 2u);
}

}  // namespace
