// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/course.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// The folders in a folder that have a number before their names, by the numbers.
std::vector<fs::path> numbered_folders(const fs::path& folder) {
  std::vector<std::pair<unsigned long, fs::path>> found;
  std::error_code failure;
  for (auto one = fs::directory_iterator(folder, failure);
       !failure && one != fs::directory_iterator(); one.increment(failure)) {
    const std::string name = one->path().filename().string();
    const size_t digits = name.find_first_not_of("0123456789");
    if (digits == 0 || digits > 4 || digits == std::string::npos || name[digits] != '-') continue;
    std::error_code ignored;
    if (one->is_directory(ignored)) found.emplace_back(std::stoul(name), one->path());
  }
  std::ranges::sort(found);
  std::vector<fs::path> folders;
  for (auto& [number, path] : found) folders.push_back(std::move(path));
  return folders;
}

Lesson read_lesson(const fs::path& folder, std::vector<std::string>& complaints) {
  Lesson lesson;
  lesson.id = lesson.title = folder.filename().string();
  const auto json = nlohmann::json::parse(
      whole_file((folder / "lesson.json").string()).value_or(""), nullptr, false);
  if (json.is_object()) {
    if (json.contains("title") && json["title"].is_string()) lesson.title = json["title"];
    if (json.contains("idea") && json["idea"].is_string()) lesson.idea = json["idea"];
    if (json.contains("minutes") && json["minutes"].is_number()) lesson.minutes = json["minutes"];
  }
  for (const fs::path& one : numbered_folders(folder)) {
    ExerciseOrComplaint read = read_exercise(one);
    if (!read.exercise) {
      complaints.push_back(read.complaint);
      continue;
    }
    read.exercise->id = lesson.id + "/" + one.filename().string();
    lesson.exercises.push_back(std::move(*read.exercise));
  }
  return lesson;
}

// "2.1" and "02.1" -> 2, 1
std::optional<std::pair<unsigned long, unsigned long>> numbers_of(const std::string& word) {
  const size_t dot = word.find('.');
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() < 5 &&
           text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (dot == std::string::npos || !is_number(word.substr(0, dot)) ||
      !is_number(word.substr(dot + 1)))
    return std::nullopt;
  return std::pair(std::stoul(word), std::stoul(word.substr(dot + 1)));
}

// "02-streams/1-wait" -> "1-wait"
std::string last_part(const std::string& id) { return id.substr(id.rfind('/') + 1); }

// "1-wait" -> "wait"
std::string without_number(const std::string& name) { return name.substr(name.find('-') + 1); }

bool is_named(const Exercise& exercise, const std::string& word) {
  const std::string name = last_part(exercise.id);
  if (exercise.id == word || name == word || without_number(name) == word) return true;
  const auto numbers = numbers_of(word);
  return numbers && std::stoul(exercise.id) == numbers->first &&
         std::stoul(name) == numbers->second;
}

}  // namespace

std::vector<const Exercise*> Course::exercises() const {
  std::vector<const Exercise*> all;
  for (const Lesson& lesson : lessons)
    for (const Exercise& exercise : lesson.exercises) all.push_back(&exercise);
  return all;
}

const Exercise* Course::find(const std::string& word, std::string& why) const {
  std::vector<const Exercise*> found;
  for (const Exercise* exercise : exercises()) {
    if (exercise->id == word) return exercise;
    if (is_named(*exercise, word)) found.push_back(exercise);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    why = "'" + word + "' is no exercise of the course in '" + folder.string() +
          "', nor a folder with exercise.json; `cuvette learn` lists the exercises.";
    for (const std::string& complaint : complaints)
      if (complaint.find(word) != std::string::npos) why = complaint;
    return nullptr;
  }
  why = "'" + word + "' is the name of several exercises:";
  for (const Exercise* exercise : found) why += " " + exercise->id;
  why += ".";
  return nullptr;
}

std::optional<fs::path> course_folder(const std::string& named) {
  std::error_code failure;
  if (!named.empty()) {
    if (!fs::is_directory(named, failure)) return std::nullopt;
    return fs::canonical(named, failure);
  }
  const fs::path command = fs::path(own_command()).parent_path();
  for (const char* const relative : {CUVETTE_COURSE_INSTALLED, CUVETTE_COURSE_BUILT}) {
    const fs::path folder = fs::canonical(command / relative, failure);
    if (!failure && fs::is_directory(folder, failure)) return folder;
  }
  return std::nullopt;
}

Course read_course(const fs::path& folder) {
  Course course;
  course.folder = folder;
  for (const fs::path& one : numbered_folders(folder))
    course.lessons.push_back(read_lesson(one, course.complaints));
  return course;
}

std::optional<Exercise> find_exercise(const std::string& word, const std::string& course,
                                      std::string& why) {
  std::error_code failure;
  if (fs::exists(fs::path(word) / "exercise.json", failure)) {
    ExerciseOrComplaint read = read_exercise(word);
    why = read.complaint;
    if (read.exercise) {
      // In a course, its id is that of the course.
      const fs::path lesson = read.exercise->folder.parent_path();
      if (fs::exists(lesson / "lesson.json", failure))
        read.exercise->id = lesson.filename().string() + "/" + read.exercise->id;
    }
    return read.exercise;
  }
  const auto folder = course_folder(course);
  if (!folder) {
    why = course.empty() ? "There is no course where this command was built or installed; "
                           "--course=FOLDER names one."
                         : "--course: '" + course + "' is not a folder.";
    return std::nullopt;
  }
  const Course whole = read_course(*folder);
  const Exercise* const found = whole.find(word, why);
  if (!found) return std::nullopt;
  return *found;
}

}  // namespace cuvette::tools
