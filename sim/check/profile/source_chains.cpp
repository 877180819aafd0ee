// SPDX-License-Identifier: Apache-2.0
#include "sim/check/profile/source_chains.hpp"

#include <charconv>
#include <tuple>
#include <unordered_map>

namespace cuvette::profile {
namespace {

using Place = std::tuple<uint32_t, uint32_t, uint32_t>;  // file, line, column

// .loc 1 12 5 [, function_name $L__info_string0[+4], inlined_at 1 20 3]
struct Location {
  Place at{}, caller{};
  std::string_view function;  // a label
  bool is_inlined = false;
};

constexpr size_t most_frames = 32;  // in one chain: names may be in a circle

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The words of a line; commas are blanks.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view next() {
    while (!rest_.empty() && (is_blank(rest_[0]) || rest_[0] == ',')) rest_.remove_prefix(1);
    size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length]) && rest_[length] != ',') ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  bool number(uint32_t& value) {
    const std::string_view word = next();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end != word.data();
  }
  bool place(Place& place) {
    auto& [file, line, column] = place;
    return number(file) && number(line) && number(column);
  }

 private:
  std::string_view rest_;
};

bool read_location(std::string_view line, Location& location) {
  Words words(line);
  if (words.next() != ".loc" || !words.place(location.at)) return false;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "function_name") {
      const std::string_view name = words.next();
      location.function = name.substr(0, name.find('+'));
    } else if (word == "inlined_at") {
      location.is_inlined = words.place(location.caller);
    }
  }
  return true;
}

// Calls `visit` with each line of a text and its number.
template <typename Visit>
void each_line(std::string_view text, const Visit& visit) {
  uint32_t number = 1;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && is_blank(line[0])) line.remove_prefix(1);
    visit(number++, line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The texts of labels, as the debug sections have them: "$L__info_string0:", then lines of numbers
// ".b8 95", the last of which is 0.
class Strings {
 public:
  // `line` may be one of them. Only labels that were asked for are kept.
  void take(std::string_view line) {
    if (open_ && line.starts_with(".b8")) {
      Words words(line.substr(3));
      for (uint32_t byte; open_ && words.number(byte);) {
        if (byte == 0 || open_->size() >= most)
          open_ = nullptr;
        else
          open_->push_back(static_cast<char>(byte));
      }
      return;
    }
    open_ = nullptr;
    if (line.empty() || line[0] != '$' || line.find(':') == line.npos) return;
    const auto known = texts_.find(line.substr(0, line.find(':')));
    if (known != texts_.end() && known->second.empty()) open_ = &known->second;
  }
  void ask_for(std::string_view label) { texts_[label]; }
  const std::string& text(std::string_view label) { return texts_[label]; }

 private:
  static constexpr size_t most = 1 << 16;
  std::unordered_map<std::string_view, std::string> texts_;
  std::string* open_ = nullptr;
};

}  // namespace

std::map<uint32_t, std::vector<SourceFrame>> source_chains(std::string_view text,
                                                           const std::vector<uint32_t>& lines) {
  // The last location of each place, by which a caller is found.
  std::map<Place, Location> by_place;
  std::map<uint32_t, std::vector<Location>> found;
  Location current;
  size_t wanted = 0;
  Strings strings;
  each_line(text, [&](uint32_t number, std::string_view line) {
    for (; wanted < lines.size() && lines[wanted] <= number; ++wanted) {
      if (lines[wanted] != number || !current.is_inlined || found.contains(number)) continue;
      std::vector<Location>& chain = found[number];
      const Location* one = &current;
      while (chain.size() < most_frames) {
        chain.push_back(*one);
        if (!one->is_inlined) break;
        strings.ask_for(one->function);
        const auto caller = by_place.find(one->caller);
        if (caller == by_place.end()) {
          // The place of the call itself is in no inlined function, as far as is known.
          chain.push_back({one->caller, {}, {}, false});
          break;
        }
        one = &caller->second;
      }
    }
    if (Location next; line.starts_with(".loc") && read_location(line, next))
      by_place[next.at] = current = next;
  });
  if (found.empty()) return {};
  each_line(text, [&](uint32_t, std::string_view line) { strings.take(line); });
  std::map<uint32_t, std::vector<SourceFrame>> result;
  for (const auto& [number, chain] : found)
    for (const Location& one : chain)
      result[number].push_back({one.is_inlined ? strings.text(one.function) : std::string(),
                                std::get<0>(one.at), std::get<1>(one.at)});
  return result;
}

}  // namespace cuvette::profile
