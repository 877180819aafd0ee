// SPDX-License-Identifier: Apache-2.0
// exercise.json: what is read, and what is refused with which sentence.
#include "tools/cuvette/course/exercise.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tools/cuvette/course/counts.hpp"
#include "tools/cuvette/course/grading.hpp"

namespace {

using namespace cuvette::tools;

const std::string whole = R"({
  "title": "Wait", "kind": "orders", "minutes": 10, "seconds": 3,
  "needs": ["devices:2"], "concepts": ["stream"], "compile": ["-std=c++20"], "arguments": ["a b"],
  "environment": {"X": "1"},
  "checks": [{"check": "compile", "says": "No."},
             {"check": "reports", "checks": "host", "says": {"host-race": "Wait.", "*": "A report."}},
             {"check": "orders", "differ": false},
             {"check": "budget", "count": "sectors_per_request", "kernel": "k", "most": 4}],
  "hints": ["one", "two"], "explanation": "Because.",
  "question": {"asks": "Which?", "predict": "count", "count": "copies"},
  "start": {"fails": "orders", "report": null},
  "mutants": {"a.cu": {"fails": "reports", "report": "host-race"}}})";

std::string complaint(const std::string& text) { return parse_exercise(text).complaint; }

// The whole text with one piece replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = whole;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(ExerciseFile, IsRead) {
  const auto read = parse_exercise(whole);
  ASSERT_TRUE(read.exercise) << read.complaint;
  const Exercise& exercise = *read.exercise;
  EXPECT_EQ(exercise.title, "Wait");
  EXPECT_EQ(exercise.kind, ExerciseKind::orders);
  EXPECT_EQ(exercise.seconds, 3);
  EXPECT_EQ(exercise.arguments, std::vector<std::string>{"a b"});
  ASSERT_EQ(exercise.checks.size(), 4u);
  EXPECT_EQ(exercise.checks[1].says_of("host-race"), "Wait.");
  EXPECT_EQ(exercise.checks[1].says_of("leaked-memory"), "A report.");
  EXPECT_FALSE(exercise.checks[2].differs);
  EXPECT_EQ(exercise.checks[3].most, 4);
  EXPECT_EQ(exercise.question->prediction.count, "copies");
  EXPECT_EQ(exercise.question->program, "start");
  EXPECT_EQ(exercise.start.check, "orders");
  EXPECT_EQ(exercise.mutants.at("a.cu").report, "host-race");
  EXPECT_STREQ(exercise.submission_name(), "exercise.cu");
}

TEST(ExerciseFile, IsRefusedWithASentence) {
  EXPECT_EQ(complaint("{"), "It is not JSON.");
  EXPECT_EQ(complaint("[]"), " is not an object.");
  EXPECT_EQ(complaint(with("\"Wait\"", "3")), "title is not a text.");
  EXPECT_EQ(complaint(with("\"orders\", \"minutes\"", "\"song\", \"minutes\"")),
            "kind is 'song'; it can be pass, orders, break, predict or budget.");
  EXPECT_EQ(complaint(with("\"minutes\": 10", "\"minutes\": -1")), "minutes is negative.");
  EXPECT_EQ(complaint(with("devices:2", "luck")),
            "needs has 'luck'; it can be opengl, vulkan or devices:2.");
  EXPECT_EQ(complaint(with("\"most\": 4", "\"least\": 4")), "checks[3].most is missing.");
  EXPECT_NE(complaint(with("sectors_per_request", "luck")).find("checks[3].count is 'luck'"),
            std::string::npos);
  EXPECT_NE(complaint(with("\"check\": \"compile\"", "\"check\": \"taste\"")).find("'taste'"),
            std::string::npos);
  EXPECT_EQ(complaint(with("\"a.cu\"", "\"../a.cu\"")),
            "mutants.../a.cu is not the name of a file.");
  EXPECT_EQ(complaint(R"({"title": "t", "kind": "predict", "checks": [{"check": "compile"}]})"),
            "checks has no `answer`, which an exercise of the kind predict needs.");
  EXPECT_EQ(complaint(R"({"title": "t", "kind": "pass", "checks": []})"), "checks is empty.");
}

TEST(AnswerFile, HasLinesWithoutBlanksAndComments) {
  EXPECT_EQ(lines_of_answer("# how\n\n  a b \r\n\tc\n"), (std::vector<std::string>{"a b", "c"}));
}

TEST(Answer, IsASetOfLines) {
  const ComputedAnswer right{{"1", "2"}, ""};
  std::string how;
  EXPECT_TRUE(is_answer({"2", "1", "2"}, right, {}, how));
  EXPECT_FALSE(is_answer({"2"}, right, {}, how));
  EXPECT_EQ(how, "1 of 1 line is right, and 1 missing.");
  EXPECT_FALSE(is_answer({"1", "2", "3"}, right, {}, how));
  EXPECT_EQ(how, "2 of 3 lines are right.");
  EXPECT_FALSE(is_answer({}, right, {}, how));
}

TEST(Answer, MayBeARoundedNumber) {
  Prediction count;
  count.kind = Prediction::Kind::count;
  std::string how;
  EXPECT_TRUE(is_answer({"4.33"}, {{"4.333333333"}, ""}, count, how));
  EXPECT_FALSE(is_answer({"4"}, {{"4.333333333"}, ""}, count, how));
  EXPECT_EQ(how, "4 is too low.");
  EXPECT_FALSE(is_answer({"many"}, {{"4"}, ""}, count, how));
  EXPECT_EQ(how, "'many' is not a number.");
  EXPECT_FALSE(is_answer({"nan"}, {{"4"}, ""}, count, how));
}

TEST(Counts, AreThoseOfTheKernelThatIsNamed) {
  ProfileModel model;
  for (const char* const name : {"transpose(float*)", "copy(float*)"}) {
    ProfiledKernel kernel;
    kernel.name = name;
    ProfiledLine line;
    AccessCounts load, store;
    load.global_requests = 10;
    load.sectors = 40;
    store.global_requests = 10;
    store.sectors = name[0] == 't' ? 320 : 40;
    line.accesses = {load, store};
    kernel.lines.push_back(line);
    model.kernels.push_back(kernel);
  }
  EXPECT_EQ(count_in(model, "sectors_per_request", "transpose"), 18);
  EXPECT_EQ(count_in(model, "worst_sectors_per_request", "transpose"), 32);
  EXPECT_EQ(count_in(model, "sectors", ""), 440);
  EXPECT_EQ(count_in(model, "sectors", "absent"), std::nullopt);
}

TEST(Counts, OfARecordAreOutermostCalls) {
  Record record;
  record.calls.resize(3);
  record.calls[0] = {0, "cudaStreamSynchronize", "", 10, 30};
  record.calls[1] = {0, "cuStreamSynchronize", "", 12, 28};
  record.calls[2] = {0, "cudaMemcpy", "", 40, 50};
  record.calls[2].bytes = 400;
  record.commands.resize(2);
  record.commands[0].kind = "kernel";
  record.commands[1].kind = "copy";
  record.commands[1].call = 2;
  EXPECT_EQ(count_in(record, "synchronising_calls"), 1);
  EXPECT_EQ(count_in(record, "copies"), 1);
  EXPECT_EQ(count_in(record, "bytes_copied"), 400);
}

}  // namespace
