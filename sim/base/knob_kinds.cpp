// SPDX-License-Identifier: Apache-2.0
#include "sim/base/knob_kinds.hpp"

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <system_error>

namespace cuvette {
namespace {

// Returns how many letters must change, go or come.
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

// Returns the shift that K, M, G or T means; nothing for another letter.
std::optional<int> shift_of(char suffix) {
  switch (suffix) {
    case 'K':
    case 'k':
      return 10;
    case 'M':
    case 'm':
      return 20;
    case 'G':
    case 'g':
      return 30;
    case 'T':
    case 't':
      return 40;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> names) {
  std::string_view best;
  size_t least = 2 + name.size() / 4;  // more changes make another word
  for (const std::string_view one : names) {
    // The beginning of a name counts as one change.
    const bool begun = name.size() >= 2 && one.starts_with(name);
    const size_t changes = begun ? 1 : distance(name, one);
    if (changes >= least) continue;
    least = changes;
    best = one;
  }
  return std::string(best);
}

std::vector<std::string_view> parts_of(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(separator, begin), list.size());
    std::string_view part = list.substr(begin, end - begin);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

std::optional<size_t> parse_bytes(std::string_view text) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  int shift = 0;
  if (!text.empty()) {
    const std::optional<int> known = shift_of(text[0]);
    text.remove_prefix(1);
    if (!known || (!text.empty() && text != "iB" && text != "ib")) return std::nullopt;
    shift = *known;
  }
  if (number > (SIZE_MAX >> shift)) return std::nullopt;
  return number << shift;
}

namespace knob {

std::string not_among(std::string_view word, std::string_view words) {
  const std::vector<std::string_view> list = parts_of(words, ',');
  std::string text = "'" + std::string(word) + "', which is not one of its values";
  const std::string near = nearest(word, list);
  if (!near.empty()) text += ": did you mean '" + near + "'?";
  return text + (near.empty() ? ":" : "") + " It can be " + listed(list);
}

std::string not_a_number(std::string_view text, unsigned least, unsigned most) {
  return "'" + std::string(text) + "', not a number from " + std::to_string(least) + " to " +
         std::to_string(most);
}

std::string not_bytes(std::string_view text, size_t least) {
  std::string wanted = "', not a number of bytes";
  if (least > 0) wanted += ", " + std::to_string(least) + " at least,";
  return "'" + std::string(text) + wanted + " such as 512M or 16G";
}

std::optional<WordOrOff::Value> WordOrOff::parse(std::string_view text) {
  const bool good = std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
  });
  if (!good || text.size() > longest) return std::nullopt;
  return Value(text);
}

std::string WordOrOff::complaint(std::string_view text) {
  if (parse(text)) return "";
  return "'" + std::string(text) + "', not a word of at most " + std::to_string(longest) +
         " letters, digits, '-', '_' and '.'";
}

bool is_file(std::string_view name) {
  std::error_code failure;
  return std::filesystem::is_regular_file(name, failure);
}

}  // namespace knob
}  // namespace cuvette
