// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/progress.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/os/file.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

using State = ExerciseProgress::State;

constexpr std::array<std::pair<const char*, State>, 4> state_names = {{
    {"new", State::fresh},
    {"failing", State::failing},
    {"passing", State::passing},
    {"explained", State::explained},
}};

// No learner takes more of anything.
constexpr uint64_t most = 1'000'000;

size_t count_in(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_unsigned()) return 0;
  return static_cast<size_t>(std::min(most, found->get<uint64_t>()));
}

std::string text_in(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

const char* name_of(State state) {
  for (const auto& [name, value] : state_names)
    if (value == state) return name;
  return "new";
}

ExerciseProgress Progress::of(const std::string& id) const {
  const auto found = exercises.find(id);
  return found == exercises.end() ? ExerciseProgress{} : found->second;
}

Progress parse_progress(std::string_view text) {
  Progress progress;
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return progress;
  progress.current = text_in(json, "current");
  const auto exercises = json.find("exercises");
  if (exercises == json.end() || !exercises->is_object()) return progress;
  for (const auto& [id, one] : exercises->items()) {
    if (!one.is_object()) continue;
    ExerciseProgress& entry = progress.exercises[id];
    const std::string state = text_in(one, "state");
    for (const auto& [name, value] : state_names)
      if (state == name) entry.state = value;
    entry.hints = count_in(one, "hints");
    entry.tries = count_in(one, "tries");
    entry.folder = text_in(one, "folder");
  }
  return progress;
}

std::string print_progress(const Progress& progress) {
  nlohmann::ordered_json json = {{"version", 1}, {"current", progress.current}};
  json["exercises"] = nlohmann::ordered_json::object();
  for (const auto& [id, one] : progress.exercises)
    json["exercises"][id] = {{"state", name_of(one.state)},
                             {"hints", one.hints},
                             {"tries", one.tries},
                             {"folder", one.folder}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::filesystem::path progress_file() {
  const char* const state = getenv("XDG_STATE_HOME");
  const char* const home = getenv("HOME");
  // The base directory specification has relative paths ignored.
  const std::filesystem::path folder =
      state && *state == '/' ? std::filesystem::path(state)
                             : std::filesystem::path(home ? home : "/") / ".local/state";
  return folder / "cuvette" / "course.json";
}

Progress read_progress() {
  return parse_progress(whole_file(progress_file().string()).value_or(""));
}

bool change_progress(const std::function<void(Progress&)>& change) {
  Progress progress = read_progress();
  change(progress);
  const std::filesystem::path file = progress_file();
  return os::make_directories(file.parent_path().string()) &&
         os::replace_file(file.string(), print_progress(progress));
}

}  // namespace cuvette::tools
