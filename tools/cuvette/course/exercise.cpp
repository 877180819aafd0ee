// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/exercise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/cuvette/course/counts.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

using Json = nlohmann::json;

struct Complaint {
  std::string sentence;
};

constexpr std::array<std::pair<const char*, CheckKind>, 8> check_names = {{
    {"compile", CheckKind::compile},
    {"output", CheckKind::output},
    {"reports", CheckKind::reports},
    {"orders", CheckKind::orders},
    {"aliases", CheckKind::aliases},
    {"budget", CheckKind::budget},
    {"order", CheckKind::order},
    {"answer", CheckKind::answer},
}};

constexpr std::array<std::pair<const char*, ExerciseKind>, 5> kind_names = {{
    {"pass", ExerciseKind::pass},
    {"orders", ExerciseKind::orders},
    {"break", ExerciseKind::break_it},
    {"predict", ExerciseKind::predict},
    {"budget", ExerciseKind::budget},
}};

// Reads members of an object, and remembers where it is for complaints.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json_.is_object()) throw Complaint{where_ + " is not an object."};
  }

  bool has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }
  const Json& operator[](const char* name) const { return json_[name]; }

  std::string text(const char* name, const char* fallback) const {
    if (!has(name)) {
      if (fallback) return fallback;
      throw Complaint{at(name) + " is missing."};
    }
    if (!json_[name].is_string()) throw Complaint{at(name) + " is not a text."};
    return json_[name].get<std::string>();
  }
  double number(const char* name, double fallback) const {
    if (!has(name)) return fallback;
    if (!json_[name].is_number()) throw Complaint{at(name) + " is not a number."};
    const double value = json_[name].get<double>();
    if (!std::isfinite(value) || value < 0) throw Complaint{at(name) + " is negative."};
    return value;
  }
  bool flag(const char* name, bool fallback) const {
    if (!has(name)) return fallback;
    if (!json_[name].is_boolean()) throw Complaint{at(name) + " is neither true nor false."};
    return json_[name].get<bool>();
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> all;
    if (!has(name)) return all;
    if (!json_[name].is_array()) throw Complaint{at(name) + " is not a list."};
    for (const Json& one : json_[name]) {
      if (!one.is_string()) throw Complaint{at(name) + " has something that is not a text."};
      all.push_back(one.get<std::string>());
    }
    return all;
  }
  std::map<std::string, std::string> texts_by_name(const char* name) const {
    std::map<std::string, std::string> all;
    if (!has(name)) return all;
    if (!json_[name].is_object()) throw Complaint{at(name) + " is not an object."};
    for (const auto& [key, value] : json_[name].items()) {
      if (!value.is_string()) throw Complaint{at(name) + "." + key + " is not a text."};
      all[key] = value.get<std::string>();
    }
    return all;
  }
  std::string at(const char* name) const { return where_.empty() ? name : where_ + "." + name; }

 private:
  const Json& json_;
  std::string where_;
};

void want_count(const std::string& count, const std::string& where) {
  if (is_count(count)) return;
  throw Complaint{where + " is '" + count + "'; it can be " + all_counts() + "."};
}

Prediction prediction_of(const Reader& reader) {
  Prediction prediction;
  const std::string what = reader.text("predict", nullptr);
  if (what == "values") return prediction;
  if (what == "report") {
    prediction.kind = Prediction::Kind::report;
    // At the top of the file `checks` is another thing.
    if (!reader.has("checks") || !reader["checks"].is_array())
      prediction.checks = reader.text("checks", "all");
    return prediction;
  }
  if (what != "count")
    throw Complaint{reader.at("predict") + " is '" + what +
                    "'; it can be values, report or count."};
  prediction.kind = Prediction::Kind::count;
  prediction.count = reader.text("count", nullptr);
  prediction.kernel = reader.text("kernel", "");
  want_count(prediction.count, reader.at("count"));
  return prediction;
}

Check check_of(const Reader& reader) {
  Check check;
  const std::string name = reader.text("check", nullptr);
  const auto found =
      std::ranges::find(check_names, name, [](const auto& one) { return one.first; });
  if (found == check_names.end())
    throw Complaint{
        reader.at("check") + " is '" + name +
        "'; it can be compile, output, reports, orders, aliases, budget, order or answer."};
  check.kind = found->second;
  if (reader.has("says") && reader["says"].is_object())
    check.says = reader.texts_by_name("says");
  else
    check.says["*"] = reader.text("says", "");
  check.says.try_emplace("*");
  check.checks = reader.text("checks", check.kind == CheckKind::order ? "" : "all");
  check.report = reader.text("report", "");
  if (!check.report.empty() && check.checks.empty()) check.checks = "all";
  check.differs = reader.flag("differ", true);
  if (check.kind == CheckKind::budget) {
    check.count = reader.text("count", nullptr);
    check.kernel = reader.text("kernel", "");
    if (!reader.has("most")) throw Complaint{reader.at("most") + " is missing."};
    check.most = reader.number("most", 0);
    want_count(check.count, reader.at("count"));
  }
  if (check.kind == CheckKind::answer && reader.has("predict"))
    check.prediction = prediction_of(reader);
  return check;
}

Promise promise_of(const Reader& reader) {
  Promise promise{reader.text("fails", nullptr), reader.text("report", "")};
  if (std::ranges::none_of(check_names,
                           [&](const auto& one) { return one.first == promise.check; }))
    throw Complaint{reader.at("fails") + " is '" + promise.check + "', which is no check."};
  return promise;
}

// Names of files in the exercise's own folder, not elsewhere.
void want_plain_name(const std::string& name) {
  const bool plain = !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
                     name.find('\0') == std::string::npos;
  if (!plain) throw Complaint{"mutants." + name + " is not the name of a file."};
}

void want_checks_that_fit(const Exercise& exercise) {
  const auto has = [&](CheckKind kind) { return exercise.check(kind) != nullptr; };
  if (exercise.checks.empty()) throw Complaint{"checks is empty."};
  if (exercise.kind == ExerciseKind::break_it && !has(CheckKind::order))
    throw Complaint{"checks has no `order`, which an exercise of the kind break needs."};
  if (exercise.kind == ExerciseKind::predict && !has(CheckKind::answer))
    throw Complaint{"checks has no `answer`, which an exercise of the kind predict needs."};
  if (exercise.is_program() && (has(CheckKind::order) || has(CheckKind::answer)))
    throw Complaint{"checks has `order` or `answer`, which are for the kinds break and predict."};
  if (!exercise.is_program())
    for (const Check& check : exercise.checks)
      if (check.kind != CheckKind::order && check.kind != CheckKind::answer &&
          check.kind != CheckKind::compile)
        throw Complaint{std::string("checks has `") + name_of(check.kind) +
                        "`, which is for exercises with a program to write."};
}

Exercise exercise_of(const Json& json) {
  const Reader reader(json, "");
  Exercise exercise;
  exercise.title = reader.text("title", nullptr);
  const std::string kind = reader.text("kind", nullptr);
  const auto found = std::ranges::find(kind_names, kind, [](const auto& one) { return one.first; });
  if (found == kind_names.end())
    throw Complaint{"kind is '" + kind + "'; it can be pass, orders, break, predict or budget."};
  exercise.kind = found->second;
  exercise.minutes = reader.number("minutes", 0);
  exercise.seconds = std::clamp(reader.number("seconds", 10), 1.0, 600.0);
  exercise.needs = reader.texts("needs");
  for (const std::string& need : exercise.needs)
    if (need != "opengl" && need != "vulkan" && need != "devices:2")
      throw Complaint{"needs has '" + need + "'; it can be opengl, vulkan or devices:2."};
  exercise.concepts = reader.texts("concepts");
  exercise.compile = reader.texts("compile");
  exercise.arguments = reader.texts("arguments");
  for (auto& [name, value] : reader.texts_by_name("environment")) {
    if (name.empty() || name.find('=') != std::string::npos)
      throw Complaint{"environment." + name + " is not the name of a variable."};
    exercise.environment.emplace_back(name, value);
  }
  if (!reader.has("checks") || !reader["checks"].is_array())
    throw Complaint{"checks is not a list."};
  for (const Json& one : reader["checks"])
    exercise.checks.push_back(
        check_of({one, "checks[" + std::to_string(exercise.checks.size()) + "]"}));
  // A prediction may be said of the exercise as a whole.
  if (reader.has("predict"))
    for (Check& check : exercise.checks)
      if (check.kind == CheckKind::answer) check.prediction = prediction_of(reader);
  exercise.hints = reader.texts("hints");
  exercise.explanation = reader.text("explanation", "");
  if (reader.has("question")) {
    const Reader question(reader["question"], "question");
    exercise.question =
        Question{question.text("asks", nullptr), prediction_of(question),
                 question.text("program", exercise.is_program() ? "start" : "program")};
    const std::string& program = exercise.question->program;
    if (program != "start" && program != "solution" && program != "program")
      throw Complaint{"question.program is '" + program +
                      "'; it can be start, solution or program."};
  }
  if (reader.has("start")) exercise.start = promise_of({reader["start"], "start"});
  if (reader.has("mutants")) {
    if (!reader["mutants"].is_object()) throw Complaint{"mutants is not an object."};
    for (const auto& [name, value] : reader["mutants"].items()) {
      want_plain_name(name);
      exercise.mutants[name] = promise_of({value, "mutants." + name});
    }
  }
  want_checks_that_fit(exercise);
  return exercise;
}

}  // namespace

const char* name_of(CheckKind kind) {
  for (const auto& [name, value] : check_names)
    if (value == kind) return name;
  return "?";
}

const std::string& Check::says_of(const std::string& identifier) const {
  const auto found = says.find(identifier);
  return found != says.end() ? found->second : says.at("*");
}

const char* Exercise::submission_name() const {
  return kind == ExerciseKind::break_it  ? "order.txt"
         : kind == ExerciseKind::predict ? "answer.txt"
                                         : "exercise.cu";
}

const char* Exercise::start_name() const { return is_program() ? "start.cu" : submission_name(); }

std::filesystem::path Exercise::solution() const {
  return is_program() ? folder / "solution.cu" : folder / "solution" / submission_name();
}

std::filesystem::path Exercise::question_submission() const {
  if (!is_program() || !question || question->program == "program") return {};
  return question->program == "solution" ? solution() : folder / start_name();
}

std::filesystem::path Exercise::main_source() const {
  return folder / (is_program() ? "test.cu" : "program.cu");
}

const Check* Exercise::check(CheckKind wanted) const {
  const auto found = std::ranges::find(checks, wanted, &Check::kind);
  return found == checks.end() ? nullptr : &*found;
}

ExerciseOrComplaint parse_exercise(std::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) return {std::nullopt, "It is not JSON."};
  try {
    return {exercise_of(json), ""};
  } catch (const Complaint& complaint) {
    return {std::nullopt, complaint.sentence};
  }
}

ExerciseOrComplaint read_exercise(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path file = folder / "exercise.json";
  const auto text = whole_file(file.string());
  if (!text) return {std::nullopt, "'" + file.string() + "' cannot be read."};
  ExerciseOrComplaint read = parse_exercise(*text);
  if (!read.exercise) {
    read.complaint = "'" + file.string() + "': " + read.complaint;
    return read;
  }
  std::error_code failure;
  read.exercise->folder = fs::canonical(folder, failure);
  read.exercise->id = read.exercise->folder.filename().string();
  const fs::path source = read.exercise->main_source();
  if (!fs::is_regular_file(source, failure))
    return {std::nullopt, "'" + source.string() + "' is missing."};
  return read;
}

}  // namespace cuvette::tools
