// SPDX-License-Identifier: Apache-2.0
#include "sim/knobs.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

#include "sim/config.hpp"

extern char** environ;

namespace cuvette {
namespace {

struct Values {
  enum class Kind { one_of, some_of, number, bytes };
  std::string_view variable;
  Kind kind;
  std::vector<std::string_view> words;
  int least = 0, most = 0;
};

const std::vector<Values>& known_values() {
  static const auto* const values = new std::vector<Values>{
#define ONE_OF(variable, ...) {variable, Values::Kind::one_of, {__VA_ARGS__}},
#define SOME_OF(variable, ...) {variable, Values::Kind::some_of, {__VA_ARGS__}},
#define NUMBER(variable, least, most) {variable, Values::Kind::number, {}, least, most},
#define BYTES(variable) {variable, Values::Kind::bytes, {}},
#include "sim/knob_values.def"
#undef ONE_OF
#undef SOME_OF
#undef NUMBER
#undef BYTES
  };
  return *values;
}

// How many letters must change, go or come.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// "'a', 'b' or 'c'"
std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "'" + std::string(words[i]) + "'";
  }
  return text;
}

std::string not_a_word(std::string_view word, const Values& values) {
  if (std::ranges::find(values.words, word) != values.words.end()) return "";
  std::string text = "'" + std::string(word) + "', which is none of its values";
  const std::string near = nearest(word, values.words);
  if (!near.empty()) text += ": did you mean '" + near + "'?";
  return text + (near.empty() ? ":" : "") + " There is " + listed(values.words);
}

bool is_number(std::string_view text, int least, int most) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc{} && stop == end && number >= least && number <= most;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> names) {
  std::string_view best;
  size_t least = 2 + name.size() / 4;  // more changes make another word
  for (const std::string_view one : names) {
    // What somebody began to write.
    const bool begun = name.size() >= 2 && one.starts_with(name);
    const size_t changes = begun ? 1 : distance(name, one);
    if (changes >= least) continue;
    least = changes;
    best = one;
  }
  return std::string(best);
}

std::string value_complaint(std::string_view variable, std::string_view value) {
  const auto found = std::ranges::find(known_values(), variable, &Values::variable);
  // An empty one says nothing, as if it were not set.
  if (found == known_values().end() || value.empty()) return "";
  switch (found->kind) {
    case Values::Kind::one_of:
      return not_a_word(value, *found);
    case Values::Kind::some_of:
      for (size_t begin = 0; begin <= value.size();) {
        const size_t end = std::min(value.find(',', begin), value.size());
        const std::string_view word = value.substr(begin, end - begin);
        if (const std::string text = not_a_word(word, *found); !word.empty() && !text.empty())
          return text;
        begin = end + 1;
      }
      return "";
    case Values::Kind::number:
      if (is_number(value, found->least, found->most)) return "";
      return "'" + std::string(value) + "', and not a number from " + std::to_string(found->least) +
             " to " + std::to_string(found->most);
    case Values::Kind::bytes:
      break;
  }
  if (parse_bytes(std::string(value))) return "";
  return "'" + std::string(value) + "', and not a number of bytes such as 512M or 16G";
}

std::string environment_complaint() {
  std::vector<std::string_view> variables;
  for (const Knob& knob : knobs()) variables.emplace_back(knob.variable);
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with("CUVETTE_")) continue;
    const std::string_view variable = text.substr(0, equals);
    if (variable.starts_with("CUVETTE_TEST_")) continue;
    if (std::ranges::find(variables, variable) == variables.end()) {
      const std::string near = nearest(variable, variables);
      return std::string(variable) + " is set, and there is no such knob" +
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
