// SPDX-License-Identifier: Apache-2.0
#include "sim/base/config.hpp"

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "sim/base/run_notes.hpp"

extern char** environ;

namespace cuvette {
namespace {

template <typename Kind>
typename Kind::Value read(const char* variable, std::string_view fallback) {
  const char* const given = std::getenv(variable);
  if (given && (*given || knob::takes_empty<Kind>))
    if (auto value = Kind::parse(given)) return *std::move(value);
  if (fallback.empty()) return {};
  return *Kind::parse(fallback);
}

Config* read_all() {
  using namespace knob;
  auto* config = new Config;
#define KNOB(variable, field, kind, fallback, sentence) \
  config->field = read<kind>(variable, fallback);
#include "sim/base/config.def"
#undef KNOB
  return config;
}

// The sentence of CUVETTE_CHECK: what each check does.
constexpr char checks_sentence[] =
    "The checks to run, separated by commas: "
#define CHECK(word, needs, what, ...) "`" #word "` " what "; "
#include "sim/base/checks.def"
#undef CHECK
    "`all` is every one of them (docs/reports.md).";

template <typename Kind>
constexpr Knob row(const char* variable, const char* fallback, const char* sentence) {
  Knob knob{variable,        fallback, sentence, std::is_same_v<Kind, knob::Switch>,
            Kind::complaint, nullptr};
  if constexpr (requires { Kind::names_path; }) knob.names_path = Kind::names_path;
  return knob;
}

using namespace knob;
constexpr Knob all_knobs[] = {
#define KNOB(variable, field, kind, fallback, sentence) row<kind>(variable, fallback, sentence),
#include "sim/base/config.def"
#undef KNOB
};

}  // namespace

const Config& config() {
  // Never destroyed: calls may come while the process exits.
  static const Config* const instance = read_all();
  return *instance;
}

bool is_strict() { return config().contract == Contract::strict; }
bool follows_driver() { return config().contract == Contract::driver; }

std::span<const Knob> knobs() { return all_knobs; }

std::string value_complaint(std::string_view variable, std::string_view value) {
  // An empty value counts as not set.
  if (value.empty()) return "";
  for (const Knob& knob : all_knobs)
    if (knob.variable == variable) return knob.complaint(value);
  return "";
}

std::string environment_complaint() {
  std::vector<std::string_view> variables;
  for (const Knob& knob : knobs()) variables.emplace_back(knob.variable);
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with("CUVETTE_")) continue;
    const std::string_view variable = text.substr(0, equals);
    if (variable.starts_with("CUVETTE_TEST_") || variable == run_notes::variable) continue;
    if (std::ranges::find(variables, variable) == variables.end()) {
      const std::string near = nearest(variable, variables);
      return std::string(variable) + " is set, but it is not a knob" +
             (near.empty() ? "; `cuvette run --help` lists them all."
                           : ": did you mean " + near + "?");
    }
    if (const std::string wrong = value_complaint(variable, text.substr(equals + 1));
        !wrong.empty())
      return std::string(variable) + " is " + wrong + ".";
  }
  return "";
}

}  // namespace cuvette
