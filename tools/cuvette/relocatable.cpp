// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/relocatable.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cuvette/names.hpp"

namespace cuvette::tools {
namespace {

constexpr std::string_view ending = "__static__";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// Whether a mangled name says that it is known in its file alone: its last part is an L, a length
// and a word of that length, and arguments of a template may follow.
bool is_of_its_file(std::string_view name) {
  if (name.find("_GLOBAL__N_") != name.npos) return true;
  for (size_t at = name.find('L'); at != name.npos; at = name.find('L', at + 1)) {
    size_t word = at + 1, length = 0;
    for (; word < name.size() && is_digit(name[word]) && length < name.size(); ++word)
      length = length * 10 + static_cast<size_t>(name[word] - '0');
    if (length == 0 || word + length > name.size()) continue;
    const std::string_view rest = name.substr(word + length);
    if (rest.empty() || rest == "E" || rest[0] == 'I') return true;
  }
  return false;
}

// The lines of a text, each with its end.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

// The name that a line of PTX has at a place within it.
std::string name_around(std::string_view line, size_t at) {
  size_t begin = at;
  while (begin > 0 && of_a_name(line[begin - 1])) --begin;
  return std::string(line.substr(begin, end_of_name(line, at) - begin));
}

bool declares(const std::vector<std::string>& lines, std::string_view name) {
  return std::ranges::any_of(lines, [&](std::string_view line) {
    return line.starts_with(".extern ") && !line.starts_with(".extern .func") &&
           has_name(line, name);
  });
}

}  // namespace

std::string with_one_name_for_each(const std::string& ptx) {
  if (ptx.find(ending) == ptx.npos) return ptx;
  constexpr std::string_view visible = ".visible ";
  std::vector<std::string> lines = lines_of(ptx);
  std::vector<std::pair<std::string, std::string>> names;  // what to call by which other name
  for (std::string& line : lines) {
    const size_t at = line.find(ending);
    if (at == line.npos || !line.starts_with(visible) || at > line.find('=')) continue;
    const std::string long_name = name_around(line, at);
    const std::string name = long_name.substr(0, long_name.find(ending));
    if (is_of_its_file(name)) {
      if (declares(lines, name)) names.emplace_back(name, long_name);
      continue;
    }
    // A template's member. The host knows it by the first name, and other files may define it, too.
    names.emplace_back(long_name, name);
    line.replace(0, visible.size(), ".weak ");
  }
  // The declaration stays: what needs the variable may stand before the definition.
  std::string text;
  for (const std::string& line : lines) text += line;
  for (const auto& [name, other] : names) replace_name(text, name, other);
  return text;
}

void register_as(std::string& object, const std::string& unit) {
  constexpr std::string_view function = "__cudaRegisterLinkedBinary__nv_";
  constexpr std::string_view part = "__nv_";
  const size_t at = object.find(function);
  if (at == object.npos) return;
  const size_t begin = at + function.size();
  const std::string old = object.substr(begin, end_of_name(object, begin) - begin);
  std::string own = unit;
  own.resize(old.size(), '0');
  const std::string before = std::string(part) + old;
  for (size_t found = 0; (found = object.find(before, found)) != object.npos; ++found)
    object.replace(found + part.size(), own.size(), own);
}

}  // namespace cuvette::tools
